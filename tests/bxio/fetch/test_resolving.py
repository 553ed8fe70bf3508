from __future__ import annotations

import time
from ipaddress import ip_address

from bxio.cut import Cut
from bxio.fetch.resolving import look_up


def found(host: str) -> tuple[object, ...]:
    return look_up(host, time.monotonic() + 20, Cut())


def test_the_systems_resolver_is_asked() -> None:
    assert set(found("localhost")) <= {ip_address("127.0.0.1"), ip_address("::1")}
    assert found("localhost")


def test_a_name_of_nobody_has_no_address() -> None:
    assert found("nobody.invalid") == ()


def test_what_is_no_name_has_no_address() -> None:
    assert found("a" * 300) == ()
