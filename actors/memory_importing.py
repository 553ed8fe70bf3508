"""Memory of other agents taken in: conversations as untrusted sessions, entries as untrusted notes.

A room of ``actors/memory.py``. Doing it twice changes nothing, a grown export adds what is new, and what a
kill left half written is gone on with. A secret in a conversation is treated as one that was typed in a
chat: it stays in the session's log, the index shows it masked, and Honcho never gets that turn (3.1, 4.6).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from actors.base import Refusal
from actors.memory_turns import Turns
from bxcore import memory_entries
from bxcore.args.errors import ArgsError
from bxcore.args.memory import check_entry
from bxcore.forgetting import FORGOTTEN
from bxcore.labels import Label, Level
from bxcore.memory_entries import Edited, NotEdited, first_words
from bxcore.memory_views import ImportView
from bxcore.messages.memory_operator import ImportedTurn, ImportEntries, ImportTurns
from bxcore.records import Assistant, Record, SessionStart, Usage, User, whole
from bxcore.turn_spans import reply_of, spans
from bxio.memory_files import Editor, MemoryFiles, MemoryFilesError
from bxio.session_store import SessionError, SessionStore, new_log

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
NOTES = "notes"


def session_name(conversation: str) -> str:
    """The session that a conversation becomes: the same one each time."""
    digest = hashlib.sha256(conversation.encode("utf-8", "surrogatepass")).hexdigest()
    return f"import-{digest[:10]}"


class Importing:
    """Used by the memory's thread."""

    def __init__(self, sessions: SessionStore, files: MemoryFiles, turns: Turns) -> None:
        self._sessions = sessions
        self._files = files
        self._turns = turns

    def take(self, message: ImportTurns | ImportEntries) -> ImportView:
        """Take it in, or say what that would bring."""
        try:
            if isinstance(message, ImportEntries):
                return self._entries(message)
            return self._conversation(message)
        except (SessionError, MemoryFilesError) as error:
            raise Refusal(error.sentence) from None

    def _conversation(self, message: ImportTurns) -> ImportView:
        session = session_name(message.conversation)
        there = _There.of(self._sessions.read(session))
        refused = there.differs(session, message)
        new = () if refused else message.turns[max(0, there.number - message.first + 1) :]
        if new and not message.dry_run:
            self._append(session, new, message.speaker)
        return ImportView(
            done=not message.dry_run,
            new=len(new),
            already=0 if refused else len(message.turns) - len(new),
            session=session,
            refused=refused,
        )

    def _append(self, session: str, new: Sequence[ImportedTurn], speaker: str | None) -> None:
        opened = self._sessions.open(session)
        try:
            records: list[Record] = []
            if not opened.records:
                records.append(SessionStart(baseline="", untrusted=True, log=new_log()))
            for turn in new:
                records += [
                    User(text=turn.user, speaker=speaker, at=turn.at),
                    Assistant(content=turn.reply),
                    Usage(),
                ]
            if _There.of(opened.records).half is not None:
                del records[0]
            opened.append(records)
        finally:
            opened.close()
        self._turns.take_in(session, None)

    def _entries(self, message: ImportEntries) -> ImportView:
        there = self._files.texts(NOTES)
        new, already, refused = 0, 0, []
        for number, text in enumerate(message.entries, 1):
            problem = _fault(text)
            if problem is None and text.strip() in there:
                already += 1
                continue
            edited = problem or self._add(there, text, dry_run=message.dry_run)
            if isinstance(edited, str):
                refused.append(f'entry {number}, "{first_words(whole(text))}": {edited}')
            else:
                new += 1
                there = edited.entries
        return ImportView(done=not message.dry_run, new=new, already=already, refused=tuple(refused))

    def _add(self, there: tuple[str, ...], text: str, *, dry_run: bool) -> Edited | str:
        change = partial(memory_entries.add, NOTES, text=text)
        if dry_run:
            edited = change(there)
        else:
            edited = self._files.edit(NOTES, change, Editor(who="import", label=UNTRUSTED))
        return edited.sentence if isinstance(edited, NotEdited) else edited


def _fault(text: str) -> str | None:
    try:
        check_entry("it", text)
    except ArgsError as error:
        return error.sentence
    return None


@dataclass(frozen=True, slots=True)
class _There:
    """What a session has: whole turns, and what the ``half`` turn behind them says when a kill left one."""

    turns: tuple[tuple[str, str], ...]
    half: str | None
    own: bool
    """Whether it is a chat of this box, which nothing is added to."""

    @classmethod
    def of(cls, records: Sequence[Record]) -> Self:
        found = [_said(records[start:end]) for start, end in spans(records)]
        first = records[0] if records else None
        half = found.pop()[0] if found and found[-1][1] is None else None
        return cls(
            turns=tuple((said, reply or "") for said, reply in found),
            half=half,
            own=first is not None
            and not (isinstance(first, SessionStart) and first.untrusted and not first.baseline),
        )

    @property
    def number(self) -> int:
        """How many whole turns it has."""
        return len(self.turns)

    def differs(self, session: str, message: ImportTurns) -> tuple[str, ...]:
        """Why a piece does not go on where the session ends, or is not what was taken in before."""
        if self.own:
            return (f"session {session} is a chat of this box; rename what you import",)
        if message.first > self.number + 1:
            missing = f"turns {self.number + 1} to {message.first - 1} are missing"
            return (f"{missing}; import the whole file again",)
        for number, turn in enumerate(message.turns, message.first):
            if not self._may_be(number, whole(turn.user), whole(turn.reply)):
                why = f"turn {number} is not what was imported before as session {session}"
                return (f"{why}; to take it in anew, forget that session first",)
        return ()

    def _may_be(self, number: int, said: str, reply: str) -> bool:
        """Whether that turn is there as it is now, or is not there yet."""
        if number <= self.number:
            return self.turns[number - 1] in {(said, reply), (FORGOTTEN, FORGOTTEN)}
        return number > self.number + 1 or self.half in {None, said}


def _said(turn: Sequence[Record]) -> tuple[str, str | None]:
    user = turn[0]
    assert isinstance(user, User)
    return user.text, reply_of(turn)
