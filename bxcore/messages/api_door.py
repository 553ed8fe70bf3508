"""Messages of the acceptor of OpenAI's interface over TCP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDoor:
    """The acceptor tells itself: try to listen, again and again while the port is taken."""

    kind: Literal["open_door"] = "open_door"


@dataclass(frozen=True, slots=True, kw_only=True)
class LetNextIn:
    """The acceptor tells itself: wait for the next client."""

    kind: Literal["let_next_in"] = "let_next_in"


ApiDoorMessage: TypeAlias = OpenDoor | LetNextIn
