"""The records of a session's log: one JSON object a line (spec 3.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from bxcore import journal
from bxcore.labels import Label, Level

SCHEMA = 1
"""The version of the log's records, kept in each ``SessionStart``."""


_EPOCH = frozenset({"epoch", "turns", "summary", "tools"})
"""What a start has only where it says something: the first epoch's has but its tools."""
_HALF = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]|[\ud800-\udfff]")
"""Half a character as it is, or first as the three bytes that ``surrogateescape`` keeps of one."""


class RecordError(ValueError):
    """A line of a log is no record: damage, or a log of a newer version; ``.args[0]`` says which line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call as the model made it; ``arguments`` is its raw text, ``id`` unique within the session."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """The first record: the sha256 of the saved baseline, and the label that the session starts with.

    ``log`` tells this log from another one of the same name, begun after this one was deleted; empty in logs
    that were begun before there were such names. An imported session is untrusted from its start.

    A later ``epoch`` (from 1) begins with one too: of the same baseline and log, with the label so far, the
    number of ``turns`` before it and a ``summary`` of them, which has that label (spec 3.4). ``tools`` names
    those that the session has while the epoch lasts; empty in logs that were begun before there were such.
    """

    baseline: str
    level: Level = Level.PRIVATE
    untrusted: bool = False
    schema: int = SCHEMA
    log: str = ""
    epoch: int = 0
    turns: int = 0
    summary: str = ""
    tools: tuple[str, ...] = ()
    kind: Literal["session_start"] = "session_start"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """What a person said: turn *n* is the *n*-th of these, from 1. ``at`` is ISO 8601, or empty."""

    text: str
    speaker: str | None = None
    at: str = ""
    kind: Literal["user"] = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """What the model said. Without tool calls it is the turn's reply."""

    content: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    kind: Literal["assistant"] = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A turn's last record: its tokens, summed over its requests.

    ``failed`` is the sentence that the person was told when the turn has no reply.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    failed: str | None = None
    kind: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLoss:
    """The model server cached fewer tokens than the prefix that it had: both numbers (spec 3.2)."""

    had: int
    cached: int
    kind: Literal["cache_loss"] = "cache_loss"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call came to, with its label; ``level`` stands as ``class`` in the JSON (spec 2.1, 3.1)."""

    call: str
    tool: str
    content: str
    ok: bool
    level: Level = Level.SECRET
    untrusted: bool = True
    kind: Literal["tool_result"] = "tool_result"

    @property
    def label(self) -> Label:
        """The label of the result alone, not of the session."""
        return Label(self.level, self.untrusted)


Record: TypeAlias = SessionStart | User | Assistant | Usage | CacheLoss | ToolResult


def whole(text: str) -> str:
    """The text with one U+FFFD for each half of a character, which no encoder takes and no log may hold.

    So it is too where an argument or a line of input held the half as bytes, which Python keeps as three.
    """
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def dump(record: Record) -> str:
    """The record as one line of ASCII JSON, without the newline."""
    return json.dumps(_fields(record), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _fields(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": record.kind}
    for name in record.__dataclass_fields__:
        value = getattr(record, name)
        if name == "kind" or value is None or (name in _EPOCH and not value):
            continue
        found["class" if name == "level" else name] = _json_value(value)
    return found


def _json_value(value: object) -> object:
    if isinstance(value, Level):
        return value.text
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, tuple):
        return [_json_item(item) for item in value]
    return value


def _json_item(item: ToolCall | str) -> object:
    if isinstance(item, str):
        return whole(item)
    return {"id": whole(item.id), "name": whole(item.name), "arguments": whole(item.arguments)}


def read(data: bytes, *, may_be_torn: bool = True) -> tuple[Record, ...]:
    """The records of a log, framed (``bxcore.journal``) or bare lines; a torn last line is left out.

    Raises ``journal.DamageError`` when acknowledged lines are lost, ``RecordError`` for what is no record, or
    for a torn line in a log that cannot have one.
    """
    payloads = _framed(data, may_be_torn=may_be_torn) if journal.is_framed(data) else _bare_lines(data)
    return tuple(parse(payload, number) for number, payload in enumerate(payloads, start=1))


def _framed(data: bytes, *, may_be_torn: bool) -> Sequence[str]:
    found = journal.recover(data)
    if found.tail and not may_be_torn:
        raise RecordError(f"line {len(found.payloads) + 1} of the log is damaged")
    return found.payloads


def _bare_lines(data: bytes) -> list[str]:
    lines = [line for line in data.split(b"\n") if line.strip()]
    if lines and not data.endswith(b"\n") and not _is_json(lines[-1]):
        lines.pop()
    return [line.decode("utf-8", "surrogateescape") for line in lines]  # ``whole`` reads what is no UTF-8


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def parse(text: str, number: int) -> Record:
    """One record, of line ``number``; raises ``RecordError``. A missing or unknown label is the top."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"line {number} of the log is no JSON") from None
    make = _MAKERS.get(str(found.get("kind"))) if isinstance(found, dict) else None
    if make is None:
        raise RecordError(f"line {number} of the log is no record that this version knows")
    try:
        return make(found)
    except (KeyError, TypeError) as error:
        raise RecordError(f"line {number} of the log is a {found['kind']} without a right {error}") from None


