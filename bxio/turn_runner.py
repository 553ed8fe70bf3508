"""Does what the pure turn says: appends, asks the model, runs the calls, in one thread (spec 3.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bxcore.address import Delivery
from bxcore.labels import Label
from bxcore.messages.loop import Notice, TextDelta, ToolEnded, TurnBrake, TurnEvent, TurnStarted
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest
from bxcore.records import Record, ToolCall, ToolResult, User
from bxcore.turn import (
    Append,
    AskModel,
    End,
    Held,
    ModelFailed,
    ModelSaid,
    NotSettled,
    RunTools,
    Step,
    Stopped,
    ToolDone,
    Turn,
    TurnInput,
    advance,
)
from bxio.cut import Cut
from bxio.model import ModelClient, ModelUnavailable
from bxio.model.errors import who
from bxio.session_store import OpenSession


@dataclass(slots=True, kw_only=True)
class TurnRunner:
    """One turn's way through the log, the model and the tools. ``run`` blocks; the brake ends it.

    ``client`` gives the model's client or raises ``ModelUnavailable``: of the server at the place that the
    turn has used so far, if any, and of none at the places that have failed this request. ``failed`` is told
    of each server that was of no use. ``request`` gives the next request of the log.
    ``tools`` runs calls and yields each result; it ends early when the brake is pulled. ``show`` is told each
    event: what it shows is on disk. ``settle`` waits until the audit's record of a result is on disk too and
    gives None, or a sentence that says why it is not; then the result is not shown, and the turn ends.
    """

    log: OpenSession
    client: Callable[[int | None, tuple[int, ...]], ModelClient]
    brake: TurnBrake
    request: Callable[[], ModelRequest]
    tools: Callable[[Sequence[ToolCall], bool], Iterator[ToolDone]]
    show: Callable[[TurnEvent], object]
    now: Callable[[], float]
    answer_s: float
    settle: Callable[[int], str | None] = lambda _number: None
    failed: Callable[[Endpoint, ModelUnavailable], object] = lambda _endpoint, _problem: None
    ended: list[ToolEnded] = field(default_factory=list)
    """Every result of the turn so far."""
    _using: int | None = None
    _unshown: str = ""
    _arguments: dict[str, str] = field(default_factory=dict)

    def run(self, turn: Turn, steps: Iterable[Step]) -> tuple[Turn, End]:
        """From the first steps to the end. Raises ``SessionError`` when the log cannot be written."""
        todo: deque[Step] = deque(steps)
        while True:
            step = todo.popleft()
            if isinstance(step, AskModel | RunTools) and self.brake.pulled():
                turn, steps = advance(turn, Stopped())
                todo = deque(steps)
                continue
            match step:
                case Append():
                    self._append(turn, step)
                case AskModel():
                    turn, steps = advance(turn, self._ask_model(turn.held))
                    todo.extend(steps)
                case RunTools():
                    turn, steps = self._run_tools(turn, step)
                    todo.extend(steps)
                case End():
                    return turn, step

    def _append(self, turn: Turn, step: Append) -> None:
        """Write the records, then show them."""
        self.log.append(step.records, sync=step.sync)
        self._show_all(turn, step)

    def _append_result(self, turn: Turn, step: Append, audited: int | None) -> str | None:
        """The log's sync of a result runs beside the audit's of its record; it is shown after both."""
        self.log.append(step.records, sync=step.sync)
        unsettled = None if audited is None else self.settle(audited)
        if unsettled is None:
            self._show_all(turn, step)
        return unsettled

    def _show_all(self, turn: Turn, step: Append) -> None:
        """What stands before the turn's ``User`` closes an earlier turn, and is no news of this one."""
        users = (at for at, record in enumerate(step.records) if isinstance(record, User))
        for record in step.records[next(users, 0) :]:
            self._show(turn, record)

    def _show(self, turn: Turn, record: Record) -> None:
        if isinstance(record, User):
            self.show(
                TurnStarted(
                    session=self.log.session, turn=turn.number, text=record.text, speaker=record.speaker
                )
            )
        elif isinstance(record, ToolResult):
            ended = ToolEnded(
                session=self.log.session,
                call=record.call,
                tool=record.tool,
                arguments=self._arguments.get(record.call, ""),
                ok=record.ok,
                content=record.content,
                label=Label(record.level, record.untrusted),
            )
            self.ended.append(ended)
            self.show(ended)

    def _ask_model(self, held: Held | None) -> TurnInput:
        """Ask the model; while nothing came of it, the next server is asked in place of one that fails."""
        cut = Cut()
        self.brake.on_pull(cut.cut)
        without: tuple[int, ...] = ()
        problem: ModelUnavailable | None = None
        while True:
            try:
                client = self.client(self._using, without)
            except ModelUnavailable as error:
                return Stopped() if self.brake.pulled() else ModelFailed(sentence=error.sentence)
            place = client.endpoint.place
            if problem is not None and place in without:
                return ModelFailed(sentence=problem.sentence)
            if problem is not None:
                self._notice(f"{problem.sentence}; {who(client.endpoint)} is asked instead")
            try:
                return self._asked(client, held, cut)
            except ModelUnavailable as error:
                problem, self._using = error, None
            if self.brake.pulled():
                return Stopped()
            if problem.began or problem.fault == "request":
                return ModelFailed(sentence=problem.sentence)
            without = (*without, place)

    def _asked(self, client: ModelClient, held: Held | None, cut: Cut) -> TurnInput:
        """One server's answer; what it was asked before it may have in its cache, another has nothing."""
        endpoint = client.endpoint
        server = f"{endpoint.place}.{endpoint.probed} {endpoint.socket or endpoint.url}"
        request = replace(self.request(), max_tokens=endpoint.answer_room)
        if self.brake.pulled():
            return Stopped()
        if held is None or held.server != server:
            request = replace(request, uncached_tokens=None)
            self._tell_profile(request, client)
        try:
            reply = client.stream(
                request,
                deadline_s=self.now() + self.answer_s,
                cut=cut,
                on_text=self._on_text,
                on_wait=self._notice,
            )
        except ModelUnavailable as error:
            if error.fault != "request" and not self.brake.pulled():
                self.failed(endpoint, error)
            raise
        self._on_text("")
        self._using = endpoint.place
        return ModelSaid(reply=reply, server=server, anew=request.anew)

    def _notice(self, line: str) -> None:
        self.show(Notice(session=self.log.session, text=line))

    def _tell_profile(self, request: ModelRequest, client: ModelClient) -> None:
        """A session keeps the profile that it began with, also with a server that would have another."""
        endpoint = client.endpoint
        if request.profile != endpoint.profile:
            line = (
                f"this session was begun in the {request.profile} profile, and {who(endpoint)} takes"
                f" {endpoint.profile} better; a new session would use it"
            )
            self._notice(line)

    def _on_text(self, text: str) -> None:
        """Show a piece of the reply; what a slow listener had no room for goes with the next piece."""
        self._unshown += text
        if self._unshown and not self.brake.pulled():
            shown = self.show(TextDelta(session=self.log.session, text=self._unshown))
            self._unshown = self._unshown if shown is Delivery.BUSY else ""

    def _run_tools(self, turn: Turn, step: RunTools) -> tuple[Turn, list[Step]]:
        """Each result is appended as it comes; what is to be done after the last one is returned."""
        self._arguments.update((call.id, call.arguments) for call in step.calls)
        left: list[Step] = []
        for done in self.tools(step.calls, step.together):
            self._arguments[done.call] = done.arguments
            turn, more = advance(turn, done)
            for each in more:
                if isinstance(each, Append):
                    unsettled = self._append_result(turn, each, done.audited)
                    if unsettled is not None:
                        turn, more = advance(turn, NotSettled(sentence=unsettled))
                        return turn, list(more)
                else:
                    left.append(each)
        if turn.waiting:
            turn, more = advance(turn, Stopped())
            left.extend(more)
        return turn, left
