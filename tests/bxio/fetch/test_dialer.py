from __future__ import annotations

import contextlib
import socket
import time
from ipaddress import ip_address

import pytest

from bxcore.fetch_target import parse
from bxio.cut import Cut
from bxio.fetch.dialer import MAX_TRIED, Dialer
from bxio.fetch.errors import FetchError
from tests.doubles.far_place import Names, all_but_here, dialer, get, says
from tests.doubles.loopback import LoopbackServer

FAR_S = 1e9


def of(*addresses: str) -> Dialer:
    return Dialer(resolve=Names({"far.example": [addresses]}).resolve)


def found(over: Dialer, url: str = "https://far.example/") -> list[str]:
    return [str(address) for address in over.addresses(parse(url), FAR_S, Cut())]


def refused(over: Dialer, url: str = "https://far.example/") -> str:
    with pytest.raises(FetchError) as caught:
        over.addresses(parse(url), FAR_S, Cut())
    return caught.value.sentence


def test_public_addresses_are_taken_in_their_order() -> None:
    assert found(of("2606:4700::1111", "1.1.1.1")) == ["2606:4700::1111", "1.1.1.1"]


def test_no_more_than_a_few_addresses_are_tried() -> None:
    assert len(found(of(*(f"1.1.1.{number}" for number in range(20))))) == MAX_TRIED


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("10.0.0.1",),
        ("1.1.1.1", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1"),
        ("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "::1"),
        ("fd00::1",),
        ("::ffff:127.0.0.1",),
        ("64:ff9b::7f00:1",),
        ("2002:7f00:1::",),
        ("224.0.0.1",),
        ("0.0.0.0",),
        ("fe80::1%2",),
    ],
)
def test_one_address_that_is_not_public_spoils_the_name(addresses: tuple[str, ...]) -> None:
    sentence = refused(of(*addresses))
    assert sentence == "far.example is not at a public address, so it is not fetched"


def test_a_name_without_an_address_is_told() -> None:
    assert refused(of()) == "far.example has no address; check the name"


def test_an_address_in_the_url_is_judged_and_looked_up_by_nobody() -> None:
    names = Names()
    over = Dialer(resolve=names.resolve)
    assert found(over, "http://1.1.1.1/") == ["1.1.1.1"]
    for url in ("http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/"):
        assert "not at a public address" in refused(over, url)
    assert names.asked == []


def test_a_dialer_of_a_box_reaches_nothing_of_this_machine() -> None:
    with LoopbackServer(says("200 Fine")) as server:
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(FetchError, match="not at a public address"):
                get(f"http://{host}:{server.port}/", Dialer())
        assert server.accepted == 0


def test_an_address_that_takes_no_connection_leaves_the_next_its_turn() -> None:
    names = Names({"far.example": [("127.0.0.2", "127.0.0.1")]})
    over = Dialer(
        resolve=names.resolve, refuse=lambda address: None if address.is_loopback else all_but_here(address)
    )
    with LoopbackServer(says("200 Fine", body=b"hello")) as server:
        assert get(f"http://far.example:{server.port}/", over).body == b"hello"


def test_an_address_that_never_answers_leaves_the_next_its_time() -> None:
    names = Names({"far.example": [("127.0.0.2", "127.0.0.1")]})
    over = Dialer(resolve=names.resolve, refuse=lambda _: None)
    with LoopbackServer(says("200 Fine", body=b"hello")) as server, contextlib.ExitStack() as full:
        deaf = full.enter_context(socket.socket())
        deaf.bind(("127.0.0.2", server.port))
        deaf.listen(0)
        for _ in range(3):  # past its queue, a connection waits for ever
            waiting = full.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(deaf.getsockname())
        assert get(f"http://far.example:{server.port}/", over, within_s=1.0).body == b"hello"


def test_looking_up_ends_at_the_deadline_and_at_a_cut() -> None:
    target = parse("https://far.example/")
    with pytest.raises(FetchError, match=r"looking up far\.example took too long"):
        Dialer().addresses(target, time.monotonic(), Cut())
    cut = Cut()
    cut.cut()
    with pytest.raises(FetchError, match="the fetch was stopped"):
        Dialer().addresses(target, time.monotonic() + 20, cut)


def test_the_double_lets_in_its_own_address_alone() -> None:
    assert all_but_here(ip_address("127.0.0.1")) is None
    assert all_but_here(ip_address("127.0.0.2"))
    assert found(dialer()) == ["127.0.0.1"]
