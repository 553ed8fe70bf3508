"""``memory.md``, ``user.md`` and ``notes.md`` on disk, and the revisions of each (spec 4.1, 4.2).

An edit's revision is on disk before the file is: a crash between the two leaves an edit that was never told
to have happened, and no entry without its label. A file that a person edited is read again, and that edit
becomes a revision too. Whether one did is looked at byte by byte, also just before the rename: two edits
within a tick of the file system's clock may leave time and size as they were.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

from bxcore import journal, memory_entries, memory_revisions
from bxcore.erasing import Place
from bxcore.errors import SentenceError, system_reason
from bxcore.labels import NEW_SESSION, Label
from bxcore.memory_entries import LIMITS, Edited, NotEdited
from bxcore.memory_known import Known
from bxcore.memory_revisions import Revision, Who
from bxio import lost_revisions
from bxio.folders import beside, discard, make_private, put_in_place, write_beside, write_whole
from bxio.journal_file import JournalError, JournalFile

REVISIONS = "revisions.jsonl"
MOST_BYTES = 1_048_576
"""No memory file is so long; a longer one is not read."""
TRIES = 3
"""How often an edit is made anew on what a person wrote meanwhile."""


class MemoryFilesError(SentenceError):
    """A memory file cannot be read or written; ``sentence`` says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file with its label."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """Who makes an edit, with which label; a session's turn names itself."""

    label: Label
    who: Who = "session"
    session: str = ""
    turn: int = 0
    undoes: int = 0


OPERATOR = Editor(who="operator", label=NEW_SESSION)


class MemoryFiles:
    """The three files of one folder. Used by one thread; ``now`` gives ISO 8601 in UTC."""

    def __init__(self, folder: Path, journal: JournalFile, known: Known, now: Callable[[], str]) -> None:
        self._folder = folder
        self._journal = journal
        self._known = known
        self._now = now
        self._data: dict[str, bytes] = {}
        """The bytes of each file when it was read last."""
        self._entries: dict[str, tuple[str, ...]] = {}
        self._odd: set[str] = set()
        """Files whose bytes are no UTF-8."""
        self.lost = ""
        """A sentence for the owner when the revisions were lost and this opening began them anew."""

    @classmethod
    def open(cls, folder: Path, now: Callable[[], str], *, lived: bool = False) -> Self:
        """Make the folder (0700) or take the one that is there. Raises ``MemoryFilesError``.

        ``lived`` says that the box has been here before. Then revisions that are gone, or of which no line
        can be read, were lost, and every entry in the files is untrusted; else a person wrote them by hand.
        """
        try:
            make_private(folder)
            lost = _mend(folder, now()) if lived else ""
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
        files = cls(folder, journal, known, now)
        files.lost = lost
        for path in (folder / REVISIONS, *map(files.path, LIMITS)):
            discard(beside(path))  # of a crash; it may hold what is forgotten later
        return files

    def entries(self, file: str) -> tuple[Entry, ...]:
        """The entries of one file as they are on disk now. Raises ``MemoryFilesError``."""
        found = self._read(file)
        return tuple(Entry(text, self._known.label(file, text)) for text in found)

    def texts(self, file: str) -> tuple[str, ...]:
        """The same without labels."""
        return self._read(file)

    @property
    def known(self) -> Known:
        """What the revisions say; not to be changed."""
        return self._known

    def path(self, file: str) -> Path:
        """Where one file lies; what a link leads to is edited, not the link."""
        return _path(self._folder, file)

    def edit(
        self, file: str, change: Callable[[tuple[str, ...]], Edited | NotEdited], editor: Editor
    ) -> Edited | NotEdited:
        """Put on disk what ``change`` makes of the entries, the revision first. Raises ``MemoryFilesError``.

        What a person saved meanwhile is read, and the change made anew on it.
        """
        for _ in range(TRIES):
            edited = change(self._read(file))
            if isinstance(edited, NotEdited):
                return edited
            self._refuse_when_odd(file)
            if self._put(file, edited, editor):
                return edited
        raise MemoryFilesError(f"{self.path(file)} changes under the edit; close it elsewhere and try again")

    def lift(self, file: str, text: str) -> None:
        """Note that an operator lifted the label of one entry. Raises ``MemoryFilesError``."""
        self._record(Revision(file=file, who="operator", at=self._now(), label=NEW_SESSION, lifted=(text,)))

    def forget(self, holds: Callable[[str], bool]) -> int:
        """Take texts out of the files, and out of every revision, whose numbers and labels stay.

        Gives how many revisions held one. Raises ``MemoryFilesError``; then it may be done again.
        """
        for file in LIMITS:
            self.edit(file, partial(memory_entries.without, holds=holds), OPERATOR)
        revisions = memory_revisions.blanked(self._known.revisions, holds)
        changed = sum(old != new for old, new in zip(self._known.revisions, revisions, strict=True))
        if changed:
            self._rewrite(revisions)
        return changed

    def forget_places(self, places: Iterable[Place]) -> int:
        """The same for the texts that stand at places of the revisions, and wherever else they stand."""
        texts = self._known.texts_at(places)
        return self.forget(texts.__contains__) if texts else 0

    def _rewrite(self, revisions: Sequence[Revision]) -> None:
        path = self._folder / REVISIONS
        try:
            write_whole(path, journal.written(map(memory_revisions.dump, revisions)))
        except OSError as error:
            raise MemoryFilesError(_cannot("written", path, error)) from None
        self._journal.close()
        try:
            self._journal = JournalFile.open(path)
        except JournalError as error:
            raise MemoryFilesError(error.sentence) from None
        self._known = Known.of(revisions)

    def _put(self, file: str, edited: Edited, editor: Editor) -> bool:
        """Write an edit; False, with the file as it is, when a person saved it meanwhile."""
        revision = self._revision(file, edited, editor)
        if not edited.removed and not edited.added:
            self._record(revision)
            return True
        path = self.path(file)
        try:
            new = write_beside(path, memory_entries.render(edited.entries).encode(), self._mode(file))
        except OSError as error:
            raise MemoryFilesError(_cannot("written", path, error)) from None
        try:
            return self._put_in_place(revision, new, path)
        finally:
            discard(new)

    def _mode(self, file: str) -> int:
        """What its mode will be: a linked file keeps its own. Raises ``MemoryFilesError``, ``OSError``."""
        link = self._folder / f"{file}.md"
        if not link.is_symlink() or not link.exists():
            return 0o600
        found = link.stat()
        # A new file takes its place: both would be lost.
        if found.st_uid != os.geteuid() or found.st_nlink > 1:
            raise MemoryFilesError(
                f"{link} leads to {self.path(file)}, which is another user's or has a second name; "
                "link to a file of your own with one name"
            )
        return stat.S_IMODE(found.st_mode)

    def _put_in_place(self, revision: Revision, new: Path, path: Path) -> bool:
        file = revision.file
        if not self._is_as_read(file):
            return False
        self._record(revision)
        if not self._is_as_read(file):
            self._take_back(revision)
            return False
        read = self._data.pop(file)
        try:
            put_in_place(new, path)
        except OSError as error:
            with suppress(OSError, MemoryFilesError):  # else the next reading finds out
                if _bytes_of(path) == read:
                    self._take_back(revision)
            raise MemoryFilesError(_cannot("written", path, error)) from None
        return True

    def _revision(self, file: str, edited: Edited, editor: Editor) -> Revision:
        return Revision(
            file=file,
            who=editor.who,
            at=self._now(),
            label=editor.label,
            removed=edited.removed,
            added=edited.added,
            session=editor.session,
            turn=editor.turn,
            undoes=editor.undoes,
        )

    def _take_back(self, revision: Revision) -> None:
        """Note that the newest revision never came to the file, so that it is nobody's edit by hand."""
        number = len(self._known.revisions)
        self._record(replace(revision, removed=revision.added, added=revision.removed, undoes=number))

    def _is_as_read(self, file: str) -> bool:
        path = self.path(file)
        try:
            return _bytes_of(path) == self._data[file]
        except OSError as error:
            raise MemoryFilesError(_cannot("read", path, error)) from None

    def _refuse_when_odd(self, file: str) -> None:
        """An edit would write its other bytes as U+FFFD."""
        if file in self._odd:
            raise MemoryFilesError(f"{self.path(file)} is not UTF-8; save it as UTF-8 and try again")

    def _read(self, file: str) -> tuple[str, ...]:
        """The entries on disk; what a person changed since the last reading becomes a revision."""
        path = self.path(file)
        try:
            data = _bytes_of(path)
        except OSError as error:
            raise MemoryFilesError(_cannot("read", path, error)) from None
        if self._data.get(file) == data:
            return self._entries[file]
        found = memory_entries.parse(self._decoded(file, data))
        revision = self._known.by_hand(file, found, self._now())
        if revision is not None:
            self._record(revision)
        self._data[file], self._entries[file] = data, found
        return found

    def _record(self, revision: Revision) -> None:
        try:
            self._journal.append([memory_revisions.dump(revision)], sync=True)
        except JournalError as error:
            raise MemoryFilesError(error.sentence) from None
        self._known.take(revision)

    def _decoded(self, file: str, data: bytes) -> str:
        """Its text; notes whether that is all of it."""
        try:
            data.decode("utf-8")
            self._odd.discard(file)
        except UnicodeDecodeError:
            self._odd.add(file)
        return _text(data)

    def close(self) -> None:
        """Close the revisions and free their lock; a second call does nothing."""
        self._journal.close()


