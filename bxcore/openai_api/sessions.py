"""Which session a client's turns go into: its header, else its ``user``, else ``api``."""

from __future__ import annotations

import base64
import hashlib
import re

from bxcore import session_ids

DEFAULT = "api"
HEADER = "x-boxmaker-session"
_HASH_BYTES = 16
_MADE = re.compile(r".*__[a-z2-7]{26}", re.DOTALL)
"""How a made name ends: 128 bits in base32 without padding."""
_MOST_READABLE = session_ids.MAX - 2 - 26


def session_of(header: str | None, user: str | None) -> str:
    """The id of the session. A header or a ``user`` that is empty counts as not there."""
    return session_id(header or user or DEFAULT)


def session_id(name: str) -> str:
    """A valid id for any name, another one for each.

    A name that is a valid id and does not end as a made one is its own id. Any other becomes what is readable
    of it, two underscores, and 128 bits of its SHA-256: no made id is its own, so the two never meet, and two
    made ones meet only where SHA-256 cut to 128 bits does.
    """
    if session_ids.problem(name) is None and not _MADE.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_HASH_BYTES]
    tail = base64.b32encode(digest).decode("ascii").rstrip("=").lower()
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_READABLE].strip("-")
    return f"{readable or 'user'}__{tail}"
