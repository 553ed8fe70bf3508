"""A scripted stand-in for an OpenAI-compatible model server, on a loopback port.

A script is a list of steps; each request to ``/v1/chat/completions`` takes the next one, and a request past
the last step is answered 500. A step is a JSON object with one of these:

- ``{"say": TEXT}`` a reply, ``{"call": [NAME, {ARGUMENTS}]}`` or ``{"call": [[NAME, {…}], …]}`` tool calls,
  each in the manner that the request asks for (JSON text when it has a ``response_format``, else structured);
- ``{"text": TEXT}`` the content as it is; ``{"calls": [[NAME, ARGUMENTS], …]}`` structured calls as they are,
  the arguments a text or any JSON value;
- ``{"status": 500, "body": TEXT, "retry_after": TEXT}`` an error;
- ``{"nonsense": KIND}`` with a key of ``NONSENSE``;
- ``{"silence_s": S}`` nothing for so long, then the connection ends;
- ``{"hang_up": true}`` the connection ends before a byte.

and any of: ``reasoning`` (text before), ``wait_s`` (before the first byte), ``drip_s`` (between pieces),
``piece`` (characters a piece, default 8), ``finish``, ``cut_after`` (pieces, then the connection ends),
``usage`` (an object), ``plain`` (answer without a stream).

Tokens are words here. ``cached_tokens`` is what the prompt shares with the one before, from its start.
Run it alone: ``python -m tests.doubles.model_server --port 0 --script FILE``.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

Step = Mapping[str, Any]
Chooser = Callable[[Mapping[str, Any]], Step]

NONSENSE: Mapping[str, tuple[str, str]] = {
    "html": ("text/html", "<html><body><h1>It works!</h1></body></html>"),
    "not_sse": ("text/event-stream", "hello, I am no event stream\n\n"),
    "bad_json": ("text/event-stream", 'data: {"choices": [\n\n'),
    "no_choices": ("text/event-stream", 'data: {"object": "list"}\n\ndata: [DONE]\n\n'),
    "wrong_types": ("text/event-stream", 'data: {"choices": [{"delta": ["x"]}]}\n\ndata: [DONE]\n\n'),
    "number": ("text/event-stream", "data: 17\n\ndata: [DONE]\n\n"),
    "null": ("application/json", "null"),
    "empty": ("text/event-stream", ""),
    "error_event": ("text/event-stream", 'data: {"error": {"code": 500, "message": "out of memory"}}\n\n'),
    "error_with_key": (
        "text/event-stream",
        'data: {"error": "' + "no " * 58 + "sk-proj-" + "A1b2C3d4" * 6 + '"}\n\n',
    ),
    "latin1": ("text/event-stream", "data: \xff\xfe\n\n"),
}
"""Content type and body of each; the body is sent as Latin-1 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it came: the path, the headers with lower-case names, the JSON body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ModelServer:
    """Serves a script until ``close``; use it in a ``with``.

    ``steps`` is a list of steps, or a function from the request's body to a step. ``tokenizer`` and
    ``context_tokens`` switch llama.cpp's ``/tokenize`` and ``/props`` on.
    """

    def __init__(
        self,
        steps: Iterable[Step] | Chooser = (),
        *,
        port: int = 0,
        tokenizer: bool = False,
        context_tokens: int | None = None,
    ) -> None:
        self.seen: list[Seen] = []
        self.tokenizer = tokenizer
        self.context_tokens = context_tokens
        self.closing = threading.Event()
        self._choose = steps if callable(steps) else _in_turn(iter(list(steps)))
        self._lock = threading.Lock()
        self._last_prompt: list[str] = []
        self._http = _Http(port, self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="double/model-server"
        )

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """The base that a client is configured with."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[Mapping[str, Any]]:
        """The bodies of the chat requests so far."""
        return [seen.body for seen in self.seen if seen.path.endswith("/chat/completions")]

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """End every connection and thread; returns when they are gone."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=10)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def note(self, seen: Seen) -> None:
        with self._lock:
            self.seen.append(seen)

    def next_step(self, body: Mapping[str, Any]) -> Step:
        with self._lock:
            return self._choose(body)

    def usage(self, body: Mapping[str, Any], completion: int) -> dict[str, Any]:
        """Count words, and what the prompt shares with the last one from its start."""
        prompt = json.dumps([body.get("tools"), body.get("messages")]).split()
        with self._lock:
            cached = _common_prefix(self._last_prompt, prompt)
            self._last_prompt = prompt
        return {
            "prompt_tokens": len(prompt),
            "completion_tokens": completion,
            "total_tokens": len(prompt) + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


def _in_turn(steps: Iterator[Step]) -> Chooser:
    return lambda _body: next(steps, {"status": 500, "body": "the script has ended"})


def _common_prefix(one: list[str], other: list[str]) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, port: int, double: ModelServer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.double = double

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_GET(self) -> None:
        double = self.server.double
        double.note(Seen(path=self.path, headers=self._lower(), body={}))
        if self.path == "/props" and double.context_tokens is not None:
            self._json({"default_generation_settings": {"n_ctx": double.context_tokens}})
        elif self.path == "/v1/models":
            self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        else:
            self._plain(404, "application/json", '{"error":{"message":"not found"}}')

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        body = json.loads(raw or b"{}")
        double = self.server.double
        double.note(Seen(path=self.path, headers=self._lower(), body=body))
        if self.path == "/v1/chat/completions":
            _Answer(self, double, body).send(double.next_step(body))
        elif self.path == "/tokenize" and double.tokenizer:
            self._json({"tokens": list(range(len(body["content"].split())))})
        else:
            self._plain(404, "application/json", '{"error":{"message":"not found"}}')

    def _lower(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _json(self, value: object) -> None:
        self._plain(200, "application/json", json.dumps(value))

    def _plain(
        self, status: int, content_type: str, text: str, more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        data = text.encode("latin-1", "replace")
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
        """Say nothing."""


class _Answer:
    """One answer to one chat request."""

    def __init__(self, handler: Any, server: ModelServer, body: Mapping[str, Any]) -> None:
        self._handler = handler
        self._server = server
        self._body = body

    def send(self, step: Step) -> None:
        self._handler.close_connection = True
        self._pause(step.get("wait_s", 0) or step.get("silence_s", 0))
        if "hang_up" in step or "silence_s" in step or self._server.closing.is_set():
            return
        if "status" in step:
            self._handler._plain(
                step["status"],
                "application/json",
                step.get("body", '{"error":{"message":"no"}}'),
                {"retry-after": step["retry_after"]} if "retry_after" in step else {},
            )
        elif "nonsense" in step:
            self._handler._plain(200, *NONSENSE[step["nonsense"]])
        elif step.get("plain") or not self._body.get("stream"):
            self._handler._json(self._whole(step))
        else:
            self._stream(step)

    def _pause(self, seconds: float) -> None:
        self._server.closing.wait(seconds)

    def _content_and_calls(self, step: Step) -> tuple[str, list[tuple[str, Any]]]:
        structured = "response_format" not in self._body
        calls = step.get("calls") or step.get("call") or []
        if calls and isinstance(calls[0], str):
            calls = [calls]
        if "say" in step:
            text = step["say"] if structured else json.dumps({"reply": step["say"]}, ensure_ascii=False)
            return text, []
        if "call" in step and not structured:
            name, arguments = calls[0]
            return json.dumps({"tool": name, "args": arguments}, ensure_ascii=False), []
        if "call" in step:
            calls = [(name, json.dumps(arguments)) for name, arguments in calls]
        return step.get("text", ""), [(name, arguments) for name, arguments in calls]

    def _deltas(self, step: Step) -> Iterator[dict[str, Any]]:
        size = step.get("piece", 8)
        yield {"role": "assistant", "content": None}
        if reasoning := step.get("reasoning", ""):
            yield from (
                {"reasoning_content": reasoning[at : at + size]} for at in range(0, len(reasoning), size)
            )
        text, calls = self._content_and_calls(step)
        yield from ({"content": text[at : at + size]} for at in range(0, len(text), size))
        for index, (name, arguments) in enumerate(calls):
            yield from _call_deltas(index, name, arguments, size)

    def _finish(self, step: Step) -> str:
        return str(step.get("finish") or ("tool_calls" if self._content_and_calls(step)[1] else "stop"))

    def _stream(self, step: Step) -> None:
        handler = self._handler
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.send_header("connection", "close")
        handler.end_headers()
        count = 0
        for count, delta in enumerate(self._deltas(step)):
            if count == step.get("cut_after", -1) or self._server.closing.is_set():
                return
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            self._pause(step.get("drip_s", 0))
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": self._finish(step)}]})
        self._event({"choices": [], "usage": step.get("usage") or self._server.usage(self._body, count)})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, value: Mapping[str, Any]) -> None:
        whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": int(time.time()), **value}
        self._chunk(b"data: " + json.dumps(whole, ensure_ascii=False).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self._handler.wfile.flush()

    def _whole(self, step: Step) -> dict[str, Any]:
        text, calls = self._content_and_calls(step)
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for at, (name, arguments) in enumerate(calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": self._finish(step)}
        return {"id": "chatcmpl-1", "choices": [choice], "usage": self._server.usage(self._body, 1)}


def _call_deltas(index: int, name: str, arguments: Any, size: int) -> Iterator[dict[str, Any]]:
    """A call as servers stream it: its id and name first, then its arguments in pieces."""
    first = {"index": index, "id": f"call_{index}", "type": "function"}
    if not isinstance(arguments, str):
        yield {"tool_calls": [{**first, "function": {"name": name, "arguments": arguments}}]}
        return
    yield {"tool_calls": [{**first, "function": {"name": name, "arguments": ""}}]}
    for at in range(0, len(arguments), size):
        yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + size]}}]}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="serve a scripted model; the base URL is the first line")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, required=True, help="a JSON list of steps")
    parser.add_argument("--repeat", action="store_true", help="start the script anew when it has ended")
    chosen = parser.parse_args(argv)
    steps = json.loads(chosen.script.read_text(encoding="utf-8"))
    rounds = iter(lambda: steps, None) if chosen.repeat else iter([steps])
    with ModelServer(_in_turn(step for one in rounds for step in one), port=chosen.port) as server:
        print(server.url, flush=True)  # noqa: T201 - the one line that a caller waits for
        try:
            while not server.closing.wait(3600):
                pass
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
