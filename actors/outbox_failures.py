"""What a failure says of what Honcho holds now, and of how it ends (4.7); a room of ``outbox.py``."""

from __future__ import annotations

from bxio.honcho.errors import (
    AnswerTooLong,
    GatewayFailed,
    Late,
    NoSuchRoute,
    NoSuchWorkspace,
    NotFound,
    NotHttp,
    NotJson,
    NoTls,
    NotTrusted,
    Reset,
    TokenRefused,
    TooManyRequests,
    Unexpected,
    Unreachable,
    WrongShape,
)

SURE = (Unreachable, TokenRefused, TooManyRequests, NoSuchRoute, NoSuchWorkspace, NotFound)
"""After these nothing of it is there; after any other failure it may be."""
LATER = (Late, Reset, GatewayFailed)
"""After these the server may still be at it."""
LASTING = (
    *(TokenRefused, NoSuchRoute, NotTrusted, NoTls),
    *(NotHttp, NotJson, WrongShape, AnswerTooLong, Unexpected),
)
"""These do not mend themselves: the token or the address is wrong. A redirect is among them."""
