"""What a session and a peer are called in Honcho: ids of at most 100 characters, the same each time (4.7)."""

from __future__ import annotations

import hashlib
import re

MAX_ID = 100
"""Characters; older servers take no more (3.0.7 takes 512)."""
_NUMBERED = re.compile(r".*--[0-9]+")
_HASH = 16
_CUT = re.compile(rf".{{{MAX_ID - _HASH - 1}}}-[0-9a-f]{{{_HASH}}}")


def session_id(session: str, generation: int) -> str:
    """The Honcho session of a session that was taken out of Honcho ``generation`` times before.

    No two pairs share an id: a name that looks like a numbered one is numbered too.
    """
    plain = generation == 0 and _NUMBERED.fullmatch(session) is None
    return session if plain else f"{session}--{generation}"


def peer_id(peer: str) -> str:
    """The Honcho peer of a peer's name; a longer one is cut, and told from others by a hash of the whole.

    So is a name that looks as if it had been cut.
    """
    if len(peer) <= MAX_ID and _CUT.fullmatch(peer) is None:
        return peer
    digest = hashlib.sha256(peer.encode("ascii")).hexdigest()[:_HASH]
    return f"{peer[: MAX_ID - _HASH - 1]}-{digest}"
