"""What the connections themselves do: the handshake, the connect, the unix socket."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bxio.deadline_http import Cut, cutting_client
from tests.doubles import bad_manners, certificate
from tests.doubles.certificate import Certificate
from tests.doubles.loopback import Connection, Handler, LoopbackServer

SHORT_S = 0.15
LONG_S = 20.0


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate.make(tmp_path_factory.mktemp("certificate"))


@pytest.mark.parametrize("handler", [bad_manners.never_shakes_hands, bad_manners.drips_a_handshake])
def test_a_handshake_without_end_ends_at_the_deadline(handler: Handler, tls: Certificate) -> None:
    with LoopbackServer(handler) as server:
        url = server.url.replace("http:", "https:")
        deadline_s = time.monotonic() + SHORT_S
        with (
            cutting_client(url, deadline_s, Cut(), ssl_context=tls.client) as client,
            pytest.raises(httpx.TimeoutException),
        ):
            client.get("/")
        assert 0 <= time.monotonic() - deadline_s < 1.0


def test_a_cut_ends_a_handshake(tls: Certificate) -> None:
    cut = Cut()

    def cuts(connection: Connection) -> None:
        connection.receive()
        cut.cut()
        connection.wait(LONG_S)

    with LoopbackServer(cuts) as server:
        url = server.url.replace("http:", "https:")
        with (
            cutting_client(url, time.monotonic() + LONG_S, cut, ssl_context=tls.client) as client,
            pytest.raises(httpx.ConnectError),
        ):
            client.get("/")


@pytest.fixture
def full_backlog() -> Iterator[int]:
    """A port that takes no connection and refuses none: its queue is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for sock in waiting:
            sock.settimeout(0)
            sock.connect_ex(("127.0.0.1", port))
        yield port
        for sock in waiting:
            sock.close()


def test_a_connect_without_end_ends_at_the_deadline(full_backlog: int) -> None:
    deadline_s = time.monotonic() + SHORT_S
    with (
        cutting_client(f"http://127.0.0.1:{full_backlog}", deadline_s, Cut()) as client,
        pytest.raises(httpx.ConnectTimeout),
    ):
        client.get("/")
    assert 0 <= time.monotonic() - deadline_s < 1.0


def test_a_connect_is_not_begun_after_a_cut(full_backlog: int) -> None:
    cut = Cut()
    cut.cut()
    with (
        cutting_client(f"http://127.0.0.1:{full_backlog}", time.monotonic() + LONG_S, cut) as client,
        pytest.raises(httpx.ConnectError),
    ):
        client.get("/")


def test_a_cut_ends_a_connect(full_backlog: int) -> None:
    cut = Cut()
    timer = threading.Timer(0.05, cut.cut)
    timer.start()
    with (
        cutting_client(f"http://127.0.0.1:{full_backlog}", time.monotonic() + LONG_S, cut) as client,
        pytest.raises(httpx.ConnectError),
    ):
        client.get("/")
    timer.join(timeout=LONG_S)


def test_a_unix_socket_takes_the_place_of_the_host(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def answer() -> None:
            sock, _ = listener.accept()
            with sock:
                sock.recv(65536)
                sock.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")

        server = threading.Thread(target=answer)
        server.start()
        with cutting_client("http://model", time.monotonic() + LONG_S, Cut(), socket_path=path) as client:
            assert client.get("/").text == "hi"
        server.join(timeout=LONG_S)


def test_a_name_with_several_addresses_is_tried_at_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()
    with LoopbackServer(bad_manners.answers(200, b"second")) as server:
        tcp = (socket.AF_INET, socket.SOCK_STREAM, 0, "")
        found = [(*tcp, nobody), (*tcp, ("127.0.0.1", server.port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        with cutting_client("http://box.example", time.monotonic() + LONG_S, Cut()) as client:
            assert client.get("/").text == "second"


@pytest.mark.parametrize("problem", [OSError("no such name"), UnicodeError("no name")])
def test_a_name_without_an_address_is_a_failed_connect(
    monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with (
        cutting_client("http://box.example", time.monotonic() + LONG_S, Cut()) as client,
        pytest.raises(httpx.ConnectError),
    ):
        client.get("/")


def problem_of(url: str, **options: Any) -> str:
    with (
        cutting_client(url, time.monotonic() + LONG_S, Cut(), **options) as client,
        pytest.raises(httpx.ConnectError) as caught,
    ):
        client.get("/")
    return str(caught.value)


def no_tls(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_a_failed_connect_says_why_in_plain_words(tls: Certificate, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert problem_of(f"http://127.0.0.1:{port}") == "connection refused"
    assert problem_of("http://model", socket_path=str(tmp_path / "none")) == "no such file or directory"
    with LoopbackServer(bad_manners.answers(200, b""), tls=tls.server) as server:
        assert problem_of(server.url, ssl_context=ssl.create_default_context()) == "self-signed certificate"
    with LoopbackServer(no_tls) as plain:
        url = plain.url.replace("http:", "https:")
        assert problem_of(url, ssl_context=tls.client) in {"wrong version number", "record layer failure"}


def test_a_connect_has_a_bound_of_its_own_and_the_rest_has_the_deadline(full_backlog: int) -> None:
    began_s = time.monotonic()
    with (
        cutting_client(f"http://127.0.0.1:{full_backlog}", began_s + 20, Cut(), connect_s=SHORT_S) as client,
        pytest.raises(httpx.ConnectTimeout),
    ):
        client.get("/")
    assert time.monotonic() - began_s < SHORT_S + 1.0
    with LoopbackServer(waits_and_answers) as server:
        client = cutting_client(server.url, time.monotonic() + 20, Cut(), connect_s=SHORT_S)
        with client:
            assert client.get("/").status_code == 200


def waits_and_answers(connection: Connection) -> None:
    """Answers well after a connect would have had to be over."""
    connection.read_request()
    connection.wait(2 * SHORT_S)
    connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
