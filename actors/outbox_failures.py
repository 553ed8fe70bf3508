"""What a failed append says of what Honcho holds now (spec 4.7); a room of ``actors/outbox.py``."""

from __future__ import annotations

from bxio.honcho.errors import (
    GatewayFailed,
    Late,
    NoSuchRoute,
    NoSuchWorkspace,
    NotFound,
    Reset,
    TokenRefused,
    TooManyRequests,
    Unreachable,
)

SURE = (Unreachable, TokenRefused, TooManyRequests, NoSuchRoute, NoSuchWorkspace, NotFound)
"""After these nothing of it is there; after any other failure it may be."""
LATER = (Late, Reset, GatewayFailed)
"""After these the server may still be at it."""
