"""Trying a workspace for doctor: real requests that make nothing and ask no model (spec 4.4, 6.3).

Three of them, since none tells all. The chat's route, asked about a session that nobody has, tells an unknown
workspace from an unknown route. The list of sessions tells an empty workspace from a used one: a search does
not, it finds nothing in an unknown workspace either. And a search, as recall sends it, tells whether the
server can still read its memory: the rest of the API does not notice when its embeddings are down.
"""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.honcho_health import Health
from bxio.cut import Cut
from bxio.honcho import errors
from bxio.honcho.client import HonchoClient

NO_TOKEN = "401, the server wants a token and none is configured"  # noqa: S105 - a sentence
_BY_KIND = (
    (errors.NoSuchWorkspace, Health.NO_SUCH_WORKSPACE),
    (errors.Redirected, Health.UNREACHABLE),
    ((errors.ServerFailed, errors.TooManyRequests, errors.TooLarge, errors.Refused), Health.FAILING),
    ((errors.NoSuchRoute, errors.NotFound, errors.Unexpected, errors.AnswerTooLong), Health.NO_HONCHO),
    ((errors.NotHttp, errors.NotJson, errors.WrongShape, errors.Unended), Health.NO_HONCHO),
)
"""The first that fits counts; what is no kind of them did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How a workspace is, and one clause of detail: a kind and a status, no text of the server's."""

    health: Health
    detail: str


def probe(client: HonchoClient, workspace: str, deadline_s: float, cut: Cut) -> Finding:
    """Try the workspace; every failure is a finding. ``deadline_s`` (absolute, monotonic) is for it all."""
    try:
        return _tried(client, workspace, deadline_s, cut)
    except errors.TokenRefused as refused:
        told = isinstance(refused, errors.Forbidden) or client.sends_a_token(workspace)
        return Finding(health=Health.TOKEN_REFUSED, detail=str(refused) if told else NO_TOKEN)
    except errors.HonchoUnavailable as error:
        return Finding(health=_health(error), detail=str(error))


def _health(error: errors.HonchoUnavailable) -> Health:
    return next((health for kind, health in _BY_KIND if isinstance(error, kind)), Health.UNREACHABLE)


def _tried(client: HonchoClient, workspace: str, deadline_s: float, cut: Cut) -> Finding:
    try:
        client.look_for_chat(workspace, deadline_s, cut)
        old = None
    except errors.NoWorkspaceChat as missing:
        old = str(missing)
    used = client.has_said_anything(workspace, deadline_s, cut)
    if old is not None:
        return Finding(health=Health.TOO_OLD, detail=old)
    client.search(workspace, "anybody", 1, deadline_s, cut)
    if used:
        return Finding(health=Health.FINE, detail="it answers chat and search")
    return Finding(health=Health.EMPTY, detail="it answers, and nothing was said in it yet")
