"""The loop: one door to all sessions, each an actor of its own while it lives (spec 3.1).

It waits for nobody and reads no log: a session's answer comes back as a message, so a long turn holds up no
other session. Of one session's messages one runs and the others wait in order. Who watches is kept outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import assert_never

from actors.base import (
    Actor,
    Answer,
    CallError,
    Context,
    Crashed,
    Dead,
    Failed,
    Mailbox,
    NoRoom,
    Outcome,
    Refusal,
    Reply,
)
from actors.loop_queue import WAITING, Asked, SessionQueue
from actors.loop_reading import Reading
from bxcore import session_ids
from bxcore.address import Delivery
from bxcore.messages.loop import (
    EndSession,
    Leave,
    LeaveSession,
    ListSessions,
    LoopMessage,
    MeasurePrompt,
    Notice,
    PromptSize,
    Queued,
    ReadSessions,
    RunTurn,
    Say,
    SessionAnswered,
    ShowSession,
    StopTurn,
    WatchSession,
)
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec, Restart
from bxio.audience import MOST_WATCHERS
from bxio.audiences import Audiences
from bxio.brake import Brake
from bxio.session_listing import SessionListing
from bxio.session_store import SessionStore

MAX_LIVE = 64
"""Sessions that live side by side; an idle one makes room for another."""
BOUND = 8
"""Messages in the mailbox of a session's actor: its turn, and the kernel's and its own beside it."""
TURN_S = 86_400.0
"""A backstop for a turn, whoever waits for it: each of its calls may wait an hour for an approval."""
MEASURE = "prompt.size"
"""How a child that measures a prompt is named; never as a session, whose name holds no dot."""
FULL = "wait until the running turn ends, or stop it"
READ = "session.logs"
"""How a child that reads logs is named."""


@dataclass(slots=True, kw_only=True)
class Line:
    """A session with turns to do: the one that its actor has, and those that wait."""

    running: Asked
    queue: SessionQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarded:
    """A request that a child has. ``reply`` is the asker's; None when the loop was told."""

    message: RunTurn | MeasurePrompt | ReadSessions
    reply: Reply | None
    again: bool
    """Whether it may go to a new actor when this one had ended before it took it."""


