"""Forgetting a session, or what holds a text, on this box; Honcho is the outbox's part (spec 4.2, 4.7).

The order is on disk first, without a word of what is forgotten; each step may be done again, and a start
finishes what a crash left undone. A room of ``actors/memory.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from loguru import logger

from actors.base import Refusal
from actors.memory_parts import Places
from actors.memory_recalls import Recalls
from bxcore import session_ids
from bxcore.args.memory import FILES
from bxcore.decide import turns
from bxcore.erasing import CarriedOut, EraseOrder
from bxcore.forgetting import Needle, turns_with
from bxcore.memory_views import ForgetView, Told
from bxcore.messages.memory_operator import Forget
from bxcore.session_fold import log_of
from bxio import log_rewriting
from bxio.forgotten import Forgotten
from bxio.journal_file import JournalError
from bxio.memory_files import MemoryFiles, MemoryFilesError
from bxio.session_store import BASELINE, LOG, SessionError, SessionStore

NAMED = 5
"""Sessions that a sentence names at most."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Turns of one session that are to be forgotten, None for all ``count`` of them."""

    session: str
    log: str
    turns: tuple[int, ...] | None
    count: int


class Forgetting:
    """Used by the memory's thread. ``tell`` has the outbox read its orders; ``wall`` is ISO 8601."""

    def __init__(  # noqa: PLR0913 - all by name
        self,
        *,
        places: Places,
        files: MemoryFiles,
        recalls: Recalls,
        journal: Forgotten,
        tell: Callable[[], None],
        wall: Callable[[], str],
    ) -> None:
        self._places = places
        self._sessions: SessionStore = places.sessions
        self._files = files
        self._recalls = recalls
        self._journal = journal
        self._tell = tell
        self._wall = wall

    def finish(self) -> None:
        """Do what a crash left undone; what cannot be done now is tried at the next start."""
        log_rewriting.sweep(self._sessions.folder)
        for order in self._journal.unfinished:
            try:
                self._carry_out(order)
            except (SessionError, JournalError, OSError) as error:
                logger.error("memory: session {} is not forgotten yet: {}", order.session, error)

    def forget(self, message: Forget) -> ForgetView | Told:
        """Say what would be forgotten, or forget it; with a session open, nothing is changed."""
        problem = self._problem(message)
        if problem is not None:
            return problem
        try:
            return self._forget(message)
        except (SessionError, MemoryFilesError, JournalError) as error:
            raise Refusal(error.sentence) from None

    def _problem(self, message: Forget) -> Told | None:
        if bool(message.session) == bool(message.text):
            return Told(ok=False, sentence="name a session or a text, and not both")
        if message.text and not Needle(message.text).folded:
            return Told(ok=False, sentence="the text is empty; write the words that are to be forgotten")
        if message.session and session_ids.problem(message.session):
            return Told(ok=False, sentence=str(session_ids.problem(message.session)))
        if message.session and not self._sessions.exists(message.session):
            see = "bxctl sessions lists them"
            return Told(ok=False, sentence=f"there is no session {message.session}; {see}", known=False)
        return None

    def _forget(self, message: Forget) -> ForgetView:
        needle = Needle(message.text) if message.text else None
        unreadable: list[str] = []
        found = tuple(self._found(message.session, needle, unreadable))
        entries = self._entries(needle)
        busy = tuple(each.session for each in found if log_rewriting.is_open(self._folder(each.session)))
        done = not message.dry_run and not busy
        left = (*unreadable, *self._left(needle, found, message.session))
        revisions = self._do(found, needle) if done else self._revisions(needle)
        return ForgetView(
            done=done,
            sessions=tuple(each.session for each in found),
            turns=sum(each.count for each in found),
            entries=entries,
            revisions=revisions,
            busy=busy,
            left=left,
        )

    # What there is.

    def _found(self, session: str, needle: Needle | None, unreadable: list[str]) -> Iterator[_Found]:
        if needle is None:
            records = self._sessions.read(session)
            yield _Found(session, log_of(records), None, turns(records))
            return
        for stored in self._sessions.list():
            try:
                if needle.may_be_in((self._folder(stored.session) / LOG).read_bytes()):
                    records = self._sessions.read(stored.session)
                    numbers = turns_with(records, needle)
                    if numbers:
                        yield _Found(stored.session, log_of(records), numbers, len(numbers))
            except SessionError as error:
                unreadable.append(f"{error.sentence}; it may hold the text")
            except OSError as error:
                unreadable.append(f"session {stored.session} cannot be read: {error.strerror}")

    def _entries(self, needle: Needle | None) -> int:
        if needle is None:
            return 0
        return sum(needle.stands_in(text) for file in FILES for text in self._files.texts(file))

    def _revisions(self, needle: Needle | None) -> int:
        if needle is None:
            return 0
        return sum(
            any(map(needle.stands_in, (*each.removed, *each.added, *each.lifted)))
            for each in self._files.known.revisions
        )

    def _left(self, needle: Needle | None, found: tuple[_Found, ...], session: str) -> Iterator[str]:
        """What keeps something of it and is not changed, one sentence each."""
        if needle is None:
            came = sum(
                revision is not None and revision.session == session
                for file in FILES
                for text in self._files.texts(file)
                for revision in [self._files.known.origin(file, text)]
            )
            if came:
                entries = "1 entry" if came == 1 else f"{came} entries"
                yield f"{entries} of memory came from it; bxctl memory list shows them, with their ids"
        else:
            yield from self._baselines(needle, {each.session for each in found if each.turns is None})
        for path, sentence in self._places.kept.items():
            data = path.read_bytes() if path.is_file() else b""
            if needle.may_be_in(data) if needle is not None else f'"{session}"'.encode() in data:
                yield sentence
        if found and self._places.concludes:
            yield "what the Honcho server concluded from it may stay there; ask who runs it"

    def _baselines(self, needle: Needle, gone: set[str]) -> Iterator[str]:
        named = [
            stored.session
            for stored in self._sessions.list()
            if stored.session not in gone and self._in_baseline(stored.session, needle)
        ]
        if named:
            shown = ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" if named[NAMED:] else "")
            yield f"sessions that began with it in their memory block keep it: {shown}; forget them whole"

    def _in_baseline(self, session: str, needle: Needle) -> bool:
        try:
            data = (self._folder(session) / BASELINE).read_bytes()
        except OSError:
            return False
        return needle.may_be_in(data) and needle.stands_in(data.decode("utf-8", "replace"))

    # Doing it.

    def _do(self, found: tuple[_Found, ...], needle: Needle | None) -> int:
        at = self._wall()
        orders = [
            EraseOrder(id=uuid4().hex, at=at, session=each.session, log=each.log, turns=each.turns)
            for each in found
        ]
        if orders:
            self._journal.append(orders)
        for order in orders:
            self._carry_out(order)
        if orders:
            self._tell()
        if needle is None:
            return 0
        revisions = self._files.forget(needle.stands_in)
        self._recalls.forget_notes()
        return revisions

    def _carry_out(self, order: EraseOrder) -> None:
        """The index last: a session that is read again there is one whose texts are gone."""
        folder = self._folder(order.session)
        if self._is_that_log(order) and order.turns is not None:
            log_rewriting.forget_turns(folder, order.turns)
        elif self._is_that_log(order):
            log_rewriting.forget_session(folder)
            if self._places.work is not None:
                shutil.rmtree(self._places.work / order.session, ignore_errors=True)
        stored = self._sessions.find(order.session)
        self._recalls.forget(order.session, order.turns, 0 if stored is None else stored.size)
        self._journal.append([CarriedOut(order.id)])

    def _is_that_log(self, order: EraseOrder) -> bool:
        """Not one that was begun anew under its name, since a crash left the order undone."""
        return (
            self._folder(order.session).exists() and log_of(self._sessions.read(order.session)) == order.log
        )

    def _folder(self, session: str) -> Path:
        return self._sessions.folder / session
