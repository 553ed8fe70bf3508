"""Forgetting a session, or what holds a text, on this box; Honcho is the outbox's part (spec 4.2, 4.7).

The order is on disk first, without a word of what is forgotten; each step may be done again, and a start or
the next wish to forget finishes what a crash left undone. A room of ``actors/memory.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from loguru import logger

from actors.base import Refusal
from actors.memory_finding import Finding, Holding
from actors.memory_parts import Places
from actors.memory_recalls import Recalls
from actors.memory_staying import Staying
from bxcore import session_ids
from bxcore.erasing import CarriedOut, EraseOrder, Order, ScrubOrder
from bxcore.errors import SentenceError, system_reason
from bxcore.forgetting import Needle
from bxcore.memory_views import ForgetView, Told
from bxcore.messages.memory_operator import Forget
from bxio import log_rewriting
from bxio.forgotten import Forgotten
from bxio.memory_files import MemoryFiles
from bxio.session_store import SessionStore


class Forgetting:
    """Used by the memory's thread. ``tell`` has the outbox read its orders; ``wall`` is ISO 8601.

    ``known_log`` gives the name of the log that a session had last, for one whose own start is damaged.
    """

    def __init__(  # noqa: PLR0913 - all by name
        self,
        *,
        places: Places,
        files: MemoryFiles,
        recalls: Recalls,
        journal: Forgotten,
        tell: Callable[[], None],
        wall: Callable[[], str],
        known_log: Callable[[str], str],
    ) -> None:
        self._sessions: SessionStore = places.sessions
        self._work = places.work
        self._files = files
        self._finding = Finding(places.sessions, files, known_log)
        self._staying = Staying(places, files)
        self._recalls = recalls
        self._journal = journal
        self._tell = tell
        self._wall = wall

    def finish(self) -> None:
        """Do what a crash or a failure left undone; what cannot be done now is tried again."""
        log_rewriting.sweep(self._sessions.folder)
        if not self._journal.unfinished:
            return
        for sentence in self._carry_out(self._journal.unfinished, again=True):
            logger.error("memory: {}", sentence)

    def forget(self, message: Forget) -> ForgetView | Told:
        """Say what would be forgotten, or forget it; with a session open, nothing is changed."""
        problem = self._problem(message)
        if problem is not None:
            return problem
        try:
            return self._forget(message)
        except SentenceError as error:
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
        holding = self._finding.whole(message.session) if needle is None else self._finding.text(needle)
        busy = tuple(
            each.session for each in holding.found if log_rewriting.is_open(self._folder(each.session))
        )
        done = not message.dry_run and not busy
        # Before it is done, while what keeps something can be found; and not again while it waits.
        stays = self._staying.of(holding, needle, message.session) if done or message.dry_run else ()
        return ForgetView(
            done=done,
            sessions=tuple(each.session for each in holding.found),
            turns=sum(each.count for each in holding.found),
            entries=holding.entries,
            revisions=holding.revisions,
            busy=busy,
            left=(*(self._do(holding) if done else ()), *stays),
        )

    # Doing it.

    def _do(self, holding: Holding) -> Sequence[str]:
        """Order it, do it, and say in a sentence each what could not be done now."""
        self.finish()
        at = self._wall()
        orders: list[Order] = [
            EraseOrder(id=uuid4().hex, at=at, session=each.session, log=each.log, turns=each.turns)
            for each in holding.found
        ]
        if holding.places or holding.files:
            orders.append(
                ScrubOrder(id=uuid4().hex, at=at, places=holding.places, files=tuple(holding.files))
            )
        if not orders:
            return ()
        self._journal.append(orders)
        if holding.found:
            self._tell()
        return self._carry_out(orders, again=False)

    def _carry_out(self, orders: Sequence[Order], *, again: bool) -> Sequence[str]:
        """The index last: a session that is read again there is one whose texts are gone."""
        done: list[Order] = []
        problems: list[str] = []
        for order in orders:
            try:
                problems += self._in_files(order)
                done.append(order)
            except (SentenceError, OSError) as error:
                problems.append(_not_yet(order, error))
        try:
            self._recalls.forget(
                [self._gone(each) for each in done if isinstance(each, EraseOrder)], again=again
            )
            self._journal.append([CarriedOut(order.id) for order in done])
        except SentenceError as error:
            problems += [_not_yet(order, error) for order in done]
        return problems

    def _in_files(self, order: Order) -> Sequence[str]:
        """Logs and what lies beside them, or memory's files; gives what stays for good."""
        if isinstance(order, ScrubOrder):
            self._files.forget_places(order.places)
            log_rewriting.remove(*(self._sessions.folder / file for file in order.files))
            return ()
        folder = self._folder(order.session)
        if not self._is_that_log(order):
            return ()
        if order.turns is not None:
            log_rewriting.forget_turns(folder, order.turns)
            return ()
        work = None if self._work is None else self._work / order.session
        stays = log_rewriting.forget_session(folder, work)
        return () if stays is None else (stays,)

    def _gone(self, order: EraseOrder) -> tuple[str, tuple[int, ...] | None, int]:
        """All of a session whose log is another one by now: that one is read again at the next start."""
        stored = self._sessions.find(order.session)
        if stored is None or not self._is_that_log(order):
            return order.session, None, 0
        return order.session, order.turns, stored.size

    def _is_that_log(self, order: EraseOrder) -> bool:
        """Not one that was begun anew under its name, since a crash left the order undone."""
        folder = self._folder(order.session)
        return folder.exists() and log_rewriting.log_name(folder) in {order.log, ""}

    def _folder(self, session: str) -> Path:
        return self._sessions.folder / session


def _not_yet(order: Order, error: SentenceError | OSError) -> str:
    what = "memory's files are" if isinstance(order, ScrubOrder) else f"session {order.session} is"
    why = error.sentence if isinstance(error, SentenceError) else system_reason(error)
    return (
        f"{what} not rid of it yet: {why}; it is done at the next start, or when you forget something again"
    )