class Loop(Actor):
    """Routes what is said to live sessions, and starts those that are not live.

    ``sessions`` is their supervisor's mailbox; ``start`` makes a session's actor of its context and id.
    ``audiences`` outlives this actor.
    """

    def __init__(  # noqa: PLR0913 (its neighbours and what it is set to, all by name)
        self,
        context: Context,
        *,
        sessions: Mailbox,
        start: Callable[[Context, str], Actor],
        store: SessionStore,
        audiences: Audiences | None = None,
        max_live: int = MAX_LIVE,
    ) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._sessions = sessions
        self._start_session = start
        self._listing = SessionListing(store)
        self._audiences = Audiences() if audiences is None else audiences
        self._max_live = max_live
        self._live: dict[str, Mailbox] = {}
        self._lines: dict[str, Line] = {}
        self._forwarded: dict[int, Forwarded] = {}
        self._keys = count(1)

    def on_start(self) -> None:
        """Know the sessions that outlived this actor's last incarnation."""
        for life in self._runtime.lives():
            above, _, session = life.name.rpartition("/")
            if above == self.name and session_ids.problem(session) is None:
                self._live[session] = self._runtime.mailbox(life.name)

    def on_receive(self, message: LoopMessage) -> object:
        """See each message."""
        if not isinstance(message, ListSessions | PromptSize | SessionAnswered):
            _check(message.session)
        match message:
            case Say():
                self._on_say(message)
            case WatchSession() | LeaveSession():
                self._on_watch(message)
            case StopTurn(session=session):
                return self._on_stop_turn(session)
            case EndSession(session=session):
                return self._on_end_session(session)
            case ListSessions() | ShowSession():
                self._read(message)
            case PromptSize():
                self._measure()
            case SessionAnswered():
                self._on_session_answered(message)
            case _:
                assert_never(message)
        return None

    def facts(self) -> dict[str, int]:
        """How many sessions live, how many requests they have, and how many messages wait."""
        waiting = sum(len(line.queue) for line in self._lines.values())
        return {"live": len(self._live_now()), "requests": len(self._forwarded), "waiting": waiting}

    # Turns.

    def _on_say(self, say: Say) -> None:
        audience = self._audiences.of(say.session)
        turn = RunTurn(say=say, brake=Brake(), audience=audience)
        asked = Asked(turn=turn, reply=self.reply_later())
        line = self._lines.get(say.session)
        if line is None:
            if audience.busy and say.listener is not None:  # begun for this actor's last incarnation
                say.listener.tell(Queued(session=say.session, place=1))
            self._run(asked)
        elif not line.queue.put(asked):
            _refuse(asked, f"{WAITING} messages wait in session {say.session}, the most there may be; {FULL}")

    def _run(self, asked: Asked) -> bool:
        """Hand a turn to the session's actor; False, and its asker is told, when there is no room for one."""
        session = asked.turn.say.session
        try:
            box = self._reach(session)
        except Refusal as refusal:
            _refuse(asked, refusal.sentence)
            return False
        line = self._lines.setdefault(session, Line(running=asked, queue=SessionQueue(session)))
        line.running = asked
        self._send(session, box, asked.turn, asked.reply, again=True)
        return True

    def _run_next(self, session: str) -> None:
        queue = self._lines[session].queue
        while (asked := queue.take()) is not None:
            if self._run(asked):
                return
        del self._lines[session]

    def _on_stop_turn(self, session: str) -> bool:
        """The audience knows what runs, also what was begun before this incarnation."""
        if self._audiences.of(session).stop():
            return True
        line = self._lines.get(session)
        if line is None or line.running.turn.brake.over:
            return False
        line.running.turn.brake.pull()
        return True

    def _on_watch(self, message: WatchSession | LeaveSession) -> None:
        session, listener = message.session, message.listener
        if isinstance(message, LeaveSession):
            self._audiences.leave(session, listener)
        elif not self._audiences.join(session, listener):
            raise Refusal(f"{MOST_WATCHERS} watch session {session}, the most there may be; end one of them")

    def _on_end_session(self, session: str) -> bool:
        box = self._live_now().get(session)
        self._live.pop(session, None)
        return box is not None and box.tell(Leave()) is Delivery.ACCEPTED

    # What is done in a child of its own.

    def _measure(self) -> None:
        """Measure in a session's actor, which ends after it: the model's tokenizer is asked over HTTP."""
        name = f"{MEASURE}.{next(self._keys)}"
        box = self._start(name, lambda context: self._start_session(context, name))
        self._send(name, box, MeasurePrompt(), self.reply_later(), again=False)

    def _read(self, wish: ListSessions | ShowSession) -> None:
        """Read logs, which may be long, outside of this actor."""
        name = f"{READ}.{next(self._keys)}"
        box = self._start(name, lambda context: Reading(context, listing=self._listing))
        self._send(name, box, ReadSessions(wish=wish, live=self._waiting()), self.reply_later(), again=False)

    def _waiting(self) -> Mapping[str, int]:
        """How many messages wait in each session that lives."""
        lines = self._lines
        return {name: len(lines[name].queue) if name in lines else 0 for name in self._live_now()}

    # Live sessions.

    def _live_now(self) -> dict[str, Mailbox]:
        """The sessions that live; those that have ended by themselves are forgotten."""
        self._live = {name: box for name, box in self._live.items() if not box.closed}
        return self._live

    def _reach(self, session: str) -> Mailbox:
        """The session's actor, started when it is not live. Raises ``Refusal`` when there is no room."""
        box = self._live_now().pop(session, None)
        if box is None:
            self._make_room()
            box = self._start(session, lambda context: self._start_session(context, session))
        self._live[session] = box  # the one that was used last stands last
        return box

    def _make_room(self) -> None:
        """Have the session leave that has been idle for longest; its log stays, and it comes back when asked.

        Raises ``Refusal`` when all have turns.
        """
        if len(self._live_now()) < self._max_live:
            return
        idle = next((name for name in self._live if name not in self._lines), None)
        if idle is None:
            raise Refusal(
                f"turns run in {len(self._live)} sessions, the most there may be; "
                "stop one, or try again later"
            )
        self._live.pop(idle).tell(Leave())

    def _start(self, child: str, start: Callable[[Context], Actor]) -> Mailbox:
        """A new actor, or the one that is there already."""
        name = f"{self.name}/{child}"
        box = self._runtime.mailbox(name, bound=BOUND)
        if box.closed:
            self._runtime.forget(box)
            box = self._runtime.mailbox(name, bound=BOUND)
        if self._runtime.life(name) is not None and not box.closed:
            return box
        spec = ChildSpec(name=name, start=start, restart=Restart.TEMPORARY, bound=BOUND)
        if self._sessions.tell(StartChild(spec=spec, mailbox=box)) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box

    def _send(
        self,
        child: str,
        box: Mailbox,
        message: RunTurn | MeasurePrompt | ReadSessions,
        reply: Reply | None,
        *,
        again: bool,
    ) -> None:
        deadline_s = self.now() + TURN_S
        if reply is not None and not isinstance(message, RunTurn):  # a turn runs on when its asker has gone
            deadline_s = reply.deadline_s
        key = next(self._keys)
        self._forwarded[key] = Forwarded(message=message, reply=reply, again=again)
        answer = box.ask(message, deadline_s)
        self.pipe([answer], deadline_s, lambda outcomes: _answered(child, key, outcomes[0]))

    def _on_session_answered(self, message: SessionAnswered) -> None:
        sent = self._forwarded.pop(message.key)
        turn = sent.message if isinstance(sent.message, RunTurn) else None
        match message.outcome:
            case Failed(Dead()) if sent.again:  # it had ended before it took the message
                self._send_again(message.session, sent)
                return
            case Answer(value):
                if sent.reply is not None:
                    sent.reply.set(value)
            case Failed(error):
                _fail(message.session, sent, error)
            case _:
                if sent.reply is not None:
                    sent.reply.abandon()
        if turn is not None:
            self._run_next(message.session)

    def _send_again(self, session: str, sent: Forwarded) -> None:
        box = self._live_now().get(session)
        if box is None:
            box = self._start(session, lambda context: self._start_session(context, session))
            self._live[session] = box
        self._send(session, box, sent.message, sent.reply, again=False)


