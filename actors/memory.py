"""Memory: its files, the recall index, questions to Honcho, and where finished turns go (spec, chapter 4).

It never waits for Honcho: an ``ask_memory`` is one short-lived ``HonchoChat`` a workspace, both asked at
once under one deadline, and a message to itself when they are over. So a ``recall`` meanwhile is answered at
once. What it does stands in its rooms, ``actors/memory_*.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from loguru import logger

from actors.base import Actor, Context, Refusal
from actors.memory_asks import Asks
from actors.memory_consolidating import Consolidating
from actors.memory_editing import Editing
from actors.memory_forgetting import Forgetting
from actors.memory_importing import Importing
from actors.memory_operating import Operating
from actors.memory_parts import Asking, Places, Saving
from actors.memory_recalls import Recalls
from actors.memory_searches import HonchoSearches
from actors.memory_turns import Turns
from bxcore.messages.memory import (
    AskMemory,
    CatchUp,
    ChatsGathered,
    EditMemory,
    MemoryBlock,
    MemoryMessage,
    ProposalCame,
    Recall,
    SearchesGathered,
    TellOutbox,
    TurnEnded,
)
from bxcore.messages.memory_operator import (
    AcceptProposal,
    Consolidate,
    Forget,
    ImportEntries,
    ImportTurns,
    OperatorMessage,
    SearchMemory,
)
from bxcore.messages.outbox import LookAgain
from bxcore.recall_facts import RecallFacts
from bxcore.waits import Waits
from bxio.forgotten import Forgotten
from bxio.journal_file import JournalError
from bxio.memory_files import MemoryFiles, MemoryFilesError
from bxio.turn_intake import TurnIntake

__all__ = ["Asking", "Memory", "Places", "Saving"]


class Memory(Actor):
    """``now`` gives ISO 8601 in UTC, for revisions; ``publish`` hears how the index is, in its thread."""

    def __init__(  # noqa: PLR0913 (all by name)
        self,
        context: Context,
        *,
        places: Places,
        asking: Asking,
        saving: Saving,
        now: Callable[[], str],
        waits: Waits | None = None,
        publish: Callable[[RecallFacts], None] | None = None,
    ) -> None:
        super().__init__(context)
        self._places = places
        self._saving = saving
        self._publish = publish
        self._runtime = context.runtime
        self._asking = asking
        self._wall = now
        self._open = ExitStack()
        self._asks = Asks(self, context.runtime, asking, (waits or Waits()).chat_s)
        self._searches = HonchoSearches(self, context.runtime, asking)
        self._editing: Editing
        self._operating: Operating
        self._forgetting: Forgetting
        self._importing: Importing
        self._consolidating: Consolidating
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
        self._forgetting.finish()
        self._turns.look_for_missing()
        if self.incarnation > 1:  # the one before may have decided a turn and not told of it
            self._turns.tell_outbox(LookAgain())

    def _open_files(self) -> None:
        places, saving = self._places, self._saving
        files = MemoryFiles.open(places.files, self._wall, lived=places.lived)
        self._open.callback(files.close)
        if files.lost:
            logger.warning("memory: {}", files.lost)
        intake = TurnIntake.open(places.sessions, places.ledger, agent=saving.agent, save=saving.save)
        self._open.callback(intake.close)
        self._editing = Editing(files)
        self._operating = Operating(files)
        self._recalls = Recalls(
            places,
            files,
            self._searches,
            missing=lambda: self._turns.missing,
            new=lambda: self._turns.look_for_missing(),  # noqa: PLW0108 - made after it
            tell=self._publish,
        )
        self._open.callback(self._recalls.close)
        self._turns = Turns(self, intake, self._recalls, saving.outbox)
        self._importing = Importing(places.sessions, files, self._turns)
        self._consolidating = Consolidating(
            actor=self,
            runtime=self._runtime,
            files=files,
            asks=self._asking.asks,
            child=self._asking.consolidation,
        )
        forgotten = Forgotten.open(places.record)
        self._open.callback(forgotten.close)
        self._forgetting = Forgetting(
            places=places,
            files=files,
            recalls=self._recalls,
            journal=forgotten,
            tell=lambda: self._turns.tell_outbox(LookAgain()),
            wall=self._wall,
            known_log=intake.known_log,
        )

    def on_stop(self) -> None:
        """Close every file."""
        self._open.close()

    def on_receive(self, message: MemoryMessage | OperatorMessage) -> object:
        """Answer a tool's call, the loop's or an operator's, or take in a turn."""
        match message:
            case Recall():
                return self._recalls.recall(message)
            case EditMemory():
                return self._editing.edit(message)
            case AskMemory():
                return self._asks.ask(message)
            case MemoryBlock():
                return self._editing.block()
            case TurnEnded() | CatchUp() | TellOutbox():
                self._turns.handle(message)
            case ChatsGathered():
                self._asks.answer(message)
            case SearchesGathered():
                self._searches.answer(message)
            case ProposalCame():
                self._consolidating.came(message)
            case _:
                return self._operated(message)
        return None

    def _operated(self, message: OperatorMessage) -> object:
        match message:
            case SearchMemory():
                return self._recalls.search(message)
            case Forget():
                self._turns.finish()
                found = self._forgetting.forget(message)
                self._turns.settle()
                return found
            case ImportTurns() | ImportEntries():
                brought = self._importing.take(message)
                self._turns.settle()
                return brought
            case Consolidate() | AcceptProposal():
                return self._consolidating.answer(message)
            case _:
                return self._operating.answer(message)

    def facts(self) -> Mapping[str, str | int | float]:
        """Questions on their way, sessions still to be taken in."""
        missing = self._turns.missing if hasattr(self, "_turns") else 0
        return {"asks_running": self._asks.running, "sessions_missing": missing}
