"""A session's turns as its log has them, read a second time (spec 3.1): calls, results, ends and labels.

It knows the records by the specification alone, and shares with the box nothing but the form of the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.doubles.plain_reader import CLASSES, lines

PlainLabel: TypeAlias = tuple[str, bool]
"""The class, and whether a stranger's words are in it."""


@dataclass
class LoggedTurn:
    """``label`` is the session's at the turn's end; ``failed`` the sentence of a turn without a reply."""

    number: int
    said: str
    speaker: str | None
    label: PlainLabel
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    reply: str | None = None
    failed: str | None = None

    @property
    def over(self) -> bool:
        """Whether it was replied, or told why not."""
        return self.reply is not None or self.failed is not None

    def wrong(self) -> Iterator[str]:
        """What may not be in a turn that is over: a call without its one result, or a result of none."""
        results = Counter(result["call"] for result in self.results)
        for call in self.calls.keys() | results.keys():
            if (call in self.calls, results[call]) != (True, 1):
                yield f"call {call} is made {int(call in self.calls)} times and has {results[call]} results"


def epochs_of(folder: Path) -> list[Path]:
    """The log's files, the oldest first."""
    return sorted(folder.glob("[0-9]*.jsonl"), key=lambda path: int(path.stem))


def turns_in(folder: Path) -> list[LoggedTurn]:
    """Every turn of a session's folder; none of a session whose log has not begun."""
    found: list[LoggedTurn] = []
    label: PlainLabel = ("private", False)
    for path in epochs_of(folder):
        for record in lines(path.read_bytes()):
            kind = record["kind"]
            if kind == "user":
                found.append(LoggedTurn(len(found) + 1, record["text"], record.get("speaker"), label))
            elif kind == "session_start" or (kind == "tool_result" and found):
                label = _joined(label, record)
            if found:
                _add(found[-1], record, label)
    return found


def _joined(label: PlainLabel, record: dict[str, Any]) -> PlainLabel:
    """The worse of both."""
    worst = max(label[0], record.get("class", "secret"), key=CLASSES.index)
    return worst, label[1] or record.get("untrusted", record["kind"] == "tool_result")


def _add(turn: LoggedTurn, record: dict[str, Any], label: PlainLabel) -> None:
    match record["kind"]:
        case "assistant":
            turn.calls.update((call["id"], call) for call in record.get("tool_calls", []))
            turn.reply = None if record.get("tool_calls") else record["content"]
        case "tool_result":
            turn.results.append(record)
            turn.reply, turn.label = None, label
        case "usage":
            turn.failed = record.get("failed")
        case _:
            pass