def _check(session: str) -> None:
    problem = session_ids.problem(session)
    if problem is not None:
        raise Refusal(problem)


def _refuse(asked: Asked, sentence: str) -> None:
    """There is no room, and nothing was begun; who told it and did not ask hears at its listener."""
    listener = asked.turn.say.listener
    if asked.reply is not None:
        asked.reply.fail(NoRoom(sentence))
    elif listener is not None:
        listener.tell(Notice(session=asked.turn.say.session, text=sentence))


def _fail(session: str, sent: Forwarded, error: CallError | Refusal) -> None:
    sentence = _sentence(session, error)
    if isinstance(sent.message, RunTurn):
        sent.message.brake.release()
        sent.message.audience.lost(sent.message.brake, sentence)
    if sent.reply is not None:
        sent.reply.fail(Refusal(sentence))


def _answered(session: str, key: int, outcome: Outcome) -> SessionAnswered:
    return SessionAnswered(session=session, key=key, outcome=outcome)


def _sentence(session: str, error: CallError | Refusal) -> str:
    if isinstance(error, Refusal):
        return error.sentence
    if isinstance(error, Crashed):
        return (
            f"session {session} failed in the middle of the turn ({error.error_type}); "
            "what it had noted is kept, say it again"
        )
    return f"session {session} did not answer: {error.sentence}"
