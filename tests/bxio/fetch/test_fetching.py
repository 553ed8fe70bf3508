from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from bxcore.fetch_target import Target
from bxio.cut import Cut
from bxio.fetch.dialer import Dialer
from bxio.fetch.errors import FetchError
from tests.doubles import bad_manners, certificate
from tests.doubles.bad_manners import in_turn
from tests.doubles.certificate import Certificate
from tests.doubles.far_place import LONG_S, Names, dialer, get, leads_to, says
from tests.doubles.loopback import Connection, Handler, LoopbackServer

SHORT_S = 0.2
PAGE = says("200 Fine", "content-type: text/plain", body=b"hello")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate.make(tmp_path_factory.mktemp("certificate"))


def refused(url: str, over: Dialer, **changed: Any) -> str:
    with pytest.raises(FetchError) as caught:
        get(url, over, **changed)
    return caught.value.sentence


def test_a_page_comes_back_from_the_host_it_was_asked_of() -> None:
    with LoopbackServer(PAGE) as server:
        port = server.port
        fetched = get(f"http://far.example:{port}/a?b=c", dialer())
    assert (fetched.status, fetched.body, fetched.cut) == (200, b"hello", False)
    head = server.requests[0].decode().lower()
    assert head.startswith("get /a?b=c http/1.1\r\n")
    assert f"\r\nhost: far.example:{port}\r\n" in head
    assert "\r\nuser-agent: boxmaker/" in head
    assert "\r\naccept-encoding: identity\r\n" in head
    assert "cookie" not in head


def test_a_name_is_looked_up_once_and_a_second_answer_is_not_heard() -> None:
    names = Names({"far.example": [("127.0.0.1",), ("10.0.0.1",)]})
    with LoopbackServer(PAGE) as server:
        assert get(f"http://far.example:{server.port}/", dialer(names)).body == b"hello"
    assert names.asked == ["far.example"]


def test_a_redirect_to_the_same_name_is_looked_up_and_judged_again() -> None:
    names = Names({"far.example": [("127.0.0.1",), ("10.0.0.1",)]})
    with LoopbackServer(leads_to("/again")) as server:
        assert "far.example is not at a public address" in refused(
            f"http://far.example:{server.port}/", dialer(names)
        )
        assert server.accepted == 1


def test_a_post_carries_its_body_and_headers() -> None:
    with LoopbackServer(PAGE) as server:
        get(
            f"http://far.example:{server.port}/",
            dialer(),
            method="POST",
            body="wörds",
            headers={"X-Own": "y"},
        )
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST / ")
    assert b"x-own: y" in head
    assert body == "wörds".encode()


def test_a_head_brings_no_body_and_the_length() -> None:
    with LoopbackServer(says("200 Fine", "etag: x", length=77)) as server:
        fetched = get(f"http://far.example:{server.port}/", dialer(), method="HEAD")
    assert (fetched.body, fetched.length) == (b"", 77)


def test_a_long_body_is_cut_where_it_was_asked_to_be() -> None:
    with LoopbackServer(says("200 Fine", body=b"x" * 50_000)) as server:
        fetched = get(f"http://far.example:{server.port}/", dialer(), max_bytes=1000)
    assert (len(fetched.body), fetched.cut, fetched.length) == (1000, True, 50_000)
    with LoopbackServer(says("200 Fine", body=b"x" * 1000)) as server:
        fetched = get(f"http://far.example:{server.port}/", dialer(), max_bytes=1000)
    assert (len(fetched.body), fetched.cut) == (1000, False)


