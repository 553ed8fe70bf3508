"""``memory.md``, ``user.md`` and ``notes.md`` on disk, and the revisions of each (spec 4.1, 4.2).

An edit's revision is on disk before the file is: a crash between the two leaves an edit that was never told
to have happened, and no entry without its label. A file that a person edited is read again, and that edit
becomes a revision too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bxcore import memory_entries, memory_revisions
from bxcore.errors import SentenceError, system_reason
from bxcore.labels import Label
from bxcore.memory_entries import Edited
from bxcore.memory_revisions import Known, Revision
from bxio.folders import make_private, write_whole
from bxio.journal_file import JournalError, JournalFile

REVISIONS = "revisions.jsonl"


class MemoryFilesError(SentenceError):
    """A memory file cannot be read or written; ``sentence`` says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file with its label."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """Which turn of which session makes an edit, and the session's label at that moment."""

    session: str
    turn: int
    label: Label


class MemoryFiles:
    """The three files of one folder. Used by one thread; ``now`` gives ISO 8601 in UTC."""

    def __init__(self, folder: Path, journal: JournalFile, known: Known, now: Callable[[], str]) -> None:
        self._folder = folder
        self._journal = journal
        self._known = known
        self._now = now
        self._seen: dict[str, tuple[int, int, int]] = {}
        """Modification time, size and inode of each file when it was read last."""
        self._entries: dict[str, tuple[str, ...]] = {}

    @classmethod
    def open(cls, folder: Path, now: Callable[[], str]) -> Self:
        """Make the folder (0700) or take the one that is there. Raises ``MemoryFilesError``."""
        try:
            make_private(folder)
            journal = JournalFile.open(folder / REVISIONS)
        except OSError as error:
            raise MemoryFilesError(_cannot("used", folder, error)) from None
        except JournalError as error:
            raise MemoryFilesError(error.sentence) from None
        try:
            known = Known.of(memory_revisions.parse(line) for line in journal.payloads)
        except ValueError as error:
            journal.close()
            raise MemoryFilesError(f"{folder / REVISIONS} holds a line that is {error}; restore it") from None
        return cls(folder, journal, known, now)

    def entries(self, file: str) -> tuple[Entry, ...]:
        """The entries of one file as they are on disk now. Raises ``MemoryFilesError``."""
        found = self._read(file)
        return tuple(Entry(text, self._known.label(file, text)) for text in found)

    def texts(self, file: str) -> tuple[str, ...]:
        """The same without labels."""
        return self._read(file)

    def write(self, file: str, edited: Edited, editor: Editor) -> None:
        """Put an edit of what ``texts`` gave on disk, its revision first. Raises ``MemoryFilesError``."""
        self._record(
            Revision(
                file=file,
                who="session",
                at=self._now(),
                label=editor.label,
                removed=edited.removed,
                added=edited.added,
                session=editor.session,
                turn=editor.turn,
            )
        )
        path = self._path(file)
        self._seen.pop(file, None)
        try:
            write_whole(path, memory_entries.render(edited.entries).encode())
        except OSError as error:
            raise MemoryFilesError(_cannot("written", path, error)) from None

    def _read(self, file: str) -> tuple[str, ...]:
        """Read a file again only when it changed; what a person changed becomes a revision."""
        path = self._path(file)
        try:
            mark = _mark(path)
            if self._seen.get(file) == mark:
                return self._entries[file]
            text = path.read_bytes().decode("utf-8", "replace") if mark[1] else ""
        except OSError as error:
            raise MemoryFilesError(_cannot("read", path, error)) from None
        found = memory_entries.parse(text.replace("\r\n", "\n"))
        revision = self._known.by_hand(file, found, self._now())
        if revision is not None:
            self._record(revision)
        self._seen[file], self._entries[file] = mark, found
        return found

    def _record(self, revision: Revision) -> None:
        try:
            self._journal.append([memory_revisions.dump(revision)], sync=True)
        except JournalError as error:
            raise MemoryFilesError(error.sentence) from None
        self._known.take(revision)

    def _path(self, file: str) -> Path:
        return self._folder / f"{file}.md"

    def close(self) -> None:
        """Close the revisions and free their lock; a second call does nothing."""
        self._journal.close()


def _mark(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


def _cannot(what: str, path: Path, error: OSError) -> str:
    reason = system_reason(error)
    return f"{path} cannot be {what}: {reason}; mend it and try again"
