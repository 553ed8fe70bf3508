"""The door that every connection of a fetch passes: look its name up, refuse, connect to what was found."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpcore

from bxcore.fetch_target import Address, Target
from bxcore.public_address import why_not_public
from bxio.cut import Cut
from bxio.deadline_http import trusted_roots
from bxio.deadline_socket import DeadlineBackend
from bxio.fetch import resolving
from bxio.fetch.child import ChildFailed
from bxio.fetch.errors import FetchError, NotSentError, late, stopped

Resolve: TypeAlias = Callable[[str, int], Sequence[Address]]
"""A host's name and a port to its addresses; of none, an empty sequence."""
Refuse: TypeAlias = Callable[[Address], str | None]
"""What an address is that is not connected to, in words for a log; None for one that is."""

MAX_TRIED = 4
"""Addresses of one name that a connection is tried to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialer:
    """How fetches find and trust a host. The parts are for tests: a box has ``Dialer()``.

    ``resolve`` None is the system's resolver, in a process of its own; ``roots`` None the usual certificates.
    """

    resolve: Resolve | None = None
    refuse: Refuse = why_not_public
    roots: ssl.SSLContext | None = None

    def addresses(self, target: Target, deadline_s: float, cut: Cut) -> tuple[Address, ...]:
        """The addresses to connect to; raises ``FetchError`` unless there are some and every one may be.

        One that may not spoils the rest: a name that leads to both is an attempt to be let in.
        """
        found = self._found(target, deadline_s, cut)
        if not found:
            raise NotSentError(f"{target.host} has no address; check the name")
        if any(self.refuse(address) is not None for address in found):
            raise NotSentError(f"{target.host} is not at a public address, so it is not fetched")
        return tuple(found[:MAX_TRIED])

    def pool(self, target: Target, deadline_s: float, cut: Cut) -> httpcore.ConnectionPool:
        """Connections to the target's host alone, at the addresses found now; raises ``FetchError``."""
        addresses = self.addresses(target, deadline_s, cut)
        return httpcore.ConnectionPool(
            ssl_context=(self.roots or trusted_roots()) if target.scheme == "https" else None,
            max_keepalive_connections=0,
            network_backend=_Pinned(target, addresses, deadline_s=deadline_s, cut=cut),
        )

    def _found(self, target: Target, deadline_s: float, cut: Cut) -> Sequence[Address]:
        if target.address is not None:
            return (target.address,)
        if self.resolve is not None:
            return self.resolve(target.host, target.port)
        try:
            return resolving.look_up(target.host, deadline_s, cut)
        except TimeoutError:
            raise late(f"looking up {target.host}") from None
        except ChildFailed:
            if cut.was_cut:
                raise stopped() from None
            raise FetchError(f"{target.host} could not be looked up; try again later") from None


class _Pinned(httpcore.NetworkBackend):
    """Connects to addresses that have passed the door, whatever the name says by then."""

    def __init__(self, target: Target, addresses: Sequence[Address], *, deadline_s: float, cut: Cut) -> None:
        self._target = target
        self._addresses = addresses
        self._deadline_s = deadline_s
        self._cut = cut

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that answers, each having its share of the time that is left."""
        del timeout, local_address, socket_options
        assert (host, port) == (self._target.host, self._target.port)
        problem: Exception = httpcore.ConnectError("no address")
        for number, address in enumerate(self._addresses):
            try:
                return self._connect(address, share=len(self._addresses) - number)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
        raise problem

    def _connect(self, address: Address, share: int) -> httpcore.NetworkStream:
        now_s = time.monotonic()
        backend = DeadlineBackend(now_s + (self._deadline_s - now_s) / share, self._cut)
        stream = backend.connect_tcp(str(address), self._target.port)
        stream.extend(self._deadline_s)  # type: ignore[attr-defined]  # what the deadline's own stream offers
        return stream
