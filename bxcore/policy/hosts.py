"""Hosts as destinations: which grants reach the place that a fetch goes to (spec 2.2, 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxcore.fetch_target import Target
from bxcore.grants.grant import Grant, Mode
from bxcore.grants.grant_set import host_key
from bxcore.grants.host_rule import host_rule
from bxcore.policy.named import stands_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A target, what is done there, and the URL as the model wrote it."""

    target: Target
    method: str
    written: str
    unclear: None = None

    @property
    def about(self) -> str:
        """The method and the origin; the rest of a URL may hold anything."""
        return f"{self.method} {self.target.origin}"

    @property
    def keys(self) -> Iterable[str]:
        """The host, and all that is below each name above it."""
        host = self.target.host
        above = (host[dot + 1 :] for dot, letter in enumerate(host) if letter == ".")
        return (host_key(host, below=False), *(host_key(name, below=True) for name in above))

    def covers(self, grant: Grant) -> bool:
        """Whether the grant holds the host at this port, and the method."""
        return self._allows_method(grant) and self._holds_host(grant)

    touches = covers

    def missing(self, grants: Sequence[Grant]) -> str:
        """The host, its port or the method."""
        if any(map(self._holds_host, grants)):
            what = f"the method {self.method} there"
        else:
            what = "this host" if self.target.has_default_port else "this host at this port"
        return f"no grant for http_fetch covers {what}; do not try another way, tell the owner what is needed"

    def named(self, said: str) -> bool:
        """The URL as it was written, or the host alone, with its port where that is not the default one."""
        return stands_in(said, self.written) or stands_in(said.lower(), self.target.authority)

    def _allows_method(self, grant: Grant) -> bool:
        return not grant.methods or self.method in grant.methods

    def _holds_host(self, grant: Grant) -> bool:
        if not grant.hosts:
            return grant.mode is Mode.DENY
        return any(host_rule(host).covers(self.target) for host in grant.hosts)


def refuse_redirect(target: Target, method: str, grant: Grant, stricter: Sequence[Grant]) -> str | None:
    """Why a fetch under ``grant`` is not sent on to ``target``, or None (spec 2.5).

    ``stricter`` is the verdict's: grants under which a call to there would have been refused or asked about.
    """
    place = Place(target=target, method=method, written=target.url)
    if not place.covers(grant):
        return "the answer leads to a place that the grant does not cover"
    if any(map(place.touches, stricter)):
        return "the answer leads to a place that needs a call of its own; fetch it by its own address"
    return None
