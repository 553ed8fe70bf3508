"""Memory: its files, the recall index, questions to Honcho, and where finished turns go (spec, chapter 4).

It never waits for Honcho: an ``ask_memory`` is one short-lived ``HonchoChat`` a workspace, both asked at
once under one deadline, and a message to itself when they are over. So a ``recall`` meanwhile is answered at
once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import assert_never

from loguru import logger

from actors.base import Actor, Answer, Context, Delivery, Failed, Late, Mailbox, Refusal, Reply
from bxcore import ask_answer, memory_edits, recalled, workspaces
from bxcore.ask_answer import Answered, Unavailable, WorkspaceResult
from bxcore.finished_turns import FinishedTurn, finished_turns
from bxcore.labels import NEW_SESSION, join
from bxcore.memory_entries import IDENTITY, NotEdited
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatUnavailable
from bxcore.messages.memory import (
    AskMemory,
    CatchUp,
    ChatsGathered,
    EditMemory,
    MemoryBlock,
    MemoryMessage,
    Recall,
    TellOutbox,
    TurnEnded,
)
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.messages.supervision import StartChild
from bxcore.recall_hits import Note, Searched
from bxcore.sanitize import has_secret, neutralise, redact
from bxcore.supervision import ChildSpec
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from bxcore.workspaces import Readable, UnknownWorkspace
from bxio import recall_index
from bxio.journal_file import JournalError
from bxio.memory_files import Editor, Entry, MemoryFiles, MemoryFilesError
from bxio.recall_index import RecallIndex, RecallIndexError
from bxio.session_store import SessionError, SessionStore
from bxio.turn_intake import Ended, TurnIntake

SLICE_S = 0.05
"""How long it takes in old sessions before it looks at its mailbox again."""
OUTBOX_AGAIN_S = 5.0
INDEXED = 20_000
"""Characters of what was said, and of a reply, that the index takes in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where it keeps what: the folder of the three files, the index, the ledger, the sessions' logs."""

    files: Path
    index: Path
    ledger: Path
    sessions: SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How Honcho is asked: the workspaces that may be, the supervisor of the chats, and a chat's child spec.

    ``chat(child name, server-side workspace)`` gives the spec of one temporary ``HonchoChat``.
    """

    readable: tuple[Readable, ...]
    asks: Mailbox
    chat: Callable[[str, str], ChildSpec]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Where finished turns go: the outbox, this agent's own peer name, and ``[honcho] save``."""

    outbox: Mailbox
    agent: str
    save: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    """An ``ask_memory`` on its way."""

    asked: tuple[Readable, ...]
    reply: Reply | None


