"""Doctor's word on the three memory files: whether the box can read and change what a person left (4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bxcore import memory_entries
from bxcore.config import Settings
from bxcore.doctor import Check, Verdict
from bxctl.called import typed

_NAME = "memory"


def memory_checks(settings: Settings | None, state: Path) -> Iterator[Check]:
    """A warning for each file in which an edit would be refused, and a word on each that is a link."""
    folder = (settings.memory.folder if settings else None) or state / "memory"
    for file in memory_entries.LIMITS:
        path = folder / f"{file}.md"
        if not (path.exists() or path.is_symlink()):
            continue
        if path.is_symlink():
            yield Check(name=_NAME, verdict=Verdict.OK, sentence=f"{path} is a link to {path.resolve()}")
        found = _wrong(file, path)
        if found is not None:
            yield Check(name=_NAME, verdict=Verdict.WARN, sentence=f"{path} {found[0]}", help=found[1])


def _wrong(file: str, path: Path) -> tuple[str, str] | None:
    """What is wrong with it, and what to do."""
    if not path.is_file():
        return ("is no file", "put a file of text in its place")
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        return ("is not UTF-8, so no edit is made in it", "save it as UTF-8")
    except OSError as error:
        return (f"cannot be read: {error.strerror}", "make it readable for the box's user")
    size, limit = memory_entries.size(memory_entries.parse(text)), memory_entries.LIMITS[file]
    if size <= limit:
        return None
    too_long = f"holds {size} of {limit} characters, so nothing is added to it"
    return (too_long, f"shorten it, or {typed('memory')} consolidate {file}")