def test_a_server_without_end_is_read_no_further_than_wanted() -> None:
    def endless(connection: Connection) -> None:
        connection.read_request()
        connection.send(b"HTTP/1.1 200 Fine\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            connection.send(b"400\r\n" + b"x" * 1024 + b"\r\n")

    with LoopbackServer(endless) as server:
        fetched = get(f"http://far.example:{server.port}/", dialer(), max_bytes=10_000)
    assert (len(fetched.body), fetched.cut, fetched.length) == (10_000, True, None)


def test_a_redirect_is_followed_and_the_answer_tells_where_it_came_from() -> None:
    with LoopbackServer(in_turn([leads_to("/other", 301), PAGE])) as server:
        port = server.port
        fetched = get(f"http://far.example:{port}/a", dialer())
    assert fetched.target.url == f"http://far.example:{port}/other"
    assert fetched.body == b"hello"


def test_a_redirect_to_where_no_grant_leads_is_refused_and_not_dialled() -> None:
    seen: list[tuple[str, str]] = []

    def refuse(target: Target, method: str) -> str | None:
        seen.append((target.origin, method))
        return "the answer leads to a place that the grant does not cover"

    names = Names()
    with LoopbackServer(leads_to("https://other.example/x?key=1")) as server:
        sentence = refused(
            f"http://far.example:{server.port}/", dialer(names), refuse_redirect=refuse, method="POST"
        )
    assert sentence == "the answer leads to a place that the grant does not cover (https://other.example)"
    assert seen == [("https://other.example", "GET")]
    assert names.asked == ["far.example"]


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://inside.example/",
    ],
)
def test_a_redirect_to_what_is_not_public_is_refused(location: str) -> None:
    names = Names({"inside.example": [("192.168.0.7",)]})
    with LoopbackServer(leads_to(location)) as server:
        sentence = refused(f"http://far.example:{server.port}/", dialer(names))
    assert sentence.endswith("is not at a public address, so it is not fetched")
    assert "192.168" not in sentence


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://user@other.example/", "http://127.1/"])
def test_a_redirect_to_what_is_no_target_is_refused(location: str) -> None:
    with LoopbackServer(leads_to(location)) as server:
        sentence = refused(f"http://far.example:{server.port}/", dialer())
    assert sentence.startswith("far.example redirects, which is not followed: the url")


def test_a_redirect_out_of_tls_is_refused(tls: Certificate) -> None:
    with LoopbackServer(leads_to("http://127.0.0.1:9/"), tls=tls.server) as server:
        assert "not secure" in refused(f"{server.url}/", dialer(certificate=tls))


def test_a_redirect_to_two_places_is_refused() -> None:
    with LoopbackServer(says("302 Over There", "location: /a", "location: /b")) as server:
        assert "more than one place" in refused(f"http://far.example:{server.port}/", dialer())


def test_no_more_than_five_redirects_are_followed() -> None:
    with LoopbackServer(leads_to("/again")) as server:
        assert "more than 5 times" in refused(f"http://far.example:{server.port}/", dialer())
        assert server.accepted == 6


def test_a_key_goes_to_no_other_host() -> None:
    with LoopbackServer(PAGE) as other:
        away = leads_to(f"http://other.example:{other.port}/", 307)
        with LoopbackServer(away) as server:
            get(
                f"http://far.example:{server.port}/",
                dialer(),
                headers={"Authorization": "Bearer k", "Cookie": "a=b", "X-Api-Key": "k"},
            )
            assert b"Bearer k" in server.requests[0]
        head = other.requests[0].lower()
    for header in (b"authorization", b"cookie", b"x-api-key"):
        assert header not in head


def test_a_certificate_is_checked_against_the_name_and_nothing_is_sent(tls: Certificate) -> None:
    with LoopbackServer(PAGE, tls=tls.server) as server:
        assert get(f"{server.url}/", dialer(certificate=tls)).body == b"hello"
        sentence = refused(f"https://far.example:{server.port}/", dialer(certificate=tls))
        assert sentence.startswith("the certificate of far.example does not hold (hostname mismatch")
        assert len(server.requests) == 1


def test_a_certificate_of_nobody_known_is_refused(tls: Certificate) -> None:
    with LoopbackServer(PAGE, tls=tls.server) as server:
        assert "does not hold" in refused(f"{server.url}/", dialer())


