from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bxcore.control import ErrorCode
from bxcore.http import HttpRequest, json_response
from bxio.http_server import MAX_BODY_BYTES, BadRequestError, ClientGoneError, HttpExchange


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[socket.socket, HttpExchange]]:
    """A client's socket and the server's exchange over the other end; closing drains for a moment only."""
    monkeypatch.setattr("bxio.http_server.DRAIN_S", 0.05)
    client, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(5)
    exchange = HttpExchange(server)
    yield client, exchange
    client.close()
    exchange.close()


Pair = tuple[socket.socket, HttpExchange]


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def read(pair: Pair, data: bytes, seconds: float = 5.0) -> HttpRequest:
    pair[0].sendall(data)
    return pair[1].read(soon(seconds))


def no(pair: Pair, data: bytes, seconds: float = 5.0) -> tuple[ErrorCode, str]:
    with pytest.raises(BadRequestError) as caught:
        read(pair, data, seconds)
    return caught.value.code, caught.value.sentence


def all_of(client: socket.socket) -> bytes:
    got = b""
    while piece := client.recv(65_536):
        got += piece
    return got


def post(body: bytes, *lines: str) -> bytes:
    head = "\r\n".join(("POST /v1/chat HTTP/1.1", "Host: x", *lines, f"Content-Length: {len(body)}"))
    return f"{head}\r\n\r\n".encode() + body


def test_a_request_is_read_whole(pair: Pair) -> None:
    request = read(pair, post(b'{"a": 1}', "X-Y: z"))
    assert (request.method, request.path, request.body) == ("POST", "/v1/chat", b'{"a": 1}')
    assert request.headers["x-y"] == "z"


