"""Messages of a ``HonchoChat``, the short-lived actor that asks one workspace (spec 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.messages.errand import NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Ask the question once. Asked; the reply is a ``ChatAnswered`` or a ``ChatUnavailable``."""

    question: str
    kind: Literal["chat"] = "chat"


HonchoChatMessage: TypeAlias = Chat | NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswered:
    """The workspace answered; None or blank text is an answer with nothing in it."""

    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatUnavailable:
    """The workspace did not answer. ``error`` is its kind and status, never the question or an answer."""

    error: str


ChatOutcome: TypeAlias = ChatAnswered | ChatUnavailable
