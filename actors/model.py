"""The model's actor: knows the owner's models in their order, and which of them is asked (spec 3.4, 6.4).

It never waits for one: a server is asked what it is by a short-lived child, the embedded model's process is
looked at every now and then. Whoever asks for the endpoint gets it when a model is ready, and hears of the
progress until then. One that failed is left alone for a while and tried again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from loguru import logger

from actors.base import Actor, Answer, Context, Delivery, Failed, Mailbox, Outcome, Reply, Timer
from actors.model_embedded import Embedded, EmbeddedProcess, Heard
from actors.model_sources import Remote
from bxcore.messages.model import (
    ChildNews,
    Endpoint,
    EndpointFailed,
    GetEndpoint,
    ModelMessage,
    ModelProgress,
    ModelState,
    NoModel,
    ServerAsked,
    ServerLoads,
    StillAsked,
    TryAgain,
)
from bxcore.messages.model_probe import Describe, NotDescribed
from bxcore.messages.supervision import StartChild
from bxcore.model.servers import Ask, Server, Use, choose, due, next_due_s, no_model
from bxcore.supervision import ChildSpec
from bxio.model.errors import words_of

ENDPOINT_S = 5.0
"""For the model of the moment, asked by a thread that is no actor's."""
PATIENCE_S = 10.0
"""After so long a wait for it, another model is taken where there is one."""
ASKED_S = 240.0
"""For a server to say what it is; its probe has shorter limits of its own."""

Source: TypeAlias = Embedded | Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """How servers are asked: the supervisor of the short-lived children, and a child's spec by its name."""

    asks: Mailbox
    probe: Callable[[str], ChildSpec]


@dataclass(slots=True)
class _Waiter:
    """Who waits for an endpoint; ``without`` grows by those that were tried for it in vain."""

    message: GetEndpoint
    reply: Reply | None
    without: set[int] = field(default_factory=set)


