"""A loopback server that a fetch takes for a host of the Internet, by a test's resolver and rule."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address
from typing import Any

from bxcore.fetch_hop import first_hop
from bxcore.fetch_target import Address, Target, parse
from bxcore.fetched import Fetched
from bxcore.public_address import why_not_public
from bxio.cut import Cut
from bxio.fetch.dialer import Dialer
from bxio.fetch.fetching import fetch
from tests.doubles.certificate import Certificate
from tests.doubles.loopback import Connection, Handler

HERE = IPv4Address("127.0.0.1")
LONG_S = 20.0


@dataclass
class Names:
    """A resolver that a test writes: each name's addresses, one entry a look-up, the last one staying."""

    known: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def resolve(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append(host)
        answers = self.known.get(host, [("127.0.0.1",)])
        return [ip_address(text) for text in (answers.pop(0) if len(answers) > 1 else answers[0])]


def all_but_here(address: Address) -> str | None:
    """The rule of the product, for every address but the one that a test's servers have."""
    return None if address == HERE else why_not_public(address)


def dialer(names: Names | None = None, certificate: Certificate | None = None) -> Dialer:
    return Dialer(
        resolve=(names or Names()).resolve,
        refuse=all_but_here,
        roots=certificate.client if certificate else None,
    )


def never(target: Target, method: str) -> str | None:
    """No redirect is refused."""


def get(url: str, over: Dialer, **changed: Any) -> Fetched:
    """Fetch as the actor does."""
    return fetch(
        first_hop(
            parse(url), changed.get("method", "GET"), changed.get("headers", {}), changed.get("body", "")
        ),
        over,
        changed.get("refuse_redirect", never),
        max_bytes=changed.get("max_bytes", 100_000),
        deadline_s=time.monotonic() + changed.get("within_s", LONG_S),
        cut=changed.get("cut") or Cut(),
    )


def says(*lines: str, body: bytes = b"", length: int | None = None) -> Handler:
    """Answer every request with a status line, headers and a body, and hang up."""
    head = [*lines, f"content-length: {len(body) if length is None else length}", "", ""]

    def handle(connection: Connection) -> None:
        connection.read_request()
        connection.send("\r\n".join(["HTTP/1.1 " + head[0], *head[1:]]).encode("utf-8") + body)

    return handle


def leads_to(location: str, status: int = 302) -> Handler:
    """Redirect every request."""
    return says(f"{status} Over There", f"location: {location}", body=b"elsewhere")
