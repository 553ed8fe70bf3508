"""What became of an ask, as a value: an answer, an error, or nothing in time (spec 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from actors.kernel.errors import CallError, Refusal


@dataclass(frozen=True, slots=True)
class Answer:
    """The actor answered with ``value``."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The actor refused, or the ask could not be answered."""

    error: CallError | Refusal


@dataclass(frozen=True, slots=True)
class Late:
    """No answer by the deadline, or the ask was abandoned."""


Outcome: TypeAlias = Answer | Failed | Late