def test_path_and_query_are_taken_apart(pair: Pair) -> None:
    request = read(pair, b"GET /v1/a%20b?name=x%26y HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (request.path, request.query) == ("/v1/a b", "name=x%26y")


def test_a_chunked_body_is_put_together(pair: Pair) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert read(pair, head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").body == b"abcde"


def test_an_answer_has_a_length_and_closes(pair: Pair) -> None:
    client, exchange = pair
    read(pair, post(b"{}"))
    exchange.answer(json_response(404, {"error": "x"}), soon())
    exchange.close()
    got = all_of(client)
    assert got.startswith(b"HTTP/1.1 404 ")
    assert b"connection: close" in got.lower()
    assert got.endswith(b'\r\n\r\n{"error":"x"}')


def test_a_stream_goes_out_piece_by_piece(pair: Pair) -> None:
    client, exchange = pair
    read(pair, post(b"{}"))
    exchange.start(200, {"content-type": "application/x-ndjson"}, soon())
    exchange.piece(b'{"n":1}\n', soon())
    assert client.recv(65_536).endswith(b'8\r\n{"n":1}\n\r\n')
    exchange.finish(soon())
    exchange.close()
    assert all_of(client) == b"0\r\n\r\n"


def test_head_gets_no_body(pair: Pair) -> None:
    client, exchange = pair
    read(pair, b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    exchange.answer(json_response(405, {}), soon())
    exchange.close()
    assert all_of(client).endswith(b"\r\n\r\n")


def test_who_waits_for_a_100_gets_it(pair: Pair) -> None:
    client, exchange = pair
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    bodies: list[bytes] = []
    thread = threading.Thread(target=lambda: bodies.append(exchange.read(soon()).body))
    thread.start()
    assert client.recv(1000).startswith(b"HTTP/1.1 100")
    client.sendall(b"{}")
    thread.join(5)
    assert bodies == [b"{}"]


def test_a_body_over_1_mib_is_refused_by_its_length_alone(pair: Pair) -> None:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {MAX_BODY_BYTES + 1}\r\n\r\n".encode()
    assert no(pair, head) == (ErrorCode.TOO_LARGE, "the body is larger than 1 MiB; send less")


def test_a_body_of_1_mib_is_taken(pair: Pair) -> None:
    client, exchange = pair
    body = b"x" * MAX_BODY_BYTES
    thread = threading.Thread(target=client.sendall, args=(post(body),))
    thread.start()
    assert exchange.read(soon()).body == body
    thread.join(5)


def test_a_chunked_body_over_1_mib_is_refused_while_it_comes(pair: Pair) -> None:
    client, exchange = pair
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

    def flood() -> None:
        with contextlib.suppress(OSError):  # the server closes before all is sent
            client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 40)

    thread = threading.Thread(target=flood)
    thread.start()
    with pytest.raises(BadRequestError) as caught:
        exchange.read(soon())
    assert caught.value.code is ErrorCode.TOO_LARGE
    exchange.answer(json_response(413, {}), soon())
    exchange.close()
    thread.join(5)
    assert not thread.is_alive()
    assert client.recv(65_536).startswith(b"HTTP/1.1 413")


def test_a_head_over_16_kib_is_refused(pair: Pair) -> None:
    code, sentence = no(pair, b"GET / HTTP/1.1\r\nX: " + b"y" * 20_000)
    assert (code, sentence) == (ErrorCode.TOO_LARGE, "the request's head is larger than 16 KiB")


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 400 + b"\r\n\r\n",
        b"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA\x00: b\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_is_no_http_gets_an_answer(pair: Pair, data: bytes) -> None:
    client, exchange = pair
    code, _ = no(pair, data)
    assert code is ErrorCode.BAD_REQUEST
    exchange.answer(json_response(code.status, {}), soon())
    exchange.close()
    assert all_of(client).startswith(b"HTTP/1.1 400")


def test_a_silent_client_is_over_at_the_deadline(pair: Pair) -> None:
    assert no(pair, b"GET / HT", 0.05)[0] is ErrorCode.TOO_SLOW


def test_a_dripping_client_gains_no_time(pair: Pair) -> None:
    client, exchange = pair
    over = threading.Event()

    def drip() -> None:
        for byte in b"GET / HTTP/1.1\r\nX: " + b"y" * 10_000:
            if over.wait(0.01):
                return
            client.send(bytes([byte]))

    thread = threading.Thread(target=drip)
    thread.start()
    began = time.monotonic()
    with pytest.raises(BadRequestError) as caught:
        exchange.read(soon(0.2))
    took_s = time.monotonic() - began
    over.set()
    thread.join(5)
    assert caught.value.code is ErrorCode.TOO_SLOW
    assert took_s < 2.0


@pytest.mark.parametrize("data", [b"", b"GET / HTTP/1.1\r\n", post(b"{}")[:-1]])
def test_a_client_that_leaves_early_is_gone(pair: Pair, data: bytes) -> None:
    client, exchange = pair
    client.sendall(data)
    client.close()
    with pytest.raises((ClientGoneError, BadRequestError)):
        exchange.read(soon())


def test_a_client_that_does_not_read_is_gone_at_the_deadline(pair: Pair) -> None:
    _, exchange = pair
    read(pair, post(b"{}"))
    exchange.start(200, {}, soon())
    flood = b"x" * 10_000_000
    with pytest.raises(ClientGoneError):
        exchange.piece(flood, soon(0.05))


def test_an_answer_to_who_has_left_says_so(pair: Pair) -> None:
    client, exchange = pair
    read(pair, post(b"{}"))
    client.close()
    with pytest.raises(ClientGoneError):
        exchange.answer(json_response(200, {}), soon())


@pytest.mark.parametrize("blocked", ["read", "write"])
def test_a_cut_wakes_who_is_blocked(pair: Pair, blocked: str) -> None:
    _, exchange = pair
    began, woken = threading.Event(), threading.Event()
    if blocked == "write":
        read(pair, post(b"{}"))
        exchange.start(200, {}, soon())

    def work() -> None:
        began.set()
        try:
            if blocked == "read":
                exchange.read(soon(60))
            while True:
                exchange.piece(b"x" * 65_536, soon(60))
        except ClientGoneError:
            woken.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert began.wait(5)
    exchange.cut()
    assert woken.wait(5)
    thread.join(5)


def test_an_answer_survives_the_input_that_nobody_read(pair: Pair) -> None:
    """Closing over unread input would reset the connection, and the client would see that and no end."""
    client, exchange = pair
    client.sendall(post(b"{}") + b"z" * 100_000)
    exchange.read(soon())
    exchange.answer(json_response(200, {"ok": True}), soon())
    exchange.close()
    assert all_of(client).endswith(b'{"ok":true}')


def test_a_client_without_a_place_hears_why(pair: Pair) -> None:
    client, exchange = pair
    exchange.turn_away(json_response(503, {"error": "busy"}))
    assert all_of(client).startswith(b"HTTP/1.1 503")


def test_turning_away_is_harmless_when_the_answer_has_begun(pair: Pair) -> None:
    client, exchange = pair
    read(pair, post(b"{}"))
    exchange.start(200, {}, soon())
    exchange.turn_away(json_response(500, {}))
    assert all_of(client).count(b"HTTP/1.1") == 1


def test_no_descriptor_is_left(fds: Callable[[], int]) -> None:
    before = fds()
    for _ in range(50):
        client, server = socket.socketpair()
        exchange = HttpExchange(server)
        client.close()
        exchange.close()
        exchange.close()
    assert fds() == before


@pytest.fixture
def fds() -> Callable[[], int]:
    return lambda: len(list(Path("/proc/self/fd").iterdir()))


def test_a_body_of_two_lengths_is_refused(pair: Pair) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
    code, sentence = no(pair, head + b"3\r\nabc\r\n0\r\n\r\n")
    assert (code, sentence) == (ErrorCode.BAD_REQUEST, "the body has two lengths; send one of them")


@pytest.mark.parametrize(
    "lines",
    [
        b"Content-Length: 3\r\nContent-Length: 4\r\n",
        b"Content-Length: 3, 4\r\n",
        b"Content-Length: +3\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length : 3\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Host: other\r\n",
    ],
)
def test_a_body_whose_end_is_not_plain_is_no_request(pair: Pair, lines: bytes) -> None:
    code, _ = no(pair, b"POST / HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\nabcd", seconds=0.2)
    assert code in {ErrorCode.BAD_REQUEST, ErrorCode.TOO_SLOW}


@pytest.mark.parametrize("chunks", [b"3\r\nabcX\r\n0\r\n\r\n", b"zz\r\nabc\r\n", b"-3\r\nabc\r\n"])
def test_junk_between_chunks_is_no_request(pair: Pair, chunks: bytes) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert no(pair, head + chunks)[0] is ErrorCode.BAD_REQUEST


def test_a_client_that_has_left_is_noticed_and_one_that_waits_is_not(pair: Pair) -> None:
    client, exchange = pair
    read(pair, post(b"{}"))
    assert not exchange.left()
    client.sendall(b"GET / HTTP/1.1\r\n")  # a pipelined request is no leaving
    assert not exchange.left()
    assert exchange._receive(soon()) == b"GET / HTTP/1.1\r\n"
    client.shutdown(socket.SHUT_WR)
    assert exchange.left()
    client.close()
    exchange.close()
    assert exchange.left()