def test_tls_to_a_server_without_it_is_refused(tls: Certificate) -> None:
    def greets(connection: Connection) -> None:
        connection.send(b"220 mail.example ESMTP ready\r\n")
        connection.wait(LONG_S)

    with LoopbackServer(greets) as server:
        sentence = refused(f"https://far.example:{server.port}/", dialer(certificate=tls))
    assert sentence.startswith("no secure connection to far.example came about")


HANGING = [bad_manners.silent, bad_manners.drips_headers, bad_manners.drips_a_body, bad_manners.half_open]


@pytest.mark.parametrize("handler", HANGING)
def test_a_slow_server_ends_at_the_deadline(handler: Handler) -> None:
    with LoopbackServer(handler) as server:
        began_s = time.monotonic()
        sentence = refused(f"http://far.example:{server.port}/", dialer(), within_s=SHORT_S)
        assert time.monotonic() - began_s < LONG_S / 2
    assert sentence == "the answer of far.example took too long; try again later"


def test_the_deadline_is_one_for_all_redirects() -> None:
    def slow(connection: Connection) -> None:
        connection.read_request()
        connection.wait(SHORT_S / 2)
        connection.send(b"HTTP/1.1 302 There\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n")

    with LoopbackServer(slow) as server:
        assert "too long" in refused(f"http://far.example:{server.port}/", dialer(), within_s=SHORT_S)


@pytest.mark.parametrize("handler", HANGING)
def test_a_cut_from_another_thread_ends_it(handler: Handler) -> None:
    cut, reading = Cut(), threading.Event()

    def tells_then_hangs(connection: Connection) -> None:
        reading.set()
        handler(connection)

    def cut_when_reading() -> None:
        reading.wait(LONG_S)
        cut.cut()

    with LoopbackServer(tells_then_hangs) as server:
        cutter = threading.Thread(target=cut_when_reading)
        cutter.start()
        began_s = time.monotonic()
        assert refused(f"http://far.example:{server.port}/", dialer(), cut=cut) == "the fetch was stopped"
        assert time.monotonic() - began_s < LONG_S / 2
        cutter.join(timeout=LONG_S)


def many_headers(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 Fine\r\n" + b"".join(b"x-%d: y\r\n" % number for number in range(30_000)))


def one_long_header(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 Fine\r\nx: " + b"y" * 1_000_000)


@pytest.mark.parametrize(
    ("handler", "says_what"),
    [
        (many_headers, "headers that are too long"),
        (one_long_header, "headers that are too long"),
        (bad_manners.speaks_no_http, "what is no HTTP"),
        (bad_manners.hangs_up, "broke the connection off"),
        (bad_manners.hangs_up_in_the_body, "broke the connection off"),
        (bad_manners.resets, "broke the connection off"),
        (bad_manners.resets_in_the_body, "broke the connection off"),
    ],
)
def test_a_broken_answer_is_told_in_words(handler: Handler, says_what: str) -> None:
    with LoopbackServer(handler) as server:
        sentence = refused(f"http://far.example:{server.port}/", dialer())
    assert sentence.startswith("far.example ")
    assert says_what in sentence


def test_nobody_at_the_port_is_told_in_words() -> None:
    with LoopbackServer(PAGE) as server:
        port = server.port
    assert refused(f"http://far.example:{port}/", dialer()) == (
        "far.example takes no connection: connection refused"
    )


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with LoopbackServer(PAGE) as server:
        assert get(f"http://far.example:{server.port}/", dialer()).body == b"hello"


def test_a_cut_before_the_start_asks_nothing() -> None:
    cut = Cut()
    cut.cut()
    with LoopbackServer(PAGE) as server:
        assert refused(f"http://far.example:{server.port}/", dialer(), cut=cut) == "the fetch was stopped"
        assert server.requests == []
