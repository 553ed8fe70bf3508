"""All approvals of a box: what waits, what is over, what was approved for a session. A value without a clock.

A command gives the event that it leads to; only ``after`` changes anything, and gives a new value. So an
event can be on disk before it counts, and the same events lead to the same approvals after a restart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self, assert_never

from bxcore.approvals import codes, sentences
from bxcore.approvals.approval import Approval, Ended, Event, How, Opened, Over, Used
from bxcore.labels import NEUTRAL, Label, join

MAX_PENDING = 64
KEPT = 512
"""Approvals that are over and still known by their code; so long no other one gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """An answer that changes nothing; ``known`` when its code is that of an approval that is over."""

    known: bool
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """A call that the owner denied in a turn."""

    session: str
    turn: int
    tool: str
    args_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """``pending`` and ``over`` by code, the oldest first."""

    pending: Mapping[str, Approval] = field(default_factory=lambda: MappingProxyType({}))
    over: Mapping[str, Over] = field(default_factory=lambda: MappingProxyType({}))
    session_wide: tuple[Over, ...] = ()
    denied: frozenset[Denied] = frozenset()

    # What is known.

    @property
    def full(self) -> bool:
        """Whether no further call may wait."""
        return len(self.pending) >= MAX_PENDING

    def code(self, seed: str) -> str:
        """A code that none has that is known."""
        return codes.fresh(seed, {*self.pending, *self.over})

    def of_call(self, session: str, call: str, tool: str, args_sha256: str) -> Approval | Over | None:
        """The approval of this very call, asked for by this process; of several the newest one."""
        call_of = (session, call, tool, args_sha256)
        for approval in self.pending.values():
            if _call_of(approval) == call_of:
                return approval
        for over in reversed([*self.over.values()]):
            if not over.earlier and _call_of(over.approval) == call_of:
                return over
        return None

    def for_session(
        self, session: str, tool: str, bound: str, label: Label, floor: Label = NEUTRAL
    ) -> Over | None:
        """What lets a call run unasked: approved for the session, under these grants, at no lower label.

        ``floor`` is what results under the grant have at least: the session has it after the first call that
        was approved, so the word would reach no second one without it.
        """
        return next(
            (
                over
                for over in self.session_wide
                if (over.approval.session, over.approval.tool) == (session, tool)
                and over.approval.bound == bound
                and join(label, over.approval.label, floor) == join(over.approval.label, floor)
            ),
            None,
        )

    def was_denied(self, session: str, turn: int, tool: str, args_sha256: str) -> bool:
        """Whether the owner has denied this very call in this turn."""
        return Denied(session=session, turn=turn, tool=tool, args_sha256=args_sha256) in self.denied

    def due(self, now_s: float) -> tuple[Approval, ...]:
        """What waits and has expired by now."""
        return tuple(approval for approval in self.pending.values() if approval.expires_s <= now_s)

    def became(self, session: str, calls: Iterable[str]) -> dict[str, str]:
        """A sentence for each call that is known not to have run; also of an earlier process."""
        wanted = frozenset(calls)
        ended = (over for over in self.over.values() if over.approval.session == session)
        told = {over.approval.call: sentences.became(over) for over in ended if over.approval.call in wanted}
        return {call: sentence for call, sentence in told.items() if sentence is not None}

    # Commands.

    def answer(
        self, code: str, *, approve: bool, for_session: bool, by: str, now_s: float
    ) -> Ended | NotTaken:
        """The owner's word; the first one counts, and only before the expiry."""
        approval = self.pending.get(code)
        if approval is None:
            over = self.over.get(code)
            if over is None:
                return NotTaken(known=False, sentence=sentences.unknown_code(code))
            return NotTaken(known=True, sentence=sentences.already(over.ended))
        if approval.expires_s <= now_s:
            ended = Ended(code=code, how=How.EXPIRED)
            return NotTaken(known=True, sentence=sentences.already(ended))
        approved = How.SESSION if for_session else How.APPROVED
        return Ended(code=code, how=approved if approve else How.DENIED, by=by)

    # Events.

    def after(self, event: Event) -> Self:
        """The approvals once the event has happened. One that fits nothing changes nothing."""
        match event:
            case Opened(approval=approval):
                return replace(self, pending=MappingProxyType({**self.pending, approval.code: approval}))
            case Ended(code=code):
                return self._ended(code, event)
            case Used(code=code):
                over = self.over.get(code)
                if over is None:
                    return self
                return replace(self, over=MappingProxyType({**self.over, code: replace(over, used=True)}))
            case _:
                assert_never(event)

    def _ended(self, code: str, ended: Ended) -> Self:
        approval = self.pending.get(code)
        if approval is None:
            return self
        over = Over(approval=replace(approval, whole=""), ended=ended)
        left = {other: waiting for other, waiting in self.pending.items() if other != code}
        newest = [*self.over.items(), (code, over)][-KEPT:]
        wide = (*self.session_wide, over) if ended.how is How.SESSION else self.session_wide
        denied = self._denied_with(approval) if ended.how is How.DENIED else self.denied
        return replace(
            self,
            pending=MappingProxyType(left),
            over=MappingProxyType(dict(newest)),
            session_wide=wide,
            denied=denied,
        )

    def _denied_with(self, approval: Approval) -> frozenset[Denied]:
        """Only the last turn of a session counts."""
        added = Denied(
            session=approval.session,
            turn=approval.turn,
            tool=approval.tool,
            args_sha256=approval.args_sha256,
        )
        kept = {
            each
            for each in self.denied
            if (each.session, each.turn) == (added.session, added.turn) or each.session != added.session
        }
        return frozenset({*kept, added})

    def with_over(self, over: Over) -> Self:
        """With one that is over already, as an earlier process left it."""
        return replace(self, over=MappingProxyType({**self.over, over.approval.code: over}))

    def in_a_new_process(self) -> tuple[Self, tuple[Over, ...]]:
        """What is left of them once the process has ended, and what that closed as expired.

        Nothing waits, nothing is approved for a session, and no code of them lets anything run.
        """
        closed = tuple(
            Over(
                approval=replace(approval, whole=""),
                ended=Ended(code=code, how=How.EXPIRED, box_ended=True),
                earlier=True,
            )
            for code, approval in self.pending.items()
        )
        before = [replace(over, earlier=True) for over in self.over.values()]
        newest = {over.approval.code: over for over in [*before, *closed][-KEPT:]}
        return replace(
            self,
            pending=MappingProxyType({}),
            over=MappingProxyType(newest),
            session_wide=(),
            denied=frozenset(),
        ), closed


def _call_of(approval: Approval) -> tuple[str, str, str, str]:
    return approval.session, approval.call, approval.tool, approval.args_sha256
