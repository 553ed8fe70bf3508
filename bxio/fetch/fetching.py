"""A fetch from its first request to its last answer: each redirect passes every door again (spec 2.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from bxcore.errors import SentenceError
from bxcore.fetch_hop import MAX_REDIRECTS, REDIRECTS, Hop, next_hop
from bxcore.fetch_target import Target
from bxcore.fetched import Fetched
from bxio.cut import Cut
from bxio.fetch.dialer import Dialer
from bxio.fetch.errors import FetchError, NotSentError
from bxio.fetch.exchange import exchange

Redirected: TypeAlias = Callable[[Target, str], str | None]
"""Why a redirect to a target, by a method, is not followed; None when it is."""


def fetch(  # noqa: PLR0913 - what a fetch needs, in one place
    hop: Hop, dialer: Dialer, refuse_redirect: Redirected, *, max_bytes: int, deadline_s: float, cut: Cut
) -> Fetched:
    """Send a request that was allowed, and follow where it leads. Raises ``FetchError``.

    ``deadline_s`` is one deadline over all requests, absolute on the monotonic clock; ``cut`` ends it from
    any thread within a second.
    """
    for number in range(MAX_REDIRECTS + 1):
        try:
            fetched = exchange(dialer, hop, max_bytes, deadline_s, cut)
        except NotSentError as error:
            if number:  # a stranger's answer has named this host
                raise FetchError(error.sentence) from None
            raise
        following = _following(hop, fetched, refuse_redirect)
        if following is None:
            return fetched
        hop = following
    raise FetchError(f"the answer redirects more than {MAX_REDIRECTS} times; {hop.target.host} was the last")


def _following(hop: Hop, fetched: Fetched, refuse_redirect: Redirected) -> Hop | None:
    if fetched.status not in REDIRECTS:
        return None
    locations = [value for name, value in fetched.headers if name == "location"]
    if len(locations) > 1:
        raise FetchError(f"{hop.target.host} redirects to more than one place")
    try:
        following = next_hop(hop, fetched.status, locations[0] if locations else None)
    except SentenceError as error:
        raise FetchError(f"{hop.target.host} redirects, which is not followed: {error.sentence}") from None
    if following is not None and (why := refuse_redirect(following.target, following.method)) is not None:
        raise FetchError(f"{why} ({following.target.origin})")
    return following
