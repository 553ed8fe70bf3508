"""What ``ask_memory`` says: its answer, the answer's label, its refusals and its log lines (spec 4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxcore import recalled
from bxcore.labels import Label
from bxcore.sanitize import one_line
from bxcore.workspaces import Readable

MAX_ANSWER = 2000
"""Characters shown of one workspace's answer."""

NO_ANSWER = "(no answer)"

HOLDS_A_SECRET = "ask_memory: not asked; the question looks like it holds a secret"  # noqa: S105 - a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A workspace answered; None or blank text is an answer with nothing in it."""

    readable: Readable
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """A workspace failed or was late."""

    readable: Readable


WorkspaceResult = Answered | Unavailable


def render(results: Sequence[WorkspaceResult]) -> str:
    """The text that the model sees: an item for each answer in the order named, then who was unavailable."""
    items = recalled.render(_items(results), cap=MAX_ANSWER)
    missing = [result.readable.name for result in results if isinstance(result, Unavailable)]
    return "\n".join([*([items] if items else []), *(f"{name}: unavailable" for name in missing)])


def label(results: Iterable[WorkspaceResult]) -> Label:
    """The highest class shown, private at the least; untrusted if any shown item is."""
    return recalled.label(_items(results))


def unavailable_line(name: str, error: str) -> str:
    """The log line of a workspace that did not answer; ``error`` is a kind and a status, never a text."""
    return f"ask_memory: {name} unavailable: {error}"


def late(limit_ms: int) -> str:
    """The error of a workspace that did not answer within ``limit_ms`` milliseconds."""
    return f"no answer in {limit_ms} ms"


def _items(results: Iterable[WorkspaceResult]) -> list[recalled.Item]:
    return [
        recalled.Item(
            source=result.readable.name,
            level=result.readable.level,
            untrusted=result.readable.untrusted,
            text=_said(result.text or ""),
        )
        for result in results
        if isinstance(result, Answered)
    ]


def _said(text: str) -> str:
    return text if one_line(text, MAX_ANSWER).strip() else NO_ANSWER
