"""Framed lines of an append-only log, and what a log is worth after a crash; pure (notes of spec 3.1).

A line is ``{"crc":"…","seq":…,"b":…,"prev":"…","record":…}``: its number, the number of the first line of
its batch, the checksum of the line before, its payload, and the checksum of itself. A batch is all that goes
down up to one sync, in one write or more; until then a power loss may keep any of its sectors. So a broken
line is a torn write as long as no later line belongs to a later batch, and damage otherwise: a later batch
only starts after the one before it was synced.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

START = "00000000"
"""The ``prev`` of a log's first line."""
_LINE = re.compile(
    rb'\{"crc":"([0-9a-f]{8})",("seq":(\d{1,15}),"b":(\d{1,15}),"prev":"([0-9a-f]{8})","record":(.*)\})',
    re.DOTALL,
)
_OPENING = b'{"crc":"'


class DamageError(ValueError):
    """Acknowledged lines are missing or changed; ``.args[0]`` names the first broken line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One self-consistent line: its checksum holds; whether it fits its neighbours is not said here."""

    seq: int
    first: int
    """The ``seq`` of the first line of the same batch."""
    prev: str
    crc: str
    payload: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a log holds: its good payloads, the bytes they take, and the tail that is cut off."""

    payloads: tuple[str, ...]
    good_bytes: int
    tail: bytes
    crc: str
    """The last good line's checksum: the ``prev`` of the next one."""
    first: int = 0
    """The number of the first line of its batch."""


def is_framed(data: bytes) -> bool:
    """Whether the log's first line has a frame, whole or torn. An empty log counts as framed."""
    return data[: len(_OPENING)] == _OPENING[: len(data)]


def frame(payloads: Sequence[str], seq: int, prev: str, *, first: int) -> tuple[bytes, str]:
    """The bytes of one write, and the checksum that the next write links to.

    ``payloads`` are JSON texts in ASCII without a newline; ``seq`` is the number of the first, from 0, and
    ``first`` that of the first line that is not known to be synced.
    """
    lines: list[bytes] = []
    for number, payload in enumerate(payloads, start=seq):
        rest = f'"seq":{number},"b":{first},"prev":"{prev}","record":{payload}}}'.encode("ascii")
        if b"\n" in rest:
            raise ValueError("a payload holds a newline; dump it as one line")
        prev = _checksum(rest)
        lines.append(b'{"crc":"' + prev.encode() + b'",' + rest + b"\n")
    return b"".join(lines), prev


def written(payloads: Iterable[str]) -> bytes:
    """A whole log, each line a write of its own."""
    lines, crc = [], START
    for seq, payload in enumerate(payloads):
        line, crc = frame([payload], seq, crc, first=seq)
        lines.append(line)
    return b"".join(lines)


def _checksum(rest: bytes) -> str:
    return f"{zlib.crc32(rest):08x}"


def _self_consistent(line: bytes) -> Line | None:
    found = _LINE.fullmatch(line)
    if found is None or _checksum(found[2]) != found[1].decode() or not _is_json(found[6]):
        return None
    return Line(int(found[3]), int(found[4]), found[5].decode(), found[1].decode(), found[6].decode())


def _is_json(payload: bytes) -> bool:
    try:
        json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return payload.isascii()


def chain(data: bytes, *, seq: int = 0, first: int = 0, crc: str = START) -> Iterator[tuple[Line, int]]:
    """Each good line from the start on, and where the next one begins, up to the first that is not good.

    ``data`` begins with line ``seq`` of a log, behind one with checksum ``crc`` of batch ``first``.
    """
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        line = _self_consistent(data[at:end])
        if line is None or not _follows(line, seq=seq, first=first, prev=crc):
            return
        at, first, crc, seq = end + 1, line.first, line.crc, seq + 1
        yield line, at


def recover(data: bytes, *, seq: int = 0, first: int = 0, crc: str = START) -> Recovered:
    r"""The longest chain of good lines from the start, and the torn tail behind it.

    ``seq``, ``first`` and ``crc`` are those of ``chain``, for the rest of a log. Raises ``DamageError`` when
    a self-consistent line behind the chain belongs to a later batch than the line that is broken. Lines end
    at ``\n`` only: text may hold any other separator.
    """
    payloads: list[str] = []
    at = 0
    for line, at in chain(data, seq=seq, first=first, crc=crc):  # noqa: B007 (the last of each is wanted below)
        payloads.append(line.payload)
        crc, first = line.crc, line.first
    tail = data[at:]
    broken = seq + len(payloads)
    if any(line.first > broken for line in consistent_lines(tail)):
        raise DamageError(f"line {broken + 1} of the log is damaged, and later lines are whole")
    return Recovered(tuple(payloads), at, tail, crc, first)


def _follows(line: Line, *, seq: int, first: int, prev: str) -> bool:
    """Whether a line is the next of the chain: of the same batch, or the first of a new one."""
    return line.seq == seq and line.prev == prev and line.first in {first, seq}


def consistent_lines(tail: bytes) -> Iterator[Line]:
    """Every whole line of the tail, those hidden in a merged line by a flipped newline too."""
    for piece in tail.split(b"\n"):
        at = piece.find(_OPENING)
        while at >= 0:
            line = _self_consistent(piece[at:])
            if line is not None:
                yield line
            at = piece.find(_OPENING, at + 1)