class Memory(Actor):
    """``now`` gives ISO 8601 in UTC, for revisions."""

    def __init__(  # noqa: PLR0913 (all by name)
        self,
        context: Context,
        *,
        places: Places,
        asking: Asking,
        saving: Saving,
        now: Callable[[], str],
        waits: Waits | None = None,
    ) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._places = places
        self._asking = asking
        self._saving = saving
        self._wall = now
        self._waits = waits or Waits()
        self._files: MemoryFiles | None = None
        self._intake: TurnIntake | None = None
        self._index: RecallIndex | None = None
        self._notes: tuple[Entry, ...] | None = None
        self._missing: deque[str] = deque()
        self._asks: dict[str, _Ask] = {}
        self._number = 0

    def on_start(self) -> None:
        """Open files and ledger (a failure refuses the start), the index if it can be, and catch up."""
        try:
            self._files = MemoryFiles.open(self._places.files, self._wall)
            self._intake = TurnIntake.open(
                self._places.sessions, self._places.ledger, agent=self._saving.agent, save=self._saving.save
            )
            self._start_index()
            self._look_for_missing()
            if self.incarnation > 1:  # the one before may have decided a turn and not told of it
                self._tell_outbox(LookAgain())
        except (MemoryFilesError, JournalError) as error:
            self.on_stop()
            raise Refusal(error.sentence) from None

    def on_stop(self) -> None:
        """Close every file."""
        for held in (self._files, self._intake, self._index):
            if held is not None:
                held.close()

    def on_receive(self, message: MemoryMessage) -> object:
        """Answer a tool's call or the loop's, or take in a turn."""
        match message:
            case Recall():
                return self._recall(message)
            case EditMemory():
                return self._edit(message)
            case AskMemory():
                return self._ask(message)
            case MemoryBlock():
                return self._block()
            case TurnEnded():
                self._take_in(message.session, message.turn)
            case ChatsGathered():
                self._answer_ask(message)
            case CatchUp():
                self._catch_up()
            case TellOutbox():
                self._tell_outbox(LookAgain())
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """Questions on their way, sessions still to be taken in."""
        return {"asks_running": len(self._asks), "sessions_missing": len(self._missing)}

    def _start_index(self) -> None:
        try:
            self._index = self._opened_index()
        except RecallIndexError as error:
            self._index_failed(error)

    # The three files.

    def _edit(self, message: EditMemory) -> ToolAnswer:
        assert self._files is not None
        args = message.args
        forbidden = memory_edits.forbidden(args, message.state)
        if forbidden is not None:
            return _failed(forbidden)
        editor = Editor(session=message.session, turn=message.turn, label=message.state)
        try:
            entries = self._files.entries(args.file)
            edited = memory_edits.edit(args, tuple(entry.text for entry in entries))
            if isinstance(edited, NotEdited):
                told = (entry.label for entry in entries if entry.text in edited.told)
                return ToolAnswer(ok=False, content=edited.sentence, label=join(NEW_SESSION, *told))
            self._files.write(args.file, edited, editor)
        except MemoryFilesError as error:
            return _failed(f"memory: {error.sentence}")
        return ToolAnswer(ok=True, content=memory_edits.done(args, edited), label=NEW_SESSION)

    def _block(self) -> str:
        """What a person wrote into the files is made harmless here; what a call wrote was refused before."""
        assert self._files is not None
        try:
            files = {file: self._files.texts(file) for file in IDENTITY}
        except MemoryFilesError as error:
            raise Refusal(error.sentence) from None
        return neutralise(redact(memory_edits.memory_block(files)))

    # Recall.

    def _recall(self, message: Recall) -> ToolAnswer:
        try:
            index = self._ready_index()
            hits = index.search(
                message.args.query,
                k=message.args.k,
                without=message.session,
                trusted_only=message.trusted_only,
            )
            if not hits:
                return self._nothing(index)
        except RecallIndexError as error:
            self._index_failed(error)
            if not error.damaged:
                return _failed(f"recall: {error.sentence}")
            return _failed("recall: the index is not sound and is made anew; ask again in a moment")
        except MemoryFilesError as error:
            return _failed(f"recall: {error.sentence}")
        items = [hit.item() for hit in hits]
        return ToolAnswer(ok=True, content=recalled.render(items), label=recalled.label(items))

    def _nothing(self, index: RecallIndex) -> ToolAnswer:
        turns, notes = index.counts()
        searched = Searched(turns=turns, notes=notes, missing=len(self._missing))
        return ToolAnswer(ok=True, content=searched.nothing_found(), label=NEW_SESSION)

    def _ready_index(self) -> RecallIndex:
        """The index with the notes as they are on disk now; opened again when there is none."""
        assert self._files is not None
        if self._index is None:
            self._index = self._opened_index()
            self._look_for_missing()
        notes = self._files.entries("notes")
        if notes != self._notes:
            self._index.set_notes(Note(text=redact(entry.text), label=entry.label) for entry in notes)
            self._notes = notes
        return self._index

    def _opened_index(self) -> RecallIndex:
        index = RecallIndex.open(self._places.index)
        self._notes = None
        if index.made_anew not in {None, "missing"}:
            logger.warning("recall: the index was {} and is made anew from the logs", index.made_anew)
        return index

    def _index_failed(self, error: RecallIndexError) -> None:
        """A damaged cache is dropped, and the next look makes it anew; one on a full disk is left alone."""
        logger.error("recall: {}", error.sentence)
        if error.damaged and self._index is not None:
            self._index.close()
            self._index = None
            recall_index.drop(self._places.index)

    # Turns that have ended.

    def _look_for_missing(self) -> None:
        assert self._intake is not None
        self._missing = deque(self._intake.grown(self._sizes()))
        if self._missing:
            self.tell_later(0.0, CatchUp())

    def _sizes(self) -> dict[str, int]:
        try:
            return {} if self._index is None else self._index.sizes()
        except RecallIndexError as error:
            self._index_failed(error)
            return {}

    def _catch_up(self) -> None:
        until_s = self.now() + SLICE_S
        while self._missing and self.now() <= until_s:
            self._take_in(self._missing.popleft(), None)
        if self._missing:
            self.tell_later(0.0, CatchUp())

    def _take_in(self, session: str, turn: int | None) -> None:
        """Decide and index what has ended. A decision that cannot be written now is made later."""
        assert self._intake is not None
        try:
            ended = self._intake.read(session, turn)
            rows = self._intake.decide(ended)
        except (SessionError, JournalError) as error:
            logger.error("memory: session {} is not taken in: {}", session, error.sentence)
            return
        self._index_turns(ended)
        if rows:
            self._tell_outbox(Deliver(rows=rows))

    def _tell_outbox(self, message: Deliver | LookAgain) -> None:
        if self._saving.outbox.tell(message) is Delivery.BUSY:
            self.tell_later(OUTBOX_AGAIN_S, TellOutbox())

    def _index_turns(self, ended: Ended) -> None:
        if self._index is None:
            return
        try:
            begun = self._index.turns_in(ended.session)
            wanted = (
                _redacted(turn)
                for turn in finished_turns(ended.session, ended.records)
                if begun < turn.turn <= ended.upto
            )
            self._index.add_turns(ended.session, wanted, size=ended.size, upto=ended.upto)
        except RecallIndexError as error:
            self._index_failed(error)

    # Questions to Honcho.

    def _ask(self, message: AskMemory) -> ToolAnswer | None:
        asked = workspaces.resolve(self._asking.readable, message.args.asked())
        if isinstance(asked, UnknownWorkspace):
            return _failed(asked.sentence)
        if has_secret(message.args.question):
            return _failed(ask_answer.HOLDS_A_SECRET)
        self._number += 1
        key = f"{self.incarnation}-{self._number}"
        deadline_s = self.now() + self._waits.chat_s
        replies = [
            self._start_chat(f"{key}.{place}", each, message.args.question, deadline_s)
            for place, each in enumerate(asked)
        ]
        reply = self.reply_later()
        if reply is not None:
            reply.on_abandon(partial(_give_up, replies))
        self._asks[key] = _Ask(asked=asked, reply=reply)
        self.pipe(replies, deadline_s, lambda found: ChatsGathered(key=key, outcomes=tuple(found)))
        return None

    def _start_chat(self, key: str, asked: Readable, question: str, deadline_s: float) -> Reply:
        """Ask at once: the mailbox is there before its actor, and closes when that one fails to start.

        ``key`` alone tells chats apart; workspaces may differ in capitals only, which no actor's name shows.
        """
        name = f"{self._asking.asks.name}/{key}-{asked.name.lower()[:40]}"
        box = self._runtime.mailbox(name, bound=4)
        child = StartChild(spec=self._asking.chat(name, asked.workspace), mailbox=box)
        if self._asking.asks.tell(child) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box.ask(Chat(question=question), deadline_s)

    def _answer_ask(self, message: ChatsGathered) -> None:
        ask = self._asks.pop(message.key)
        if ask.reply is not None and ask.reply.abandoned:  # given up, which tells nothing of a workspace
            return
        results = [
            self._result(asked, outcome) for asked, outcome in zip(ask.asked, message.outcomes, strict=True)
        ]
        if ask.reply is not None:
            ok = any(isinstance(result, Answered) for result in results)
            content, label = ask_answer.render(results), ask_answer.label(results)
            ask.reply.set(ToolAnswer(ok=ok, content=content, label=label))

    def _result(self, asked: Readable, outcome: object) -> WorkspaceResult:
        """Of an unavailable workspace one log line is kept, never a word of the question or an answer."""
        match outcome:
            case Answer(value=ChatAnswered(text=text)):
                return Answered(readable=asked, text=text)
            case Answer(value=ChatUnavailable(error=error)):
                said = error
            case Failed(error=failure):
                said = failure.sentence
            case Late():
                said = ask_answer.late(round(self._waits.chat_s * 1000))
            case _:
                raise TypeError(type(outcome).__name__)
        logger.warning("{}", ask_answer.unavailable_line(asked.name, said))
        return Unavailable(readable=asked)


def _failed(sentence: str) -> ToolAnswer:
    return ToolAnswer(ok=False, content=sentence, label=NEW_SESSION)


def _give_up(replies: Iterable[Reply]) -> None:
    for reply in replies:
        reply.abandon()


def _redacted(turn: FinishedTurn) -> FinishedTurn:
    return replace(turn, user=redact(turn.user)[:INDEXED], reply=redact(turn.reply)[:INDEXED])