class Model(Actor):
    """Answers ``GetEndpoint`` with an ``Endpoint`` or a ``NoModel``.

    ``publish`` is told each ``ModelState``, from this actor's thread; ``status`` shows the last one.
    """

    def __init__(
        self,
        context: Context,
        *,
        sources: Sequence[Source],
        probes: Probes,
        publish: Callable[[ModelState], None] = lambda _state: None,
    ) -> None:
        super().__init__(context)
        self._runtime, self._own_box = context.runtime, context.box
        self._chance = context.runtime.world.random
        self._sources = tuple(sources)
        self._probes = probes
        self._publish = publish
        self._servers = [
            Server(label=source.label, alone_again=isinstance(source, Remote)) for source in self._sources
        ]
        self._process: EmbeddedProcess | None = None
        self._child_place = 0
        for place, source in enumerate(self._sources):
            if isinstance(source, Embedded):
                heard = Heard(told=self._told, died=self._died, ready=self._ready, failed=self._no_process)
                self._process = EmbeddedProcess(self, source, heard)
                self._child_place = place
        self._progress: str | None = None
        self._trouble = ""
        self._asked = 0
        self._open: dict[int, Reply] = {}
        self._numbers: dict[int, int] = {}
        self._waiting: list[_Waiter] = []
        self._alarm: Timer | None = None

    def on_start(self) -> None:
        """Ask the first model what it is, without waiting for it."""
        self._seek()
        self._publish_state()

    def on_receive(self, message: ModelMessage) -> object:
        """Answer now where that can be, else when there is news."""
        match message:
            case GetEndpoint():
                return self._on_get_endpoint(message)
            case EndpointFailed():
                self._on_endpoint_failed(message)
            case ServerAsked():
                self._on_server_asked(message)
            case ServerLoads():
                self._on_server_loads(message)
            case StillAsked():
                self._on_still_asked(message)
            case TryAgain():
                self._alarm = None
                for place in due(self._servers, self.now()):
                    self._ask(place)
                self._after_change()
            case ChildNews():
                if self._process is not None:
                    self._process.look()
            case _:
                assert_never(message)
        return None

    def on_stop(self) -> None:
        """End the process, and the asking."""
        for reply in self._open.values():
            reply.abandon()
        if self._process is not None:
            self._process.end()

    def facts(self) -> Mapping[str, str | int | float]:
        """What ``bxctl inspect model`` shows."""
        process = self._process
        return {
            "ready": sum(server.ready(self.now()) for server in self._servers),
            "models": len(self._servers),
            "process starts": process.starts if process is not None else 0,
            "process id": process.pid if process is not None else 0,
        }

    # Who wants a model.

    def _on_get_endpoint(self, message: GetEndpoint) -> object:
        waiter = _Waiter(message, None, set(message.without))
        found = self._find(waiter)
        if found is not None:
            return found
        waiter.reply = self.reply_later()
        if waiter.reply is not None:
            self._waiting = [*(each for each in self._waiting if each.reply and each.reply.pending), waiter]
        if message.listener is not None and self._progress is not None:
            message.listener.tell(ModelProgress(text=self._progress))
        return None

    def _find(self, waiter: _Waiter) -> Endpoint | NoModel | None:
        """What this request gets; None while a server that it needs is asked."""
        now_s = self.now()
        match choose(self._servers, now_s, using=waiter.message.using, without=waiter.without):
            case Use(place=place):
                return self._servers[place].endpoint
            case Ask(places=places):
                for place in places:
                    self._ask(place)
                return None
            case _:
                return NoModel(sentence=no_model(self._servers, self._trouble or "no model is left to ask"))

    def _serve(self) -> None:
        """Answer each of those who wait and can be answered now."""
        left: list[_Waiter] = []
        for waiter in self._waiting:
            found = self._find(waiter)
            if found is None:
                left.append(waiter)
            elif waiter.reply is not None and waiter.reply.pending:
                waiter.reply.set(found)
        self._waiting = left

    # Asking the servers what they are.

    def _seek(self) -> None:
        """Have one model ready for whoever will come, without trying those that are left alone."""
        choice = choose(self._servers, self.now(), urgent=False)
        for place in choice.places if isinstance(choice, Ask) else ():
            self._ask(place)

    def _ask(self, place: int) -> None:
        """Ask the server at ``place`` what it is, unless it is being asked."""
        source, server = self._sources[place], self._servers[place]
        if server.asked:
            return
        self._servers[place] = replace(server, asked=True)
        if isinstance(source, Remote):
            self._send_probe(place, source)
        elif self._process is not None:
            self._process.start()

    def _send_probe(self, place: int, source: Remote) -> None:
        self._asked += 1
        name = f"{self._probes.asks.name}/{self.incarnation}-{self._asked}-model"
        box = self._runtime.mailbox(name, bound=4)
        if self._probes.asks.tell(StartChild(spec=self._probes.probe(name), mailbox=box)) is not (
            Delivery.ACCEPTED
        ):
            self._runtime.forget(box)
        given = replace(source.plan, place=place)
        wanted = Describe(
            endpoint=given,
            profile=source.profile,
            configured_context=source.context_tokens,
            asker=self._own_box,
        )
        self.tell_later(PATIENCE_S, StillAsked(place=place, number=self._asked))
        self._numbers[place] = self._asked
        deadline_s = self.now() + ASKED_S
        reply = self._open[place] = box.ask(wanted, deadline_s)
        self.pipe([reply], deadline_s, lambda found: ServerAsked(place=place, outcome=found[0]))

    def _on_server_loads(self, message: ServerLoads) -> None:
        """Whoever waits hears of it; when there are other models, one of them is taken meanwhile."""
        self._go_on_without(message.place, message.text)
        self._told(message.text)

    def _on_still_asked(self, message: StillAsked) -> None:
        if self._numbers.get(message.place) == message.number:
            label = self._servers[message.place].label
            self._go_on_without(message.place, f"{label} has not said what it is in {PATIENCE_S:g} s")

    def _go_on_without(self, place: int, why: str) -> None:
        """Nobody who can have another model waits for this one, which is asked still."""
        server = self._servers[place]
        if len(self._servers) > 1 and server.asked:
            failure = EndpointFailed(place=place, probed=0, sentence=why, fault="slow")
            self._servers[place] = replace(server.failed(failure, self.now(), self._chance()), asked=True)
            self._after_change()

    def _on_server_asked(self, message: ServerAsked) -> None:
        self._open.pop(message.place, None)
        outcome: Outcome = message.outcome  # type: ignore[assignment]  # of the pipe
        place = message.place
        match outcome:
            case Answer(value=Endpoint() as endpoint):
                self._found(place, endpoint)
            case Answer(value=NotDescribed(sentence=sentence, rest_s=rest_s)):
                self._failed(place, sentence, rest_s)
            case Failed(error=error):
                self._failed(place, f"{self._servers[place].label} could not be asked: {error.sentence}")
            case _:
                self._failed(place, f"{self._servers[place].label} did not say what it is in {ASKED_S:g} s")

    def _found(self, place: int, endpoint: Endpoint) -> None:
        server = self._servers[place]
        if server.circuit.failures:
            logger.info("model: {} answers again", server.label)
        self._servers[place] = server.found(endpoint, self.now())
        self._after_change()

    def _failed(self, place: int, sentence: str, rest_s: float | None = None) -> None:
        failure = EndpointFailed(place=place, probed=0, sentence=sentence, fault="gone", rest_s=rest_s)
        self._leave_alone(failure)
        for waiter in self._waiting:
            waiter.without.add(place)
        self._after_change()

    def _on_endpoint_failed(self, message: EndpointFailed) -> None:
        """Of a server that has said anew what it is since, the old failure counts no more."""
        server = self._servers[message.place] if message.place < len(self._servers) else None
        if server is None or server.endpoint is None or server.probed != message.probed:
            return
        if message.place == self._child_place and self._process is not None:  # its end is seen by itself
            message = replace(message, fault="slow")
        self._leave_alone(message)
        self._after_change()

    def _leave_alone(self, failure: EndpointFailed) -> None:
        self._trouble = failure.sentence
        server = self._servers[failure.place]
        if server.circuit.why != failure.sentence or server.endpoint is not None:
            logger.warning("model: {}", failure.sentence)  # and not once a minute while it is away
        self._servers[failure.place] = server.failed(failure, self.now(), self._chance())

    def _after_change(self) -> None:
        self._serve()
        self._seek()
        self._set_alarm()
        self._publish_state()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        when_s = next_due_s(self._servers, self.now())
        delay_s = None if when_s is None else max(0.0, when_s - self.now())
        self._alarm = None if delay_s is None else self.tell_later(delay_s, TryAgain())

    # The embedded model's process.

    def _ready(self, endpoint: Endpoint) -> None:
        self._progress = None
        self._found(self._child_place, replace(endpoint, place=self._child_place))

    def _no_process(self, sentence: str) -> None:
        self._progress = None
        self._failed(self._child_place, sentence)

    def _died(self, text: str) -> None:
        server = self._servers[self._child_place]
        self._servers[self._child_place] = replace(server, endpoint=None, asked=True)
        self._publish(ModelState(text=text, ok=False))

    def _told(self, text: str) -> None:
        self._progress = text
        self._publish(ModelState(text=text, ok=True))
        for waiter in self._waiting:
            if waiter.message.listener is not None:
                waiter.message.listener.tell(ModelProgress(text=text))

    # What status shows.

    def _publish_state(self) -> None:
        now_s = self.now()
        in_use = next((at for at, server in enumerate(self._servers) if server.ready(now_s)), None)
        states = tuple(server.state(now_s, in_use=at == in_use) for at, server in enumerate(self._servers))
        first = self._servers[0]
        if in_use is not None:
            text, ok = self._words(in_use), True
        elif any(server.asked for server in self._servers) and not self._trouble:
            text, ok = self._progress or f"{first.label}, not asked yet", True
        else:
            text, ok = no_model(self._servers, self._trouble or first.label), not self._trouble
        several = len(self._servers) > 1
        self._publish(ModelState(text=text, ok=ok, servers=states if several else ()))

    def _words(self, place: int) -> str:
        """The model in use, and why it is not the owner's first."""
        endpoint = self._servers[place].endpoint
        assert endpoint is not None
        name = words_of(endpoint, endpoint.name)
        first = self._servers[0]
        behind = f"; {first.label} is left alone: {first.circuit.why}" if place else ""
        if endpoint.socket:
            return f"{name}, embedded, ready{behind}"
        return f"{name} at {endpoint.url}, {endpoint.profile} profile{behind}"


def endpoint_of(model: Mailbox, now: Callable[[], float]) -> Endpoint | None:
    """The model of the moment, for a thread that is no actor's; None when there is none soon."""
    deadline_s = now() + ENDPOINT_S
    match model.ask(GetEndpoint(), deadline_s).outcome():
        case Answer(value=Endpoint() as endpoint):
            return endpoint
        case _:
            return None
