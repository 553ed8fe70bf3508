"""An append-only log file that holds what it acknowledged through kill, power loss and a full disk.

The framing is ``bxcore.journal``. One object is used by one thread. A failed sync poisons the file for the
life of the process: its pages may be marked clean and never reach the disk, so neither a retry nor a second
open would tell the truth.
"""

from __future__ import annotations

import fcntl
import os
import stat
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bxcore import journal
from bxcore.errors import SentenceError
from bxio.folders import sync_folder

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_poisoned: set[tuple[int, int]] = set()
"""Device and inode of each file that failed a sync in this process."""


class JournalError(SentenceError):
    """The log cannot be opened or written; ``sentence`` says why. Nothing acknowledged is lost."""


@dataclass(frozen=True, slots=True)
class Torn:
    """A tail that a crash left half written: it was never acknowledged, and lies in ``kept`` now."""

    size: int
    """Bytes."""
    kept: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The first ``size`` bytes of a log, which are known to be good: ``number`` lines, all synced.

    ``crc`` is the last line's checksum, ``first`` its batch, ``check`` the CRC-32 of all these bytes.
    """

    size: int
    number: int
    first: int
    crc: str
    check: int


class JournalFile:
    """One open log, locked against every other opener."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.torn: Torn | None = None
        self.payloads: tuple[str, ...] = ()
        """What the file held when it was opened, behind the prefix that was known."""
        self.skipped = 0
        """Lines of that prefix."""
        self._known: Prefix | None = None
        self._check = 0
        self._first = 0
        self._fd = descriptor
        self._seq = 0
        self._synced = 0
        self._size = 0
        self._crc = journal.START
        found = os.fstat(descriptor)
        self._identity = found.st_dev, found.st_ino

    @classmethod
    def open(cls, path: Path, known: Prefix | None = None) -> Self:
        """Open or make the file (0600), cut a torn tail, and keep it aside.

        What is ``known`` is not read as lines if the file still begins with it.

        Raises ``JournalError`` when it cannot be opened, is another's, is locked or is damaged.
        """
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except OSError as error:
            raise JournalError(f"{path} cannot be opened: {error.strerror}") from None
        opened = cls(path, descriptor)
        opened._known = known
        try:
            opened._check_and_lock()
            opened._recover()
        except OSError as error:
            opened.close()
            raise JournalError(f"{path} cannot be recovered: {error.strerror}") from None
        except JournalError:
            opened.close()
            raise
        return opened

    def _check_and_lock(self) -> None:
        found = os.fstat(self._fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise JournalError(f"{self.path} must be a plain file of the box's user; see ls -l {self.path}")
        if found.st_mode & 0o077:
            raise JournalError(f"{self.path} is open to others; type chmod 600 {self.path}")
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(f"{self.path} is open elsewhere; close it there first") from None
        if not is_at(self.path, found):
            raise JournalError(f"{self.path} was written anew just now; try again")
        self._refuse_when_poisoned()

    def _refuse_when_poisoned(self) -> None:
        if self._fd < 0:
            raise ValueError(f"{self.path} is closed")
        if self._identity in _poisoned:
            raise JournalError(_POISONED.format(path=self.path))

    def _recover(self) -> None:
        """Trust only what is synced: what the last run wrote may stand in the page cache alone."""
        os.fsync(self._fd)
        sync_folder(self.path.parent)
        data, known = _read_all(self._fd), self._known
        if known is None or zlib.crc32(memoryview(data)[: known.size]) != known.check:
            known = Prefix(size=0, number=0, first=0, crc=journal.START, check=0)
        try:
            found = journal.recover(data[known.size :], seq=known.number, first=known.first, crc=known.crc)
        except journal.DamageError as error:
            raise JournalError(
                f"{self.path}: {error}; it is left as it is, restore it from a backup"
            ) from None
        if found.tail:
            self.torn = Torn(len(found.tail), keep_aside(self.path, found.tail))
            os.ftruncate(self._fd, known.size + found.good_bytes)
            os.fsync(self._fd)
        self.payloads, self.skipped = found.payloads, known.number
        self._seq = self._synced = self._first = known.number + len(found.payloads)
        self._size, self._crc = known.size + found.good_bytes, found.crc
        self._check = zlib.crc32(memoryview(data)[: self._size])

    @property
    def prefix(self) -> Prefix:
        """All of it so far; ask for it behind a synced append."""
        return Prefix(size=self._size, number=self._seq, first=self._first, crc=self._crc, check=self._check)

    def append(self, payloads: Sequence[str], *, sync: bool) -> None:
        """Write whole lines in one write; with ``sync`` all lines so far are on disk when this returns.

        Raises ``JournalError``: after a failed write the file is as before, after a failed sync poisoned.
        """
        self._refuse_when_poisoned()
        data, crc = journal.frame(payloads, self._seq, self._crc, first=self._synced)
        self._write(data)
        self._check, self._first = zlib.crc32(data, self._check), self._synced
        self._seq, self._crc, self._size = self._seq + len(payloads), crc, self._size + len(data)
        if sync:
            self._sync()

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._fd, data)
        except OSError as error:
            self._take_back()
            raise JournalError(f"{self.path} cannot be written: {error.strerror}") from None
        if written != len(data):
            self._take_back()
            raise JournalError(f"{self.path} cannot be written: the disk took {written} of {len(data)} bytes")

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._size)
        except OSError:
            _poisoned.add(self._identity)

    def _sync(self) -> None:
        try:
            os.fdatasync(self._fd)
        except OSError:
            _poisoned.add(self._identity)
            raise JournalError(_POISONED.format(path=self.path)) from None
        self._synced = self._seq

    @property
    def closed(self) -> bool:
        """Whether it takes no more."""
        return self._fd < 0

    def let_go(self) -> int:
        """The descriptor, for who keeps the file's lock without writing to it; the file is as if closed."""
        descriptor, self._fd = self._fd, -1
        return descriptor

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        descriptor = self.let_go()
        if descriptor >= 0:
            os.close(descriptor)


_POISONED = "{path} could not be synced to the disk; look at the disk, then restart the box"


def read_beside(path: Path) -> tuple[str, ...]:
    """Every record of a journal that another thread writes; none when there is no such file.

    A last line that is being written is left out. Raises ``JournalError``.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return journal.recover(data).payloads
    except journal.DamageError as error:
        raise JournalError(f"{path}: {error}; restore it from a backup") from None


def is_at(path: Path, found: os.stat_result) -> bool:
    """Whether an open file is still the one of that name: its lock says nothing of one in its place."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (found.st_dev, found.st_ino)


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return file.read()


def keep_aside(path: Path, tail: bytes) -> Path:
    """Write the tail to a new file beside the log, and sync both it and the folder before it is cut."""
    number = 1
    while (kept := path.with_name(f"{path.name}.torn-{number}")).exists():
        number += 1
    descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(tail)
        file.flush()
        os.fsync(descriptor)
    sync_folder(path.parent)
    return kept
