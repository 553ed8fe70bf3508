"""The loop: one door to all sessions, each an actor of its own while it lives (spec 3.1).

It waits for nobody: a session's answer comes back as a message, so a long turn holds up no other session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
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
    Outcome,
    Refusal,
    Reply,
)
from bxcore import session_ids
from bxcore.address import Delivery
from bxcore.messages.loop import (
    EndSession,
    Leave,
    ListSessions,
    LoopMessage,
    MeasurePrompt,
    PromptSize,
    RunTurn,
    Say,
    SessionAnswered,
    ShowSession,
    StopTurn,
    TurnBrake,
)
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec, Restart
from bxio.brake import Brake
from bxio.session_listing import SessionListing
from bxio.session_store import SessionError, SessionStore

MAX_LIVE = 64
"""Sessions that live side by side; an idle one makes room for another."""
WAITING = 32
"""Messages that wait in one session."""
TOLD_TURN_S = 3600.0
"""How long a turn may take that nobody waits for."""
MEASURE = "prompt.size"
"""How a child that measures a prompt is named; never as a session, whose name holds no dot."""


@dataclass(slots=True, kw_only=True)
class LiveSession:
    """A session's actor as the loop sees it: where to reach it, and its turns that are not over."""

    box: Mailbox
    turns: list[TurnBrake] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarded:
    """A request that a session's actor has. ``reply`` is the asker's; None when the loop was told."""

    message: RunTurn | MeasurePrompt
    reply: Reply | None
    box: Mailbox
    again: bool
    """Whether it may go to a new actor when this one had ended before it took it."""


