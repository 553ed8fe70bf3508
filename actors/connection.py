"""One client of the control socket: reads its request, asks who knows, answers, and ends (spec 6.3).

Status, tree, stacks and dead letters come from what the runtime keeps; no actor is asked about itself. While
a turn runs, its news goes to the client as lines; a client that does not read holds up only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from actors import connection_broker, connection_loop, connection_memory
from actors.base import Actor, Answer, Context, Mailbox, Outcome
from actors.connection_audit import OfAudit, read_audit
from actors.connection_broker import OfBroker
from actors.connection_loop import OfLoop, OfSession
from actors.connection_outcomes import done, failure
from actors.connection_turns import Lines, Shown, saying
from actors.connection_views import Known, Wish
from bxcore import session_ids
from bxcore.args import ArgsError, AskMemoryArgs
from bxcore.control import ErrorCode, NotARequest, Request, decode, requests
from bxcore.control.memory_requests import OfMemory, OfOutbox
from bxcore.control.turns import ask_json, error_json
from bxcore.http import HttpRequest, HttpResponse, json_response
from bxcore.messages.control import Answered, ConnectionMessage, NewsWaits, SignOfLife, TakeRequest
from bxcore.messages.loop import LeaveSession, WatchSession
from bxcore.messages.memory import AskMemory
from bxcore.messages.supervision import RestartChild, StartStopped, StopChild
from bxio.http_server import BadRequestError, ClientGoneError, HttpExchange
from bxio.turn_stream import TurnStream

_LAST_NEWS_S = 1.0
"""How long a connection that ends waits for a wake that its mailbox may have had no room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a connection waits, in seconds; a test hands in shorter ones."""

    request_s: float = 10.0
    """For the whole request to arrive."""
    write_s: float = 10.0
    """For a client to take what it is sent."""
    call_s: float = 30.0
    """For an actor's answer."""
    restart_s: float = 60.0
    probes_s: float = 5.0
    """For doctor to try all workspaces, which it does at once."""
    turn_s: float = 86_400.0
    """A backstop: each of a turn's calls may wait an hour for an approval, and then run (spec 2.3)."""
    sign_of_life_s: float = 10.0
    look_s: float = 0.25
    """Between two looks whether the client of a watch or of a waiting message is still there."""


