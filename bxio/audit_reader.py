"""Reads ``audit.jsonl`` beside its writer: its last calls, one call, and whether the chain holds (spec 2.4).

Nothing here locks or changes the file. A last line without its line end is being written and not there yet;
a line that is no record is passed over, and only ``verify`` names it. A missing file is an empty log; other
``OSError`` s are raised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from bxcore import audit_chain, audit_view
from bxcore.audit_chain import Broken, Head
from bxcore.audit_view import CallView, Record, is_start, key_of
from bxcore.labels import TOP, Label, join

FIRST_BYTES = 256 * 1024
MOST_BYTES = 64 * 1024 * 1024
"""How much of the file's end is read for its last calls: first little, then twice as much, at most this."""
CUT_BYTES = 2 * 1024 * 1024
"""How much is read to find when the owner was asked about one of these calls, perhaps long before."""
SMALL_BYTES = 16 * 1024 * 1024
"""A chain of that size is walked in a fraction of a second."""
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes; a line that is longer is no record of ours, and is not read whole."""


def tail(path: Path, limit: int) -> list[CallView]:
    """The last ``limit`` calls, the oldest first, from the file's end without reading all of it.

    Fewer come back when there are no more in the last 64 MiB.
    """
    if limit <= 0:
        return []
    window = FIRST_BYTES
    while True:
        records, all_read = _last_records(path, window)
        found = audit_view.calls(records)[-limit:]
        enough = len(found) == limit and (window >= CUT_BYTES or not any(map(_is_cut, found)))
        if enough or all_read or window >= MOST_BYTES:
            return found
        window *= 2


def find(path: Path, number: int) -> CallView | None:
    """The call that record ``number`` belongs to, None when there is none. Reads the file twice at most."""
    begin = b'{"n":%d,' % number
    records = (audit_chain.parsed(line) for line in _lines(path) if line.startswith(begin))
    key = next((key_of(record) for record in records if record is not None), None)
    if key is None:
        return None
    marks = (b'"call":' + json.dumps(key[1]).encode("ascii"), b'"grants_loaded"')
    near = (audit_chain.parsed(line) for line in _lines(path) if any(mark in line for mark in marks))
    same = [each for each in near if each is not None and (is_start(each) or key_of(each) == key)]
    found = audit_view.calls(same)
    return next((view for view in found if number in view.numbers), None)


def highest_label(path: Path, session: str) -> Label:
    """The join of all labels that a session had, by every record of its name; the top when there is no file.

    A label that cannot be read is the top, as is a damaged line that may be the session's. Reads it whole.
    """
    if not path.exists():
        return TOP
    mark = b'"session":' + json.dumps(session).encode("ascii")
    found = (audit_chain.parsed(line) for line in _lines(path) if mark in line)
    return join(*chain.from_iterable(_labels(each, session) for each in found))


def _labels(record: Record | None, session: str) -> list[Label]:
    if record is None:
        return [TOP]
    return audit_view.labels_of(record) if record.get("session") == session else []


def verify(path: Path, known: Head | None = None) -> Head | Broken:
    """Walk the whole chain, a line at a time, and name the first broken line.

    ``known`` is a head that was seen earlier, such as the writer's own: a log that was cut short is whole as
    a chain, and only this tells. It must be one of before the walk, for the writer goes on.
    """
    return audit_chain.walk(_lines(path), known)


def verify_small(path: Path) -> Head | Broken | None:
    """``verify`` of a file of less than ``SMALL_BYTES``; None for a larger one."""
    try:
        if path.stat().st_size >= SMALL_BYTES:
            return None
    except FileNotFoundError:
        return Head()
    return verify(path)


def _is_cut(view: CallView) -> bool:
    """Whether the owner was asked about a call in a record that is not among those that were read."""
    return view.approval is not None and view.approval.asked is None


def _last_records(path: Path, window: int) -> tuple[list[Record], bool]:
    """The records in the last ``window`` bytes, and whether that is the whole file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return [], True
    with file:
        start = max(0, file.seek(0, 2) - window)
        file.seek(start)
        lines = file.read(window).split(b"\n")[bool(start) : -1]
    parsed = (audit_chain.parsed(line) for line in lines)
    return [record for record in parsed if record is not None], start == 0


def _lines(path: Path) -> Iterator[bytes]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        while line := file.readline(LONGEST_LINE):
            if line.endswith(b"\n"):
                yield line[:-1]
            elif len(line) == LONGEST_LINE:
                yield line
