"""The sessions as the broker sees them: label so far, the turn's calls, what waits in order (spec 2.1)."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any

from actors.base import Refusal, Reply
from bxcore import session_fold
from bxcore.args import ASK_MEMORY, RECALL
from bxcore.calls_of_log import calls_of_last_turn
from bxcore.labels import OWN_WORDS, Label, join
from bxcore.long_result import cut_middle
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.policy import call_key, sha256
from bxcore.repeats import TurnCalls
from bxcore.turn import logged_content
from bxio.session_store import SessionError, SessionStore

LAST_EPOCH = sys.maxsize
"""A turn that no session has: its last epoch alone is read, whose start has the label of all before it."""
KEPT_SESSIONS = 1000
"""Sessions whose label is kept at hand; that of another one is folded from its log again."""
WAITING_CALLS = 64
"""Calls of one session that may wait for those in hand."""
SIDE_BY_SIDE = frozenset({RECALL, ASK_MEMORY})
"""They change nothing and are granted at every label, so none has to wait for what another one raises."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A call that the broker has, and who waits for it; None when it was told."""

    request: ToolRequest
    reply: Reply | None

    @property
    def given_up(self) -> bool:
        """Whether nobody waits any more."""
        return self.reply is not None and self.reply.abandoned

    def answer(self, value: object) -> None:
        """Answer who waits, if anybody does."""
        if self.reply is not None:
            self.reply.set(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A call, and what its turn had called before it."""

    taken: Taken
    calls: TurnCalls


@dataclass(slots=True)
class Session:
    """A session's label so far, its turn's calls, how many are in hand, and those that wait for them."""

    label: Label
    calls: TurnCalls
    in_hand: int = 0
    alone: bool = False
    waiting: deque[Taken] = field(default_factory=deque)
    until_s: float | None = None
    """How long the calls that wait may wait, while the one in hand is before the owner."""

    def wait(self, taken: Taken) -> bool:
        """Line a call up behind those that wait; False when there are too many."""
        if len(self.waiting) >= WAITING_CALLS and not self._begins_at_once(taken):
            return False
        self.waiting.append(taken)
        if self.until_s is not None and taken.reply is not None:
            taken.reply.extend(self.until_s)
        return True

    def _begins_at_once(self, taken: Taken) -> bool:
        return not self.waiting and self._has_room(taken.request.tool)

    def next(self) -> Taken | None:
        """The call that begins now, beside those in hand; one that was given up never begins."""
        while self.waiting and self._has_room(self.waiting[0].request.tool):
            taken = self.waiting.popleft()
            if not taken.given_up:
                self.in_hand += 1
                self.alone = taken.request.tool not in SIDE_BY_SIDE
                return taken
        return None

    def answer(self, taken: Taken, *, content: str, **said: Any) -> None:
        """Answer a call in hand, which is over with that; ``said`` is that of ``outcome``."""
        self.in_hand -= 1
        self.until_s = None
        found = self.outcome(taken.request, content=content, **said)
        self._note(found, canonical=said.get("canonical"))
        taken.answer(found)

    def _note(self, found: ToolOutcome, *, canonical: str | None) -> None:
        """Remember what the call gave as the log will have it, so that one read from the log is the same."""
        if canonical is not None:
            content = logged_content(found.tool, found.content, found.label)
            self.calls = self.calls.finished(call_key(found.tool, canonical), sha256(content))

    def outcome(  # noqa: PLR0913 (all but the call itself are by name)
        self,
        request: ToolRequest,
        *,
        content: str,
        canonical: str | None = None,
        ok: bool = False,
        label: Label = OWN_WORDS,
        audited: int | None = None,
    ) -> ToolOutcome:
        """What the model is shown of a call; a long ``content`` is cut, and the whole goes with it."""
        cut = cut_middle(content)
        return ToolOutcome(
            call=request.call,
            tool=request.tool,
            arguments=request.arguments if canonical is None else canonical,
            ok=ok,
            content=cut,
            label=label,
            session_label=self.label,
            audited=audited,
            whole=None if cut == content else content,
        )

    def pending(self, until_s: float) -> None:
        """The call in hand is before the owner: those behind it have the same time."""
        self.until_s = until_s
        for taken in self.waiting:
            if taken.reply is not None:
                taken.reply.extend(until_s)

    def _has_room(self, tool: str) -> bool:
        return self.in_hand == 0 or (not self.alone and tool in SIDE_BY_SIDE)

    def counted(self, turn: int, limit: int) -> TurnCalls:
        """Count a call of ``turn``; the turn's calls before it."""
        if self.calls.turn != turn:
            self.calls = TurnCalls(turn=turn, limit=limit)
        before, self.calls = self.calls, self.calls.counted()
        return before

    def raised(self, label: Label) -> Label:
        """Raise the session's label, the one place where it rises; what it was before."""
        before, self.label = self.label, join(self.label, label)
        return before


class Sessions:
    """Each by name, folded from its log on first sight."""

    def __init__(self, store: SessionStore, calls_per_turn: int) -> None:
        self._store = store
        self._calls_per_turn = calls_per_turn
        self._kept: OrderedDict[str, Session] = OrderedDict()

    def get(self, name: str) -> Session:
        """The session of that name. Refused for a log that cannot be read."""
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = self._folded(name)
            self._forget_idle()
        self._kept.move_to_end(name)
        return found

    def _folded(self, name: str) -> Session:
        try:
            records = self._store.read(name, since=LAST_EPOCH)
        except SessionError as error:
            raise Refusal(error.sentence) from None
        calls = calls_of_last_turn(records, limit=self._calls_per_turn)
        return Session(session_fold.label_of(records), calls)

    def _forget_idle(self) -> None:
        for name in [*self._kept][: max(0, len(self._kept) - KEPT_SESSIONS)]:
            if not self._kept[name].in_hand:
                del self._kept[name]
