from __future__ import annotations

import threading
import time

import httpx
import pytest

from bxio.deadline_http import Cut, TooLong, cutting_client, read_capped
from tests.doubles import bad_manners, certificate
from tests.doubles.certificate import Certificate
from tests.doubles.loopback import Connection, Handler, LoopbackServer

SHORT_S = 0.15
LONG_S = 20.0

HANGING = [bad_manners.silent, bad_manners.drips_headers, bad_manners.drips_a_body, bad_manners.half_open]


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate.make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def pair(request: pytest.FixtureRequest, tls: Certificate) -> Certificate | None:
    return tls if request.param else None


def exchange(server: LoopbackServer, deadline_s: float, cut: Cut, pair: Certificate | None = None) -> bytes:
    roots = pair.client if pair else None
    with (
        cutting_client(server.url, deadline_s, cut, ssl_context=roots) as client,
        client.stream("POST", "/x", json={"a": 1}) as response,
    ):
        return read_capped(response, 1000)


def serve(handler: Handler, pair: Certificate | None = None) -> LoopbackServer:
    return LoopbackServer(handler, tls=pair.server if pair else None)


def test_an_answer_comes_back(pair: Certificate | None) -> None:
    with serve(bad_manners.answers(200, b"hello"), pair) as server:
        assert exchange(server, time.monotonic() + LONG_S, Cut(), pair) == b"hello"


@pytest.mark.parametrize("handler", HANGING)
def test_a_hanging_server_ends_at_the_deadline_with_nobody_to_cut(
    handler: Handler, pair: Certificate | None
) -> None:
    with serve(handler, pair) as server:
        deadline_s = time.monotonic() + SHORT_S
        with pytest.raises(httpx.TimeoutException):
            exchange(server, deadline_s, Cut(), pair)
        assert 0 <= time.monotonic() - deadline_s < 1.0


def cut_when(event: threading.Event, cut: Cut) -> None:
    event.wait(LONG_S)
    cut.cut()


@pytest.mark.parametrize("handler", HANGING)
def test_a_cut_from_another_thread_ends_a_hanging_exchange(
    handler: Handler, pair: Certificate | None
) -> None:
    cut = Cut()
    reading = threading.Event()

    def tells_then_hangs(connection: Connection) -> None:
        reading.set()
        handler(connection)

    with serve(tells_then_hangs, pair) as server:
        cutter = threading.Thread(target=cut_when, args=(reading, cut))
        cutter.start()
        began_s = time.monotonic()
        with pytest.raises(httpx.TransportError) as caught:
            exchange(server, began_s + LONG_S, cut, pair)
        cutter.join(timeout=LONG_S)
        assert not isinstance(caught.value, httpx.TimeoutException)
        assert cut.was_cut
        assert time.monotonic() - began_s < LONG_S / 2


def test_a_client_that_was_cut_before_it_began_never_hangs() -> None:
    cut = Cut()
    cut.cut()
    with serve(bad_manners.silent) as server:
        began_s = time.monotonic()
        with pytest.raises(httpx.TransportError):
            exchange(server, began_s + LONG_S, cut)
        assert time.monotonic() - began_s < LONG_S / 2


def test_a_deadline_that_has_passed_sends_nothing() -> None:
    with serve(bad_manners.answers(200, b"hello")) as server:
        with pytest.raises(httpx.TimeoutException):
            exchange(server, time.monotonic() - 1, Cut())
        assert server.requests == []


def test_a_body_over_the_cap_is_not_read_to_its_end() -> None:
    with serve(bad_manners.answers(200, b"x" * 1001)) as server, pytest.raises(TooLong):
        exchange(server, time.monotonic() + LONG_S, Cut())


def test_a_redirect_is_not_followed() -> None:
    def redirects(connection: Connection) -> None:
        connection.read_request()
        connection.send(b"HTTP/1.1 307 Over There\r\nlocation: /y\r\ncontent-length: 9\r\n\r\nelsewhere")

    with serve(redirects) as server:
        assert exchange(server, time.monotonic() + LONG_S, Cut()) == b"elsewhere"
        assert len(server.requests) == 1


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with serve(bad_manners.answers(200, b"direct")) as server:
        assert exchange(server, time.monotonic() + LONG_S, Cut()) == b"direct"


def test_every_request_has_a_fresh_connection() -> None:
    with (
        serve(bad_manners.answers(200, b"hello")) as server,
        cutting_client(server.url, time.monotonic() + LONG_S, Cut()) as client,
    ):
        assert [client.get("/").text for _ in range(3)] == ["hello"] * 3
        assert server.accepted == 3


def test_a_server_of_another_certificate_is_not_spoken_to(tls: Certificate) -> None:
    with serve(bad_manners.answers(200, b"hello"), tls) as server:
        with pytest.raises(httpx.ConnectError):
            exchange(server, time.monotonic() + LONG_S, Cut())
        assert server.requests == []


def test_a_plain_url_reads_no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("certificates were read")

    monkeypatch.setattr(httpx, "create_ssl_context", never)
    with serve(bad_manners.answers(200, b"hello")) as server:
        assert exchange(server, time.monotonic() + LONG_S, Cut()) == b"hello"


@pytest.mark.parametrize("url", ["http://xn--a/", "https://xn--/", "http://[::1/", "http://\0/"])
def test_a_host_that_cannot_be_is_an_invalid_url_before_anything_is_sent(url: str) -> None:
    with pytest.raises(httpx.InvalidURL):
        cutting_client(url, time.monotonic() + LONG_S, Cut())