def _text(found: dict[str, Any], key: str) -> str:
    return whole(_typed(found, key, str))


def _maybe_text(found: dict[str, Any], key: str) -> str | None:
    return None if found.get(key) is None else _text(found, key)


def _number(found: dict[str, Any], key: str) -> int:
    number: int = _typed(found, key, int)
    return number


def _typed(found: dict[str, Any], key: str, wanted: type) -> Any:
    value = found[key]
    if type(value) is not wanted:
        raise TypeError(key)
    return value


def _session_start(found: dict[str, Any]) -> SessionStart:
    return SessionStart(
        baseline=_text(found, "baseline"),
        level=Level.parse(found.get("class")),
        untrusted=found.get("untrusted", False) is not False,
        schema=_number(found, "schema"),
        log=_maybe_text(found, "log") or "",
        epoch=_count(found, "epoch"),
        turns=_count(found, "turns"),
        summary=_maybe_text(found, "summary") or "",
        tools=tuple(_name(name) for name in _typed({"tools": [], **found}, "tools", list)),
    )


def _count(found: dict[str, Any], key: str) -> int:
    """A number from 0; 0 when it is not said."""
    number = _number({key: 0, **found}, key)
    if number < 0:
        raise TypeError(key)
    return number


def _name(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError("tools")
    return whole(found)


def _user(found: dict[str, Any]) -> User:
    at = _maybe_text(found, "at") or ""
    return User(text=_text(found, "text"), speaker=_maybe_text(found, "speaker"), at=at)


def _assistant(found: dict[str, Any]) -> Assistant:
    calls = tuple(_call(call) for call in _typed({"tool_calls": [], **found}, "tool_calls", list))
    content = _text(found, "content")
    return Assistant(content=content, reasoning=_maybe_text(found, "reasoning"), tool_calls=calls)


def _call(found: object) -> ToolCall:
    if not isinstance(found, dict):
        raise TypeError("tool_calls")
    return ToolCall(id=_text(found, "id"), name=_text(found, "name"), arguments=_text(found, "arguments"))


def _usage(found: dict[str, Any]) -> Usage:
    prompt, cached, completion = (_number(found, key) for key in ("prompt", "cached", "completion"))
    return Usage(prompt=prompt, cached=cached, completion=completion, failed=_maybe_text(found, "failed"))


def _cache_loss(found: dict[str, Any]) -> CacheLoss:
    return CacheLoss(had=_number(found, "had"), cached=_number(found, "cached"))


def _tool_result(found: dict[str, Any]) -> ToolResult:
    return ToolResult(
        call=_text(found, "call"),
        tool=_text(found, "tool"),
        content=_text(found, "content"),
        ok=_typed(found, "ok", bool),
        level=Level.parse(found.get("class")),
        untrusted=found.get("untrusted") is not False,
    )


_MAKERS: dict[str, Callable[[dict[str, Any]], Record]] = {
    "session_start": _session_start,
    "user": _user,
    "assistant": _assistant,
    "usage": _usage,
    "cache_loss": _cache_loss,
    "tool_result": _tool_result,
}
