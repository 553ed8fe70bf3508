"""What a long log comes to, kept beside it, so that opening it reads only what came later.

A summary is for speed alone: it may be deleted, and one that does not fit its log is passed over. The log's
bytes are still checked, as a whole.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from bxio.folders import write_whole
from bxio.journal_file import JournalFile, Prefix

EVERY = 20_000
"""Lines that are read in about a quarter of a second."""

Summary: TypeAlias = tuple[Prefix, Any]
"""A beginning of the log, and what it comes to, as JSON."""


def read(log: Path) -> Summary | None:
    """The summary of a log; None when there is none of any use."""
    try:
        check, _, body = _beside(log).read_bytes().partition(b"\n")
        if int(check, 16) != zlib.crc32(body):
            return None
        found = json.loads(body)
        return Prefix(**found["prefix"]), found["sum"]
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None


def write(file: JournalFile, total: Any) -> None:
    """Keep what a log comes to now, behind a synced append; it is no loss when that fails."""
    body = json.dumps({"prefix": asdict(file.prefix), "sum": total}, separators=(",", ":")).encode()
    with suppress(OSError):
        write_whole(_beside(file.path), b"%08x\n" % zlib.crc32(body) + body)


def _beside(log: Path) -> Path:
    return log.with_name(f"{log.name}.summary")
