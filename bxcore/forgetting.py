"""What of a log and of memory a text stands in, and a log without some of its turns' texts (spec 3.1, 4.2).

A forgotten turn keeps its place, its calls and their labels: later turns keep their numbers, and the session
keeps its label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from bxcore.records import Assistant, Record, ToolResult, User
from bxcore.turn_spans import spans

FORGOTTEN = "(forgotten)"
"""What stands where a text was."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to look for, without regard to case and to how its words are parted."""

    text: str

    @property
    def folded(self) -> str:
        """As it is compared; empty for a text of nothing but space."""
        return fold(self.text)

    @property
    def word(self) -> str:
        """Its longest word of ASCII letters and digits, which JSON writes as it is; empty for none."""
        return max(re.findall(r"[a-z0-9]+", self.folded), key=len, default="")

    def may_be_in(self, data: bytes) -> bool:
        """Whether the bytes of a file may hold it; False is sure."""
        return self.word.encode("ascii") in data.lower()

    def stands_in(self, text: str) -> bool:
        """Whether a text holds it."""
        return self.folded in fold(text)


def fold(text: str) -> str:
    """A text in one case, its words parted by single spaces."""
    return _SPACE.sub(" ", text).strip().casefold()


def turns_with(records: Sequence[Record], needle: Needle) -> tuple[int, ...]:
    """The turns in whose words, calls or results the text stands, from 1."""
    return tuple(
        number
        for number, (start, end) in enumerate(spans(records), 1)
        if any(needle.stands_in(text) for record in records[start:end] for text in _texts(record))
    )


def _texts(record: Record) -> Iterator[str]:
    match record:
        case User():
            yield record.text
        case Assistant():
            yield record.content
            yield record.reasoning or ""
            yield from (call.arguments for call in record.tool_calls)
        case ToolResult():
            yield record.content
        case _:
            pass


def without(records: Sequence[Record], turns: Collection[int]) -> tuple[Record, ...]:
    """The log with ``FORGOTTEN`` for every text of these turns."""
    found = list(records)
    for number, (start, end) in enumerate(spans(records), 1):
        if number in turns:
            found[start:end] = map(_blank, records[start:end])
    return tuple(found)


def _blank(record: Record) -> Record:
    match record:
        case User():
            return replace(record, text=FORGOTTEN)
        case Assistant():
            calls = tuple(replace(call, arguments="{}") for call in record.tool_calls)
            return replace(record, content=FORGOTTEN, reasoning=None, tool_calls=calls)
        case ToolResult():
            return replace(record, content=FORGOTTEN)
        case _:
            return record


def calls_of(records: Sequence[Record], turns: Collection[int]) -> tuple[str, ...]:
    """The ids of the calls that these turns made."""
    return tuple(
        record.call
        for number, (start, end) in enumerate(spans(records), 1)
        if number in turns
        for record in records[start:end]
        if isinstance(record, ToolResult)
    )
