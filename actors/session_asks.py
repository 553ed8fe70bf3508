"""What a session asks of the model's actor and the memory: each ask has a deadline and the turn's brake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loguru import logger

from actors.base import Answer, Failed, Mailbox, Outcome, Restarting
from bxcore.address import Delivery
from bxcore.args import RecallArgs
from bxcore.args.recall import MAX_QUERY
from bxcore.errors import SentenceError
from bxcore.labels import Label, Level
from bxcore.messages.audit import Settled
from bxcore.messages.broker import WhatBecame
from bxcore.messages.loop import TurnBrake
from bxcore.messages.memory import MemoryBlock, Recall
from bxcore.messages.model import Endpoint, EndpointFailed, GetEndpoint, ModelProgress, NoModel
from bxcore.tool_answer import ToolAnswer
from bxcore.turn import STOPPED
from bxio.model import ModelUnavailable

RECALLED = 3
"""Items that auto_recall puts before a turn at most."""
FIRST_ITEM = "[1] "
"""How a recall that found something begins (spec 4.3)."""


class NotReady(SentenceError):  # noqa: N818 - an expected no, told to the person
    """The turn cannot be asked of a model; ``sentence`` says why and what to do."""


class ProgressNotices:
    """An address for a loading model's progress that hands each line on to the person who waits."""

    def __init__(self, name: str, show: Callable[[str], object]) -> None:
        self.name = name
        self._show = show

    def tell(self, message: ModelProgress, *, deadline_s: float | None = None) -> Delivery:
        """Show the line; runs in the model's thread and never blocks it."""
        del deadline_s
        self._show(message.text)
        return Delivery.ACCEPTED


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAsks:
    """One session's asks. ``endpoint_s`` is for a model that loads, ``memory_s`` for the memory.

    ``audit_s`` is for the audit, and for what the broker knows at once.
    """

    session: str
    memory: Mailbox
    model: Mailbox
    broker: Mailbox
    audit: Mailbox
    endpoint_s: float
    memory_s: float
    audit_s: float
    now: Callable[[], float]

    def endpoint(
        self,
        brake: TurnBrake,
        show: Callable[[str], object],
        using: int | None = None,
        without: tuple[int, ...] = (),
    ) -> Endpoint:
        """The model to ask; ``show`` gets each line of its progress meanwhile. Raises ``NotReady``.

        ``using`` and ``without`` are places in the owner's order: the one to keep, and those not to name.
        """
        listener = ProgressNotices(f"loop/{self.session}/progress", show)
        wanted = GetEndpoint(listener=listener, using=using, without=without)
        match self._ask(self.model, wanted, self.endpoint_s, brake):
            case Answer(Endpoint() as endpoint):
                return endpoint
            case Answer(NoModel(sentence=sentence)):
                raise NotReady(sentence)
            case Failed(error):
                raise NotReady(f"the model cannot be reached: {error.sentence}")
            case _:
                raise NotReady(f"the model was not ready within {self.endpoint_s:g} s; try again later")

    def failed(self, endpoint: Endpoint, problem: ModelUnavailable) -> None:
        """Tell the model's actor of a server that was of no use, so that it is left alone for a while."""
        self.model.tell(
            EndpointFailed(
                place=endpoint.place,
                probed=endpoint.probed,
                sentence=problem.sentence,
                fault=problem.fault,
                rest_s=problem.rest_s,
            )
        )

    def memory_block(self, brake: TurnBrake) -> str:
        """The memory block of a new baseline. Raises ``NotReady``: no session starts without it."""
        match self._ask(self.memory, MemoryBlock(), self.memory_s, brake):
            case Answer(str() as block):
                return block
            case Failed(error):
                raise NotReady(f"the memory cannot be reached: {error.sentence}")
            case _:
                raise NotReady(f"the memory did not answer within {self.memory_s:g} s; try again later")

    def recalled(self, text: str, brake: TurnBrake) -> str:
        """Up to three trusted items for a turn, empty when there are none; they never raise a taint."""
        query = text[:MAX_QUERY]
        if not query.strip():
            return ""
        wanted = Recall(args=RecallArgs(query=query, k=RECALLED), session=self.session, trusted_only=True)
        match self._ask(self.memory, wanted, self.memory_s, brake):
            case Answer(ToolAnswer(ok=True, content=content, label=label)) if _raises_nothing(label):
                return content if content.startswith(FIRST_ITEM) else ""
            case Failed(error):
                logger.warning("auto_recall of session {}: {}", self.session, error.sentence)
                return ""
            case _:
                return ""

    def what_became(self, calls: tuple[str, ...], brake: TurnBrake) -> Mapping[str, str]:
        """A sentence for each call of a turn cut short of which the broker knows that it did not run."""
        if not calls:
            return {}
        match self._ask(self.broker, WhatBecame(session=self.session, calls=calls), self.audit_s, brake):
            case Answer(dict() as told):
                return told
            case Failed(error):
                logger.warning("what became of calls of session {}: {}", self.session, error.sentence)
                return {}
            case _:
                return {}

    def settled(self, number: int, brake: TurnBrake) -> str | None:
        """Wait until the audit's record ``number`` is on disk; None, or why the result is not shown."""
        match self._ask(self.audit, Settled(number=number), self.audit_s, brake):
            case Answer():
                return None
            case Failed(error):
                return f"the audit cannot be written: {error.sentence}"
            case _ if brake.pulled():
                return STOPPED
            case _:
                return f"the audit was not on disk within {self.audit_s:g} s; look at the disk"

    def _ask(self, box: Mailbox, message: Any, wait_s: float, brake: TurnBrake) -> Outcome:
        """Ask, and once more when the receiver was restarted meanwhile: these only read. One deadline."""
        deadline_s = self.now() + wait_s
        outcome = self._ask_once(box, message, deadline_s, brake)
        if isinstance(outcome, Failed) and isinstance(outcome.error, Restarting):
            return self._ask_once(box, message, deadline_s, brake)
        return outcome

    def _ask_once(self, box: Mailbox, message: Any, deadline_s: float, brake: TurnBrake) -> Outcome:
        reply = box.ask(message, deadline_s)
        brake.on_pull(reply.abandon)
        return reply.outcome(deadline_s)


def _raises_nothing(label: Label) -> bool:
    return not label.untrusted and label.level <= Level.PRIVATE
