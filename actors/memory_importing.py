"""Memory of other agents taken in: conversations as untrusted sessions, entries as untrusted notes.

A room of ``actors/memory.py``. Doing it twice changes nothing, and a grown export adds what is new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

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
        records = self._sessions.read(session)
        there = _exchanges(records)
        refused = _differs(session, there, message)
        new = () if refused else message.turns[max(0, len(there) - message.first + 1) :]
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


def _exchanges(records: Sequence[Record]) -> list[tuple[str, str]]:
    found = []
    for start, end in spans(records):
        user = records[start]
        assert isinstance(user, User)
        found.append((user.text, reply_of(records[start:end]) or ""))
    return found


def _differs(session: str, there: list[tuple[str, str]], message: ImportTurns) -> tuple[str, ...]:
    """Why a piece does not go on where the session ends, or is not what was taken in before."""
    if message.first > len(there) + 1:
        return (f"turns {len(there) + 1} to {message.first - 1} are missing; import the whole file again",)
    for number, turn in enumerate(message.turns, message.first):
        if number > len(there):
            break
        known = there[number - 1]
        if known not in {(whole(turn.user), whole(turn.reply)), (FORGOTTEN, FORGOTTEN)}:
            why = f"turn {number} is not what was imported before as session {session}"
            return (f"{why}; to take it in anew, forget that session first",)
    return ()
