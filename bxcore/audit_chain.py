"""The audit log's lines as a chain: each carries the sha256 of the one before it (spec 2.4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

GENESIS = "0" * 64
"""What the first line carries in place of a line before it."""

_COMPACT = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a chain ends: its last record's number (0 for none) and that line's sha256."""

    number: int = 0
    sha256: str = GENESIS


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The first line that does not follow from the one before it. ``line`` counts from 1."""

    line: int
    sentence: str


def link(head: Head, record: Mapping[str, Any]) -> tuple[bytes, Head]:
    """The line of ``record`` (with its line end) as the one after ``head``, and the new head.

    ASCII JSON, compact: ``{"n":…,"before":…, the record's own fields}``.
    """
    number = head.number + 1
    numbered = {"n": number, "before": head.sha256, **record}
    line = _COMPACT.encode(numbered).encode("ascii")
    return line + b"\n", Head(number=number, sha256=_sha256(line))


def head_of(line: bytes) -> Head | None:
    """The head that a chain has after ``line`` (without its line end), or None when it is no record."""
    record = parsed(line)
    return None if record is None else Head(number=record["n"], sha256=_sha256(line))


def parsed(line: bytes) -> dict[str, Any] | None:
    """The record of one line, or None when it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or type(record.get("n")) is not int:
        return None
    return record if isinstance(record.get("before"), str) else None


def walk(lines: Iterable[bytes], known: Head | None = None) -> Head | Broken:
    """Follow the chain over its lines (without line ends) and give its head, or the first broken line.

    ``known`` is a head that somebody saw earlier: the chain must have had it, so that an end that is missing,
    or written anew with right sums, is found too.
    """
    head = Head()
    for at, line in enumerate(lines, start=1):
        found = _next(head, line, at)
        if isinstance(found, Broken):
            return found
        head = found
        if known is not None and head.number == known.number and head.sha256 != known.sha256:
            return Broken(line=at, sentence=f"line {at} is not the record {at} that was written first")
    if known is not None and head.number < known.number:
        missing = f"the log ends after record {head.number}, but record {known.number} was written"
        return Broken(line=head.number + 1, sentence=f"line {head.number + 1} is missing: {missing}")
    return head


def _next(head: Head, line: bytes, at: int) -> Head | Broken:
    record = parsed(line)
    if record is None:
        return Broken(line=at, sentence=f"line {at} is no audit record")
    if record["before"] != head.sha256:
        return Broken(line=at, sentence=f"line {at} does not carry the sha256 of line {at - 1}")
    if record["n"] != head.number + 1:
        return Broken(line=at, sentence=f"line {at} is record {record['n']}, not record {head.number + 1}")
    return Head(number=record["n"], sha256=_sha256(line))


def _sha256(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
