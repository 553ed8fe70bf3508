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
NO_HONCHO = "404, what answers at this address is no honcho"


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
        detail = str(refused) if client.sends_a_token(workspace) else NO_TOKEN
        return Finding(health=Health.TOKEN_REFUSED, detail=detail)
    except errors.NoSuchWorkspace as missing:
        return Finding(health=Health.NO_SUCH_WORKSPACE, detail=str(missing))
    except errors.NoSuchRoute:
        return Finding(health=Health.UNREACHABLE, detail=NO_HONCHO)
    except (errors.ServerFailed, errors.TooManyRequests, errors.Refused) as failed:
        return Finding(health=Health.FAILING, detail=str(failed))
    except errors.HonchoUnavailable as unavailable:
        return Finding(health=Health.UNREACHABLE, detail=str(unavailable))


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
