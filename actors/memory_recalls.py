"""What ``recall`` finds, and the index that it looks into (spec 4.3); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import islice

from loguru import logger

from actors.memory_parts import Places, failed
from actors.memory_searches import HonchoSearches, Looked
from bxcore import recall_query
from bxcore.args import RecallArgs
from bxcore.errors import system_reason
from bxcore.finished_turns import FinishedTurn, finished_turns
from bxcore.messages.memory import Recall
from bxcore.messages.memory_operator import SearchMemory
from bxcore.recall_facts import RecallFacts
from bxcore.recall_hits import Note, Searched, without_nothing_found
from bxcore.sanitize import redact
from bxcore.tool_answer import ToolAnswer
from bxio import recall
from bxio.memory_files import Entry, MemoryFiles, MemoryFilesError
from bxio.recall import RecallIndex, RecallIndexError
from bxio.recall.index import BATCH, TAIL, Gone
from bxio.session_store import SessionError
from bxio.turn_intake import Ended

INDEXED = 20_000
"""Characters of what was said, and of a reply, that the index takes in."""
AT_ONCE = 100
"""Turns that are indexed before it looks at its time again; they take some milliseconds."""
PART_OF_A_LOG = -1
"""The size of a log of which a part is in: no log has it, so the next start takes in the rest."""


class Recalls:
    """Used by the memory's thread. ``missing`` counts the sessions that are still to be taken in.

    ``new`` is called when the index may lack some, ``tell`` with how it is. ``semantic`` is whether it looks
    by meaning too.
    """

    def __init__(  # noqa: PLR0913 (most by name)
        self,
        places: Places,
        files: MemoryFiles,
        honcho: HonchoSearches,
        *,
        missing: Callable[[], int],
        new: Callable[[], None],
        tell: Callable[[RecallFacts], None] | None = None,
    ) -> None:
        self._path = places.index
        self._sessions = places.sessions
        self._semantic = places.semantic
        self._most_bytes = places.most_bytes
        self._files = files
        self._honcho = honcho
        self._missing = missing
        self._new = new
        self._tell = tell
        self._problem = ""
        self._index: RecallIndex | None = None
        self._notes: tuple[Entry, ...] | None = None

    def start(self) -> None:
        """Open the index if it can be; a failure is logged, and the next recall tries again."""
        try:
            self._index = self._opened_index()
        except RecallIndexError as error:
            self._index_failed(error)

    def close(self) -> None:
        """Close the index."""
        if self._index is not None:
            self._index.close()

    def search(self, message: SearchMemory) -> ToolAnswer | None:
        """Search as an operator, who sees every session."""
        return self.recall(Recall(args=RecallArgs(query=message.query, k=message.k), session=""))

    def recall(self, message: Recall) -> ToolAnswer | None:
        """Search here, and in Honcho unless it is for the loop; answer at once, or when Honcho has."""
        try:
            index = self._ready_index()
            hits = index.search(
                message.args.query,
                k=message.args.k,
                without=message.session,
                but_upto=self._turns_before(message.session),
                trusted_only=message.trusted_only,
            )
            searched = None if hits else self._searched(index)
        except RecallIndexError as error:
            self._index_failed(error)
            if not error.damaged:
                return failed(f"recall: {error.sentence}")
            return failed("recall: the index is not sound and is made anew; ask again in a moment")
        except MemoryFilesError as error:
            return failed(f"recall: {error.sentence}")
        vague = not message.trusted_only and not recall_query.tells(message.args.query)
        found = Looked(hits, searched, vague)
        if message.trusted_only or not self._honcho.can_ask(message.args.query):
            return found.answer(message.args.k)
        self._honcho.ask(message, found)
        return None

    def _turns_before(self, session: str) -> int:
        """The session's turns of earlier epochs, whose words its model no longer sees."""
        try:
            return self._sessions.turns_before(session) if session else 0
        except SessionError:
            return 0

    def _searched(self, index: RecallIndex) -> Searched:
        turns, notes = index.counts()
        return Searched(turns=turns, notes=notes, missing=self._missing())

    def _ready_index(self) -> RecallIndex:
        """The index with the notes as they are on disk now; opened again when there is none."""
        if self._index is None:
            self._index = self._opened_index()
            self._problem = ""
            self._new()
        notes = self._files.entries("notes")
        if notes != self._notes:
            self._index.set_notes(Note(text=redact(entry.text), label=entry.label) for entry in notes)
            self._notes = notes
        return self._index

    def _opened_index(self) -> RecallIndex:
        index = RecallIndex.open(self._path, semantic=self._semantic)
        self._notes = None
        if index.made_anew not in {None, "missing"}:
            logger.warning("recall: the index was {} and is made anew from the logs", index.made_anew)
        return index

    def _index_failed(self, error: RecallIndexError) -> None:
        """A damaged cache is dropped and made anew; one on a full disk is left alone."""
        logger.error("recall: {}", error.sentence)
        self._problem = error.sentence
        if not error.damaged or self._index is None:
            return
        self._index.close()
        self._index = None
        try:
            recall.drop(self._path)
            self._index = self._opened_index()
        except RecallIndexError as another:
            self._problem = another.sentence
        except OSError as another:
            self._problem = f"the recall index cannot be removed: {system_reason(another)}"
        else:
            self._problem = ""
            self._new()

    def _works(self) -> None:
        """It took something in; what it could not before is looked for again."""
        if self._problem:
            self._problem = ""
            self._new()

    def sizes(self) -> dict[str, int]:
        """The bytes that each log had when it was taken in; none when there is no index."""
        try:
            return {} if self._index is None else self._index.sizes()
        except RecallIndexError as error:
            self._index_failed(error)
            return {}

    def turns_in(self, session: str, log: str) -> int:
        """Up to which turn a session's log of that name is taken in; 0 when there is no index."""
        try:
            return 0 if self._index is None else self._index.turns_in(session, log)
        except RecallIndexError as error:
            self._index_failed(error)
            return 0

    def settle(self, *, bulk: bool) -> None:
        """Put what is new where it is found quickest, when there is enough of it; a lot with ``bulk``."""
        if self._index is None:
            return
        try:
            self._index.settle(BATCH if bulk else TAIL)
            self._index.bound(self._most_bytes)
        except RecallIndexError as error:
            self._index_failed(error)

    def forget(self, gone: Collection[Gone], *, again: bool = False) -> None:
        """Drop turns of sessions, and every word of a note that is gone; ``again`` is for after a crash.

        An index that cannot let go is removed, and made anew from logs and notes. Raises
        ``RecallIndexError`` when it cannot be removed either, and ``MemoryFilesError``.
        """
        try:
            self._ready_index().forget_each(gone, again=again)
        except RecallIndexError as error:
            self._give_up(error.sentence)

    def _give_up(self, sentence: str) -> None:
        self.close()
        self._index = None
        try:
            recall.drop(self._path)
        except OSError as error:
            reason = system_reason(error)
            raise RecallIndexError(f"the recall index cannot be removed: {reason}; remove it") from None
        logger.warning("recall: {}; the index is made anew from the logs", sentence)
        try:
            self._index = self._opened_index()
        except RecallIndexError as error:
            self._problem = error.sentence
        else:
            self._new()

    def taken_in(self, ended: Ended) -> Iterator[None]:
        """Index the turns that have ended, some at a time; what is in is known if it is never gone on."""
        index = self._index
        if index is None:
            return
        try:
            begun = index.turns_in(ended.session, ended.log)
            turns = (turn for turn in _of(ended) if begun < turn.turn <= ended.upto)
            while some := [_redacted(turn) for turn in islice(turns, AT_ONCE)]:
                upto, size = some[-1].turn, PART_OF_A_LOG
                index.add_turns(ended.session, some, size=size, upto=upto, log=ended.log)
                yield
                if self._index is not index:  # made anew meanwhile, and this session with it
                    return
            index.add_turns(ended.session, (), size=ended.size, upto=ended.upto, log=ended.log)
        except RecallIndexError as error:
            self._index_failed(error)
        else:
            self._works()

    def _held(self, index: RecallIndex) -> RecallFacts:
        turns, notes = index.counts()
        return RecallFacts(
            turns=turns,
            notes=notes,
            disk_bytes=index.disk_bytes(),
            left_out=index.left_out(),
            problem=self._problem,
        )

    def publish(self, missing: int, of: int) -> None:
        """Tell the box how the index is, with ``missing`` of ``of`` sessions to be taken in still."""
        if self._tell is None:
            return
        facts = RecallFacts(missing=missing, of=of, problem=self._problem)
        if self._index is not None and not missing:
            try:
                facts = self._held(self._index)
            except RecallIndexError as error:
                self._index_failed(error)
                facts = replace(facts, problem=self._problem)
        self._tell(facts)


def _of(ended: Ended) -> Iterator[FinishedTurn]:
    return finished_turns(ended.session, ended.records)


def _redacted(turn: FinishedTurn) -> FinishedTurn:
    return replace(
        turn, user=redact(turn.user)[:INDEXED], reply=without_nothing_found(redact(turn.reply))[:INDEXED]
    )
