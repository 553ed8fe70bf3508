"""What of a log and of memory a text stands in, and a log without some of its turns' texts (spec 3.1, 4.2).

A forgotten turn keeps its place, its calls and their labels: later turns keep their numbers, and the session
keeps its label.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from bxcore import sameness
from bxcore.epochs import turns_before
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.sameness import fold
from bxcore.schemas import TOOLS
from bxcore.turn_spans import spans

FORGOTTEN = "(forgotten)"
"""What stands where a text was."""
_KEYS = frozenset(key for tool in TOOLS.values() for key in tool["parameters"]["properties"])
"""The names of what the box's own tools take."""
_ESCAPE = re.compile(r'\\+(?:u([0-9a-fA-F]{4})|([nrtbf"/]))')
_WRITTEN = {"n": " ", "r": " ", "t": " ", "b": " ", "f": " "}


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to look for, without regard to case, to how its words are parted, and to what looks the same."""

    text: str

    @property
    def folded(self) -> str:
        """As it is compared; empty for a text of nothing but space."""
        return _folded(self.text)

    @property
    def word(self) -> str:
        """Its longest word of ASCII letters and digits, which JSON writes as it is; empty for none."""
        return max(re.findall(r"[a-z0-9]+", self.folded), key=len, default="")

    def may_be_in(self, data: bytes) -> bool:
        """Whether the bytes of a file may hold it; False is sure."""
        word, lower = self.word.encode("ascii"), data.lower()
        return word in lower or word in sameness.ascii_of(lower)

    def stands_in(self, text: str) -> bool:
        """Whether a text holds it, as it is or with the escapes of JSON, as a call's arguments have them."""
        folded = self.folded
        if sameness.stands_in(folded, fold(text)):
            return True
        return "\\" in text and sameness.stands_in(folded, fold(_unescaped(text)))

    def is_in(self, data: bytes) -> bool:
        """Whether a file's bytes hold it, as UTF-8 text or JSON."""
        return self.may_be_in(data) and self.stands_in(data.decode("utf-8", "replace"))


@lru_cache(maxsize=8)
def _folded(text: str) -> str:
    return fold(text)


def _unescaped(text: str) -> str:
    """With each escape of JSON as what it stands for, however often it was escaped; white space as one."""
    found = _ESCAPE.sub(_meant, text)
    return found if found.isascii() else found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _meant(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _WRITTEN.get(escape[2], escape[2])


def turns_with(records: Sequence[Record], needle: Needle) -> tuple[int, ...]:
    """The turns in whose words, calls or results the text stands, from 1."""
    return tuple(
        number
        for number, (start, end) in enumerate(spans(records), turns_before(records) + 1)
        if any(needle.stands_in(text) for record in records[start:end] for text in _texts(record))
    )


def _texts(record: Record) -> Iterator[str]:
    match record:
        case User():
            yield record.text
        case Assistant():
            yield record.content
            yield record.reasoning or ""
            for call in record.tool_calls:
                yield from values(call.arguments, _KEYS)
                yield from _own_name(call.name)
        case ToolResult():
            yield record.content
            yield from _own_name(record.tool)
        case Usage():
            yield record.failed or ""
        case _:
            pass


def values(written: str, keys: Collection[str] | None = None) -> Iterator[str]:
    """The texts in JSON but its ``keys``, None for all keys; what is no JSON as it is."""
    try:
        waiting: list[Any] = [json.loads(written)]
    except (ValueError, RecursionError):
        yield written
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            yield from (key for key in value if keys is not None and key not in keys)
        elif isinstance(value, list):
            waiting += value
        else:
            yield value if isinstance(value, str) else json.dumps(value)


def _own_name(name: str) -> Iterator[str]:
    """A tool's name that the model made up is a text of its own."""
    if name not in TOOLS:
        yield name


def without(records: Sequence[Record], turns: Collection[int]) -> tuple[Record, ...]:
    """The log, or one epoch of it, with ``FORGOTTEN`` for every text of these turns, and for each summary."""
    found = [_without_summary(record) for record in records]
    for number, (start, end) in enumerate(spans(records), turns_before(records) + 1):
        if number in turns:
            found[start:end] = map(_blank, found[start:end])
    return tuple(found)


def _without_summary(record: Record) -> Record:
    """A summary tells of every turn before it; nobody knows from which one a word of it came."""
    if isinstance(record, SessionStart) and record.summary:
        return replace(record, summary=FORGOTTEN)
    return record


def summed_up(records: Sequence[Record], needle: Needle) -> bool:
    """Whether a summary of the session's turns holds the text."""
    return any(isinstance(record, SessionStart) and needle.stands_in(record.summary) for record in records)


def _blank(record: Record) -> Record:
    match record:
        case User():
            return replace(record, text=FORGOTTEN)
        case Assistant():
            return replace(
                record,
                content=FORGOTTEN,
                reasoning=None,
                tool_calls=tuple(map(_blank_call, record.tool_calls)),
            )
        case ToolResult():
            return replace(record, content=FORGOTTEN, tool=_known(record.tool))
        case Usage(failed=str()):
            return replace(record, failed=FORGOTTEN)
        case _:
            return record


def _blank_call(call: ToolCall) -> ToolCall:
    return replace(call, name=_known(call.name), arguments="{}")


def _known(name: str) -> str:
    """A tool's name, or one in its place that a model's server takes for a name."""
    return name if name in TOOLS else "forgotten"


def calls_of(records: Sequence[Record], turns: Collection[int]) -> tuple[str, ...]:
    """The ids of the calls that these turns made, each once."""
    return tuple(call for call, turn in turn_of_calls(records).items() if turn in turns)


def turn_of_calls(records: Sequence[Record]) -> dict[str, int]:
    """In which turn each call was made, by its id."""
    found: dict[str, int] = {}
    for number, (start, end) in enumerate(spans(records), turns_before(records) + 1):
        for record in records[start:end]:
            if isinstance(record, ToolResult):
                found.setdefault(record.call, number)
            elif isinstance(record, Assistant):
                found.update((call.id, number) for call in record.tool_calls if call.id not in found)
    return found


def speaks(records: Sequence[Record], needle: Needle) -> bool:
    """Whether the name of a speaker holds the text; a turn keeps it."""
    return any(
        isinstance(record, User) and record.speaker is not None and needle.stands_in(record.speaker)
        for record in records
    )
