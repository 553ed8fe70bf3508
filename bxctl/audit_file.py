"""The audit's file, read without a running box (spec 2.4)."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bxcore.audit_chain import Head, parsed, walk
from bxcore.audit_view import RUNNING, UNKNOWN, CallView, calls, is_start, key_of
from bxcore.control import Exit
from bxcore.control.answers import AuditCallsJson, AuditRecordJson, ChainJson
from bxcore.control.audit import calls_json, record_json
from bxcore.control.chain import chain_json
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import paths_of

TAIL_BYTES = 16 * 1024 * 1024
"""Of the file's end, in which the last calls are looked for."""


def audit_file(args: Namespace) -> Path:
    """Find it; raises ``PathError``."""
    return paths_of(args).state / "audit.jsonl"


def walk_file(path: Path) -> ChainJson:
    """Walk its chain. A missing file is an empty log; another ``OSError`` is raised."""
    try:
        return chain_json(walk(_lines(path)))
    except FileNotFoundError:
        return chain_json(Head())


def tail_of_file(path: Path, limit: int) -> AuditCallsJson:
    """The last ``limit`` calls in the file's last ``TAIL_BYTES``, the oldest first."""
    records = (record for line in _last_lines(path) if (record := parsed(line)) is not None)
    return calls_json([_ended(view) for view in calls(records)[-limit:]] if limit > 0 else [])


def record_of_file(path: Path, number: int) -> AuditRecordJson:
    """The call that record ``number`` belongs to. Reads the file twice; raises ``CommandError`` for none."""
    begin = b'{"n":%d,' % number
    found = (parsed(line) for line in _whole_lines(path) if line.startswith(begin))
    key = next((key_of(record) for record in found if record is not None), None)
    records = (record for line in _whole_lines(path) if (record := parsed(line)) is not None)
    same = [each for each in records if is_start(each) or key_of(each) == key] if key else []
    view = next((view for view in calls(same) if number in view.numbers), None)
    if view is None:
        sentence = f"record {number} belongs to no call; list them with {typed('audit')} tail"
        raise CommandError(Exit.NO_SUCH_THING, sentence)
    return record_json(_ended(view))


def _ended(view: CallView) -> CallView:
    """Without a box nothing runs any more, and nobody wrote how it ended."""
    return replace(view, outcome=UNKNOWN) if view.outcome == RUNNING else view


def _last_lines(path: Path) -> Iterable[bytes]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return ()
    with file:
        start = max(0, file.seek(0, 2) - TAIL_BYTES)
        file.seek(start)
        return file.read(TAIL_BYTES).split(b"\n")[bool(start) : -1]


def _whole_lines(path: Path) -> Iterator[bytes]:
    try:
        yield from _lines(path)
    except FileNotFoundError:
        return


def _lines(path: Path) -> Iterator[bytes]:
    """Each whole line; the last one may be torn, and the next start repairs it."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line[:-1]
