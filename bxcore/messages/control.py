"""Messages of the control socket's acceptor and of its connections (spec 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptNext:
    """The acceptor tells itself: wait for the next client."""

    kind: Literal["accept_next"] = "accept_next"


ControlMessage: TypeAlias = AcceptNext


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeRequest:
    """Asked by the acceptor: read the client's request and answer it."""

    kind: Literal["take_request"] = "take_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsWaits:
    """The turn's stream has something for the client. Told once until it is taken."""

    kind: Literal["news_waits"] = "news_waits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The connection tells itself: whom it asked has answered, or the deadline passed.

    ``outcomes`` are the kernel's ``Outcome`` values, in the order asked.
    """

    outcomes: tuple[Any, ...]
    kind: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOfLife:
    """The connection tells itself: show a silent client that the turn still runs."""

    kind: Literal["sign_of_life"] = "sign_of_life"


ConnectionMessage: TypeAlias = TakeRequest | NewsWaits | Answered | SignOfLife