class Loop(Actor):
    """Routes what is said to live sessions, and starts those that are not live.

    ``sessions`` is their supervisor's mailbox; ``start`` makes a session's actor of its context and id.
    """

    def __init__(
        self,
        context: Context,
        *,
        sessions: Mailbox,
        start: Callable[[Context, str], Actor],
        store: SessionStore,
        max_live: int = MAX_LIVE,
    ) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._sessions = sessions
        self._start_session = start
        self._store = store
        self._listing = SessionListing(store)
        self._max_live = max_live
        self._live: dict[str, LiveSession] = {}
        self._forwarded: dict[int, Forwarded] = {}
        self._keys = count(1)

    def on_receive(self, message: LoopMessage) -> object:
        """See each message."""
        match message:
            case Say(session=session):
                _check(session)
                self._forward(session, RunTurn(say=message, brake=Brake()))
            case StopTurn(session=session):
                return self._on_stop_turn(session)
            case EndSession(session=session):
                return self._on_end_session(session)
            case ListSessions(limit=limit):
                return self._listing.newest(limit, self._live_now())
            case ShowSession(session=session):
                return self._on_show_session(session)
            case PromptSize():
                self._measure()
            case SessionAnswered():
                self._on_session_answered(message)
            case _:
                assert_never(message)
        return None

    def facts(self) -> dict[str, int]:
        """How many sessions live, and how many requests they have."""
        return {"live": len(self._live_now()), "requests": len(self._forwarded)}

    # Forwarding.

    def _forward(self, session: str, message: RunTurn) -> None:
        """Hand it to the session's actor, behind what is on its way back from one that has ended."""
        ended = self._on_its_way_back(session)
        live = self._reach(session) if ended is None else LiveSession(box=ended)
        self._send(session, live, message, self.reply_later(), again=True)

    def _on_its_way_back(self, session: str) -> Mailbox | None:
        """The closed mailbox of requests that are about to be sent anew; one sent there follows them."""
        return next(
            (
                sent.box
                for sent in self._forwarded.values()
                if isinstance(sent.message, RunTurn)
                and sent.message.say.session == session
                and sent.box.closed
            ),
            None,
        )

    def _measure(self) -> None:
        """Measure in an actor of its own, which ends after it: the model's tokenizer is asked over HTTP."""
        name = f"{MEASURE}.{next(self._keys)}"
        live = LiveSession(box=self._start(name))
        self._send(name, live, MeasurePrompt(), self.reply_later(), again=False)

    def _reach(self, session: str) -> LiveSession:
        """The session's actor, started when it is not live. Raises ``Refusal`` when there is no room."""
        live = self._live.pop(session, None)
        if live is None or live.box.closed:
            self._make_room()
            live = LiveSession(box=self._start(session))
        self._live[session] = live  # the one that was used last stands last
        return live

    def _make_room(self) -> None:
        """Have the session leave that has been idle for longest; its log stays, and it comes back when asked.

        Raises ``Refusal`` when all have turns.
        """
        if len(self._live_now()) < self._max_live:
            return
        for name, live in self._live.items():
            if all(brake.over for brake in live.turns):
                del self._live[name]
                live.box.tell(Leave())
                return
        raise Refusal(
            f"turns run in {len(self._live)} sessions, the most there may be; stop one, or try again later"
        )

    def _start(self, session: str) -> Mailbox:
        """A new actor, or the one that outlived this loop's last incarnation."""
        name = f"{self.name}/{session}"
        box = self._runtime.mailbox(name, bound=WAITING)
        if box.closed:
            self._runtime.forget(box)
            box = self._runtime.mailbox(name, bound=WAITING)
        if self._runtime.life(name) is not None and not box.closed:
            return box
        spec = ChildSpec(
            name=name,
            start=lambda context: self._start_session(context, session),
            restart=Restart.TEMPORARY,
            bound=WAITING,
        )
        if self._sessions.tell(StartChild(spec=spec, mailbox=box)) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box

    def _send(
        self,
        session: str,
        live: LiveSession,
        message: RunTurn | MeasurePrompt,
        reply: Reply | None,
        *,
        again: bool,
    ) -> None:
        deadline_s = self.now() + TOLD_TURN_S if reply is None else reply.deadline_s
        key = next(self._keys)
        self._forwarded[key] = Forwarded(message=message, reply=reply, box=live.box, again=again)
        if isinstance(message, RunTurn):
            live.turns = [brake for brake in live.turns if not brake.over] + [message.brake]
        answer = live.box.ask(message, deadline_s)
        self.pipe([answer], deadline_s, lambda outcomes: _answered(session, key, outcomes[0]))

    def _on_session_answered(self, message: SessionAnswered) -> None:
        sent = self._forwarded.pop(message.key)
        match message.outcome:
            case Answer(value):
                if sent.reply is not None:
                    sent.reply.set(value)
            case Failed(error):
                self._on_session_failed(message.session, sent, error)
            case _:
                if sent.reply is not None:
                    sent.reply.abandon()

    def _on_session_failed(self, session: str, sent: Forwarded, error: CallError | Refusal) -> None:
        """One that ended before it took the message is started once more; all else goes to the asker."""
        if isinstance(error, Dead) and sent.again:
            live = self._live.get(session)
            if live is None or live.box is sent.box:
                live = self._live[session] = LiveSession(box=self._start(session))
            self._send(session, live, sent.message, sent.reply, again=False)
            return
        if isinstance(sent.message, RunTurn):
            sent.message.brake.release()
        if sent.reply is not None:
            sent.reply.fail(Refusal(_sentence(session, error)))

    def _live_now(self) -> Collection[str]:
        """The sessions that live; those that have ended by themselves are forgotten."""
        self._live = {name: live for name, live in self._live.items() if not live.box.closed}
        return self._live.keys()

    # The rest.

    def _on_stop_turn(self, session: str) -> bool:
        _check(session)
        live = self._live.get(session)
        running = next((brake for brake in live.turns if not brake.over), None) if live else None
        if running is None:
            return False
        running.pull()
        return True

    def _on_end_session(self, session: str) -> bool:
        _check(session)
        live = self._live.pop(session, None)
        return live is not None and live.box.tell(Leave()) is Delivery.ACCEPTED

    def _on_show_session(self, session: str) -> object:
        _check(session)
        try:
            return self._listing.show(session, live=session in self._live_now())
        except SessionError as error:
            raise Refusal(error.sentence) from None


def _check(session: str) -> None:
    problem = session_ids.problem(session)
    if problem is not None:
        raise Refusal(problem)


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