def _mend(folder: Path, at: str) -> str:
    """Begin lost revisions anew; a sentence about that, empty when none were lost. Raises ``OSError``."""
    path = folder / REVISIONS
    how = lost_revisions.lost(path)
    if not how:
        return ""
    found = [(file, memory_entries.parse(_text(_bytes_of(_path(folder, file))))) for file in LIMITS]
    kept = lost_revisions.begin_anew(path, found, at)
    count = sum(len(entries) for _, entries in found)
    return (
        f"{path} {how}, and with it who wrote what: all entries ({count}) count as untrusted now; "
        "bxctl memory list shows them, memory trust ID lifts it from one"
        + (f"; what was there is {kept}" if kept else "")
    )


def _path(folder: Path, file: str) -> Path:
    path = folder / f"{file}.md"
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _text(data: bytes) -> str:
    """A person's editor may have put a byte order mark before it, and CRLF between its lines."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n")


def _bytes_of(path: Path) -> bytes:
    """What a file holds, nothing when there is none. Raises ``OSError``, ``MemoryFilesError``."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return b""
    if not stat.S_ISREG(mode):  # a pipe would block, and a device be renamed over
        raise OSError(errno.EINVAL, "is a directory" if stat.S_ISDIR(mode) else "is a pipe or a device")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
        size = os.fstat(file.fileno()).st_size
    if len(data) > MOST_BYTES:
        raise MemoryFilesError(f"{path} has {size} bytes and no memory file may; shorten it and try again")
    return data


def _cannot(what: str, path: Path, error: OSError) -> str:
    reason = system_reason(error)
    return f"{path} cannot be {what}: {reason}; mend it and try again"
