"""The client against servers that misbehave on the wire."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bxcore.control import Exit
from bxcore.control.requests import ChatRequest, StatusRequest
from bxctl.errors import CommandError
from bxctl.wire import Wire

Serve = Callable[[Callable[[socket.socket], None]], Wire]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Have one client served by a function over its socket."""
    home = Path(tempfile.mkdtemp(prefix="bx-"))
    threads: list[threading.Thread] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "s"))
    listener.listen()
    listener.settimeout(10)

    def start(behave: Callable[[socket.socket], None]) -> Wire:
        def work() -> None:
            client, _ = listener.accept()
            with client:
                client.settimeout(10)
                behave(client)

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        return Wire(home / "s")

    yield start
    for thread in threads:
        thread.join(10)
    listener.close()
    shutil.rmtree(home)


def answering(data: bytes) -> Callable[[socket.socket], None]:
    def behave(client: socket.socket) -> None:
        client.recv(65_536)
        client.sendall(data)

    return behave


def answer(status: int, body: bytes) -> bytes:
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def failed(wire: Wire, timeout_s: float = 10.0) -> tuple[Exit, str]:
    with pytest.raises(CommandError) as caught:
        wire.call(StatusRequest(), timeout_s)
    return caught.value.exit, caught.value.sentence


LOST = (Exit.FAILED, "the connection ended before the answer; boxmaker may be restarting")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        answer(200, b"{"),
        answer(200, b"\xff"),
    ],
)
def test_an_answer_that_is_lost_or_none_is_one_sentence(serve: Serve, data: bytes) -> None:
    assert failed(serve(answering(data))) == LOST


def test_a_silent_process_is_timed_out(serve: Serve) -> None:
    over = threading.Event()

    def behave(_: socket.socket) -> None:
        over.wait(10)

    wire = serve(behave)
    code, sentence = failed(wire, 0.05)
    over.set()
    assert (code, sentence) == (Exit.TIMED_OUT, "boxmaker did not answer in time; see bxctl tree")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": "down", "sentence": "loop is stopped"}', (Exit.NOT_RUNNING, "loop is stopped")),
        (b'{"error": "new_one", "sentence": "no"}', (Exit.FAILED, "no")),
        (b"{}", (Exit.FAILED, "boxmaker said no without a reason")),
        (b"[1]", (Exit.FAILED, "boxmaker said no without a reason")),
    ],
)
def test_a_no_keeps_its_sentence_and_exit_code(serve: Serve, body: bytes, expected: tuple[Exit, str]) -> None:
    assert failed(serve(answering(answer(503, body)))) == expected


def test_who_is_turned_away_before_it_has_asked_hears_why(serve: Serve) -> None:
    def behave(client: socket.socket) -> None:
        client.recv(1)  # it is in the middle of a text that is larger than any socket's buffer
        client.sendall(answer(503, b'{"error": "busy", "sentence": "too many"}'))
        client.shutdown(socket.SHUT_RDWR)

    with pytest.raises(CommandError) as caught:
        serve(behave).call(ChatRequest(text="x" * 2_000_000), 10)
    assert (caught.value.exit, caught.value.sentence) == (Exit.FAILED, "too many")


def test_a_stream_yields_each_line_as_it_comes(serve: Serve) -> None:
    go_on = threading.Event()

    def behave(client: socket.socket) -> None:
        client.recv(65_536)
        client.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n{"turn":1}\n\r\n')
        assert go_on.wait(10)
        client.sendall(b'b\r\n{"turn":2}\n\r\n0\r\n\r\n')

    with serve(behave).stream(ChatRequest(text="x")) as lines:
        assert next(lines)["turn"] == 1
        go_on.set()
        assert [line["turn"] for line in lines] == [2]


def test_a_stream_that_breaks_off_is_one_sentence(serve: Serve) -> None:
    data = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"n":1}\n\r\n9\r\n{"n'
    with (
        serve(answering(data)).stream(ChatRequest(text="x")) as lines,
        pytest.raises(CommandError) as caught,
    ):
        list(lines)
    assert (caught.value.exit, caught.value.sentence) == LOST


def test_a_socket_that_is_ours_no_more_is_said(tmp_path: Path) -> None:
    assert failed(Wire(tmp_path / "none"))[0] is Exit.NOT_RUNNING
    (tmp_path / "file").write_text("")
    assert failed(Wire(tmp_path / "file"))[0] is Exit.NOT_RUNNING
    assert not Wire(tmp_path / "file").answers()
