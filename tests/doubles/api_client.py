"""A client of OpenAI's interface that sees the wire: statuses, bodies, events as they come."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.doubles.control_box import ControlBox
from tests.doubles.control_box import connected as at_the_socket

TOKEN = "t" * 32
HI = {"role": "user", "content": "hi"}


class Client:
    """One request over TCP, or with ``socket`` over the control socket; what comes is read as it comes."""

    def __init__(self, box: ControlBox, *, at_socket: bool = False, **keys: Any) -> None:
        headers = keys.pop("headers", {})
        path = keys.pop("path", "/v1/chat/completions")
        host = "box" if at_socket else f"127.0.0.1:{box.port}"
        token = {} if at_socket else {"authorization": f"Bearer {TOKEN}"}
        body = json.dumps({"model": "boxmaker", "messages": [HI], **keys}).encode()
        sent = {"host": host, "content-length": str(len(body)), **token, **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self.sock = at_the_socket(box) if at_socket else tcp(box)
        self.sock.sendall(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    def begin(self) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(self.sock)
        response.begin()
        return response

    def answer(self) -> tuple[int, Any]:
        with self.sock:
            response = self.begin()
            return response.status, json.loads(response.read())

    def events(self) -> list[Any]:
        """The data of each event, comments left out; a stream that failed ends with its error."""
        with self.sock:
            response = self.begin()
            assert response.status == 200, response.read()
            return list(data_of(response.read()))


def tcp(box: ControlBox) -> socket.socket:
    return socket.create_connection(("127.0.0.1", box.port), timeout=10)


def data_of(body: bytes) -> Iterator[Any]:
    for event in body.decode().split("\n\n"):
        if event.startswith("data: "):
            yield "[DONE]" if event == "data: [DONE]" else json.loads(event[6:])


def text_of(events: list[Any]) -> str:
    chunks = [each for each in events if isinstance(each, Mapping) and each.get("choices")]
    return "".join(each["choices"][0]["delta"].get("content", "") for each in chunks)


def wait_for(holds: Callable[[], object]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")