class Connection(Actor):
    """A temporary child of ``connections``; owns the exchange until it ends."""

    def __init__(
        self, context: Context, *, exchange: HttpExchange, known: Known, limits: Limits | None = None
    ) -> None:
        super().__init__(context)
        self._http = exchange
        # Its own supervisor shows it in the tree only a moment after its start: the tree cannot be asked.
        self._supervisor = context.supervisor
        self._known = known
        self._limits = limits or Limits()
        self._lines: Shown | None = None
        self._watched: LeaveSession | None = None
        self._answer: Callable[[Sequence[Outcome]], None] | None = None
        self._next_look_s = 0.0

    def on_receive(self, message: ConnectionMessage) -> None:
        """Handle one message; a client that has gone ends the connection."""
        try:
            match message:
                case TakeRequest():
                    self._take()
                case NewsWaits():
                    self._show_news()
                case Answered():
                    self._finish(message.outcomes)
                case SignOfLife():
                    self._show_life()
                case _:
                    assert_never(message)
        except ClientGoneError:
            self._gone()

    def on_stop(self) -> None:
        """Close the connection, whatever ended it."""
        self._known.chats.leave(self.name)
        if self._lines is not None:
            self._lines.news.close()
        self._http.close()

    def cut(self) -> None:
        """Wake a blocked read or write. Any thread."""
        self._http.cut()

    def _take(self) -> None:
        try:
            request = self._http.read(self.now() + self._limits.request_s)
        except BadRequestError as error:
            self._no(error.code, error.sentence)
        else:
            self._read(request)

    def _read(self, sent: HttpRequest) -> None:
        request = decode(sent)
        if isinstance(request, NotARequest):
            self._no(request.code, request.sentence)
        elif isinstance(request, OfSession) and (problem := session_ids.problem(request.session)):
            self._no(ErrorCode.BAD_REQUEST, problem)
        else:
            self._serve(request)

    # Requests.

    def _serve(self, request: Request) -> None:
        match request:
            case requests.ChatRequest() | requests.WatchRequest():
                self._stream(request)
            case requests.RestartRequest() | requests.StopRequest() | requests.StartRequest():
                self._supervise(request)
            case requests.AskRequest():
                self._ask_memory(request)
            case requests.InspectRequest() | requests.StackRequest():
                self._look_at(request)
            case requests.AuditTailRequest() | requests.AuditShowRequest() | requests.AuditVerifyRequest():
                self._read_audit(request)
            case requests.DoctorRequest():
                probes = self._known.probes(self.name)
                self._ask(probes, self._limits.probes_s, lambda found: self._yes(self._known.examined(found)))
            case (
                requests.ApprovalsRequest()
                | requests.AnswerApprovalRequest()
                | requests.GrantsRequest()
                | requests.ReloadGrantsRequest()
                | requests.ExplainRequest()
            ):
                self._ask_broker(request)
            case (
                requests.StatusRequest()
                | requests.TreeRequest()
                | requests.DeadLettersRequest()
                | requests.VersionRequest()
            ):
                self._yes(self._known.seen(request))
            case (
                requests.StopTurnRequest()
                | requests.SessionsRequest()
                | requests.SessionRequest()
                | requests.EndSessionRequest()
                | requests.PromptSizeRequest()
            ):
                self._ask_loop(request)
            case _:
                self._ask_for_memory(request)

    def _look_at(self, request: requests.InspectRequest | requests.StackRequest) -> None:
        seen = self._known.look_at(request)
        if seen is None:
            self._no(ErrorCode.NO_SUCH_THING, self._known.no_actor(request.name))
        else:
            self._yes(seen)

    def _supervise(self, request: Wish) -> None:
        every = isinstance(request, requests.RestartRequest) and request.all
        if every and request.name is None:
            self._restart_all()
        elif every or request.name is None:
            self._no(ErrorCode.BAD_REQUEST, "name an actor, or say all, and not both")
        else:
            self._supervise_one(request, request.name)

    def _supervise_one(self, request: Wish, name: str) -> None:
        why_not = self._known.why_not(request, name, self._supervisor)
        supervisor = self._known.supervisor_of(name)
        if why_not is not None:
            self._no(*why_not)
        elif supervisor is None:  # it has ended this moment
            self._no(ErrorCode.NO_SUCH_THING, self._known.no_actor(name))
        elif name == self.name or self._known.is_above(name, self._supervisor):
            # The wish ends this very connection, so it is answered before it is done.
            self._yes({"ok": True, "sentence": f"{name} is told; this connection ends with it"})
            supervisor.tell(_message(request, name))
        else:
            self._ask([(supervisor, _message(request, name))], self._limits.restart_s, self._say_done)

    def _restart_all(self) -> None:
        """Restart what the root has, in its order, but not what this connection lives in."""
        asks = [
            (root, RestartChild(name=name))
            for root, name in self._known.top_children()
            if not self._known.is_above(name, self._supervisor)
        ]
        self._ask(asks, self._limits.restart_s, self._say_done)

    def _say_done(self, outcomes: Sequence[Outcome]) -> None:
        ends = [done(outcome) for outcome in outcomes]
        sentence = "; ".join(each["sentence"] for each in ends)
        self._yes({"ok": all(each["ok"] for each in ends), "sentence": sentence or "nothing to restart"})

    def _ask_memory(self, request: requests.AskRequest) -> None:
        args = AskMemoryArgs(question=request.question, workspaces=request.workspaces)
        try:
            args.check()
        except ArgsError as error:
            self._no(ErrorCode.BAD_REQUEST, error.sentence)
            return
        message = AskMemory(args=args, session=requests.OPERATOR)
        self._ask([(self._known.memory, message)], self._known.waits.broker_ask_memory_s, self._say(ask_json))

    def _read_audit(self, request: OfAudit) -> None:
        match read_audit(self._known.audit_path, request):
            case (ErrorCode() as code, str(sentence)):
                self._no(code, sentence)
            case answer:
                self._yes(answer)

    def _ask_broker(self, request: OfBroker) -> None:
        problem = connection_broker.problem(request)
        if problem is not None:
            self._no(ErrorCode.BAD_REQUEST, problem)
            return
        asks = [(self._known.broker, connection_broker.message(request))]
        self._ask(asks, self._limits.call_s, self._say(connection_broker.shape(request)))

    def _ask_for_memory(self, request: OfMemory | OfOutbox) -> None:
        match connection_memory.asked(request, self._known, self._limits.call_s):
            case str(problem):
                self._no(ErrorCode.BAD_REQUEST, problem)
            case (box, message, wait_s):
                self._ask([(box, message)], wait_s, self._say(connection_memory.shape))

    def _ask_loop(self, request: OfLoop) -> None:
        def answer(outcomes: Sequence[Outcome]) -> None:
            outcome = outcomes[0]
            value = outcome.value if isinstance(outcome, Answer) else None
            no = connection_loop.no(request, value) if isinstance(outcome, Answer) else failure(outcome)
            self._no(*no) if no is not None else self._yes(connection_loop.shape(request, value))

        self._ask([(self._known.loop, connection_loop.message(request))], self._limits.call_s, answer)

    # Turns.

    def _stream(self, request: requests.ChatRequest | requests.WatchRequest) -> None:
        self._chat(request) if isinstance(request, requests.ChatRequest) else self._watch(request)

    def _chat(self, request: requests.ChatRequest) -> None:
        if not request.text.strip():
            self._no(ErrorCode.BAD_REQUEST, "there is no text; say something")
            return
        full = self._known.chats.enter(self.name)
        if full is not None:
            self._no(ErrorCode.BUSY, full)
            return
        lines = self._streamed()
        self._begin(lines)
        say = saying(request, lines.news)
        self._ask([(self._known.loop, say)], self._limits.turn_s, lambda found: self._end_chat(lines, found))

    def _end_chat(self, lines: Shown, outcomes: Sequence[Outcome]) -> None:
        lines.finish(outcomes[0])
        self._leave()

    def _watch(self, request: requests.WatchRequest) -> None:
        full = self._known.chats.enter_watch(self.name)
        if full is not None:
            self._no(ErrorCode.BUSY, full)
            return
        lines = self._streamed()
        self._watched = LeaveSession(session=request.session, listener=lines.news)
        wish = WatchSession(session=request.session, listener=lines.news)
        self._ask(
            [(self._known.loop, wish)], self._limits.call_s, lambda found: self._begin_watch(lines, found)
        )

    def _begin_watch(self, lines: Lines, outcomes: Sequence[Outcome]) -> None:
        if isinstance(outcomes[0], Answer):
            self._begin(lines)
            self._look_for_client()
        else:
            self._no(*failure(outcomes[0]))

    def _streamed(self) -> Lines:
        lines = self._lines = Lines(http=self._http, news=self._news(), until=self._until)
        return lines

    def _news(self) -> TurnStream:
        return TurnStream(self.name, lambda: self.box.tell(NewsWaits()))

    def _until(self) -> float:
        return self.now() + self._limits.write_s

    def _begin(self, lines: Shown) -> None:
        lines.begin()
        self.tell_later(self._limits.sign_of_life_s, SignOfLife())

    def _gone(self) -> None:
        """The client has left. What it asked for goes on: its words are kept, and so is the reply.

        A watch that ends otherwise is forgotten when the next news finds its stream closed.
        """
        if self._watched is not None:
            self._known.loop.tell(self._watched)
            self._watched = None
        self._leave()

    def _show_news(self) -> None:
        if self._lines is None:
            return
        self._lines.show()
        if self._lines.news.closed:
            self.end()
        elif self._watched is not None or (isinstance(self._lines, Lines) and self._lines.queued):
            self._look_for_client()

    def _look_for_client(self) -> None:
        """A client that closes its side is done with its watch, or takes its waiting message back."""
        if self._http.left():
            raise ClientGoneError("the client is done with it")
        if self.now() >= self._next_look_s:
            self._next_look_s = self.now() + self._limits.look_s
            self.tell_later(self._limits.look_s, NewsWaits())

    def _show_life(self) -> None:
        if self._lines is not None and not self._lines.news.closed:
            self._lines.show_life()
            self.tell_later(self._limits.sign_of_life_s, SignOfLife())

    def _leave(self) -> None:
        """End the connection, behind the news that waits: left in the mailbox it would be a dead letter."""
        if self._lines is None or not self._lines.news.close():
            self.end()
        else:
            self.tell_later(_LAST_NEWS_S, NewsWaits())  # for a mailbox that had no room for it

    # Answers.

    def _ask(
        self,
        asks: Iterable[tuple[Mailbox, object]],
        timeout_s: float,
        answer: Callable[[Sequence[Outcome]], None],
    ) -> None:
        """Ask without blocking, so that a stop is heard; ``answer`` is called with the outcomes."""
        deadline_s = self.now() + timeout_s
        self._answer = answer
        replies = [box.ask(message, deadline_s) for box, message in asks]
        self.pipe(replies, deadline_s, lambda outcomes: Answered(outcomes=tuple(outcomes)))

    def _finish(self, outcomes: Sequence[Outcome]) -> None:
        assert self._answer is not None
        self._answer(outcomes)

    def _say(self, shape: Callable[[Any], object]) -> Callable[[Sequence[Outcome]], None]:
        """Answer with the only outcome, put into JSON by ``shape``."""

        def answer(outcomes: Sequence[Outcome]) -> None:
            outcome = outcomes[0]
            if not isinstance(outcome, Answer):
                self._no(*failure(outcome))
            elif (
                no := connection_broker.no(outcome.value) or connection_memory.no(outcome.value)
            ) is not None:
                self._no(*no)
            else:
                self._yes(shape(outcome.value))

        return answer

    def _yes(self, value: object) -> None:
        self._respond(200, value)

    def _no(self, code: ErrorCode, sentence: str) -> None:
        self._respond(code.status, error_json(code, sentence))

    def _respond(self, status: int, value: object) -> None:
        self._send(json_response(status, value))

    def _send(self, response: HttpResponse) -> None:
        self._http.answer(response, self._until())
        self.end()


def _message(request: Wish, name: str) -> RestartChild | StopChild | StartStopped:
    match request:
        case requests.RestartRequest():
            return RestartChild(name=name)
        case requests.StopRequest():
            return StopChild(name=name)
        case requests.StartRequest():
            return StartStopped(name=name)
        case _:
            assert_never(request)
