"""One request of a fetch, and the next one when its answer is a redirect (RFC 9110, section 15.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bxcore.errors import SentenceError
from bxcore.fetch_target import Target, follow

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})

GOES_ALONG = frozenset({"accept", "accept-language", "content-type", "content-language", "range"})
"""What another host may see of the headers; whatever else the model wrote may hold a key."""
OF_THE_BODY = frozenset({"content-type", "content-language", "content-encoding", "content-location"})
SET_BY_US = frozenset({"user-agent", "accept-encoding", "connection", "host", "content-length", "expect"})
"""Headers of the request that are the same in each; what the model writes in their place is left out."""

_MOVED = frozenset({301, 302})
_SEE_OTHER = 303


class RedirectRefused(SentenceError):  # noqa: N818 - an expected "no", named for what it is
    """A redirect that is followed for nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One request; ``headers`` are the caller's, by lower-case names and without those that we set."""

    target: Target
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def first_hop(target: Target, method: str, headers: Mapping[str, str], body: str) -> Hop:
    """Make the request that was asked for."""
    named = {name.lower(): value.strip() for name, value in headers.items()}
    kept = {name: value for name, value in named.items() if name not in SET_BY_US}
    return Hop(target=target, method=method, headers=kept, body=body.encode())


def next_hop(hop: Hop, status: int, location: str | None) -> Hop | None:
    """Make the request that a redirect asks for; None for an answer that is none.

    Raises ``TargetError`` for a location that is no target, and ``RedirectRefused`` for a way out of TLS.
    """
    if status not in REDIRECTS or location is None:
        return None
    target = follow(hop.target, location)
    if hop.target.scheme == "https" and target.scheme != "https":
        raise RedirectRefused(f"the answer leads from https to {target.origin}, which is not secure")
    following = replace(hop, target=target)
    if status == _SEE_OTHER or (status in _MOVED and hop.method == "POST"):
        following = _without_body(following)
    if target.origin != hop.target.origin:
        following = _keep(following, GOES_ALONG)
    return following


def _without_body(hop: Hop) -> Hop:
    kept = {name: value for name, value in hop.headers.items() if name not in OF_THE_BODY}
    return replace(hop, method="HEAD" if hop.method == "HEAD" else "GET", headers=kept, body=b"")


def _keep(hop: Hop, names: frozenset[str]) -> Hop:
    return replace(hop, headers={name: value for name, value in hop.headers.items() if name in names})
