"""Memory: its files, the recall index, questions to Honcho, and where finished turns go (spec, chapter 4).

It never waits for Honcho: an ``ask_memory`` is one short-lived ``HonchoChat`` a workspace, both asked at
once under one deadline, and a message to itself when they are over. So a ``recall`` meanwhile is answered at
once. What it does stands in its rooms, ``actors/memory_*.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import assert_never

from actors.base import Actor, Context, Refusal
from actors.memory_asks import Asks
from actors.memory_editing import Editing
from actors.memory_parts import Asking, Places, Saving
from actors.memory_recalls import Recalls
from actors.memory_turns import Turns
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
from bxcore.messages.outbox import LookAgain
from bxcore.waits import Waits
from bxio.journal_file import JournalError
from bxio.memory_files import MemoryFiles, MemoryFilesError
from bxio.turn_intake import TurnIntake

__all__ = ["Asking", "Memory", "Places", "Saving"]


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
        self._places = places
        self._saving = saving
        self._wall = now
        self._open = ExitStack()
        self._asks = Asks(self, context.runtime, asking, (waits or Waits()).chat_s)
        self._editing: Editing
        self._recalls: Recalls
        self._turns: Turns

    def on_start(self) -> None:
        """Open files and ledger (a failure refuses the start), the index if it can be, and catch up."""
        try:
            self._open_files()
        except (MemoryFilesError, JournalError) as error:
            self.on_stop()
            raise Refusal(error.sentence) from None
        self._recalls.start()
        self._turns.look_for_missing()
        if self.incarnation > 1:  # the one before may have decided a turn and not told of it
            self._turns.tell_outbox(LookAgain())

    def _open_files(self) -> None:
        places, saving = self._places, self._saving
        files = MemoryFiles.open(places.files, self._wall)
        self._open.callback(files.close)
        intake = TurnIntake.open(places.sessions, places.ledger, agent=saving.agent, save=saving.save)
        self._open.callback(intake.close)
        self._editing = Editing(files)
        self._recalls = Recalls(
            places.index,
            files,
            missing=lambda: self._turns.missing,
            new=lambda: self._turns.look_for_missing(),  # noqa: PLW0108 - made after it
        )
        self._open.callback(self._recalls.close)
        self._turns = Turns(self, intake, self._recalls, saving.outbox)

    def on_stop(self) -> None:
        """Close every file."""
        self._open.close()

    def on_receive(self, message: MemoryMessage) -> object:
        """Answer a tool's call or the loop's, or take in a turn."""
        match message:
            case Recall():
                return self._recalls.recall(message)
            case EditMemory():
                return self._editing.edit(message)
            case AskMemory():
                return self._asks.ask(message)
            case MemoryBlock():
                return self._editing.block()
            case TurnEnded():
                self._turns.take_in(message.session, message.turn)
            case ChatsGathered():
                self._asks.answer(message)
            case CatchUp():
                self._turns.catch_up()
            case TellOutbox():
                self._turns.tell_outbox(LookAgain())
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """Questions on their way, sessions still to be taken in."""
        missing = self._turns.missing if hasattr(self, "_turns") else 0
        return {"asks_running": self._asks.running, "sessions_missing": missing}
