"""The model's actor: owns the embedded server's process, or knows the owner's server (spec 3.4, 6.4).

It never waits for the process: it looks at its news and its end every now and then. Whoever asks for the
endpoint gets it when the model is ready, and hears of the progress until then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from actors.base import Actor, Address, Answer, Context, Mailbox, Reply, Timer
from bxcore.backoff import Backoff, delay_s
from bxcore.config.settings import ModelTable
from bxcore.messages.model import (
    ChildNews,
    Endpoint,
    GetEndpoint,
    ModelMessage,
    ModelProgress,
    ModelState,
    NoModel,
)
from bxio.deadline_http import Cut
from bxio.model.errors import ModelUnavailable, words_of
from bxio.model.probe import describe
from bxio.model_child import ModelChild, Order

LOADING_LOOK_S = 0.05
READY_LOOK_S = 0.5
ENDPOINT_S = 5.0
"""For the model of the moment, asked by a thread that is no actor's."""
RESTARTS = Backoff(first_s=0.2, most_s=30.0)
MAX_DEATHS = 5
"""Deaths in a row without a model in between; after them whoever waits is told that there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The embedded model; its process is started with ``order``, again after ``backoff`` when it dies."""

    order: Order
    backoff: Backoff = RESTARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """The owner's server: the configuration's values, ``context_tokens`` None to ask the server."""

    url: str
    name: str | None = None
    profile: Literal["auto", "native", "json"] = "auto"
    api_key: str | None = None
    context_tokens: int | None = None

    def __repr__(self) -> str:
        return f"Remote(url={self.url!r}, name={self.name!r}, profile={self.profile!r})"


Source: TypeAlias = Embedded | Remote


def source_of(model: ModelTable, order: Order, *, api_key: str | None) -> Source:
    """What ``[model]`` names: the embedded model as ``order`` has it, or a server."""
    if model.url == "embedded":
        return Embedded(order=replace(order, context_tokens=model.context_tokens, file=model.file))
    return Remote(url=model.url, name=model.name, profile=model.profile, api_key=api_key)


class Model(Actor):
    """Answers ``GetEndpoint`` with an ``Endpoint`` or a ``NoModel``.

    ``publish`` is told each ``ModelState``, from this actor's thread; ``status`` shows the last one.
    """

    def __init__(
        self, context: Context, *, source: Source, publish: Callable[[ModelState], None] = lambda _state: None
    ) -> None:
        super().__init__(context)
        self._source = source
        self._publish = publish
        self._endpoint: Endpoint | None = None
        self._progress: str | None = None
        self._child: ModelChild | None = None
        self._starts = 0
        self._deaths = 0
        self._next_look: Timer | None = None
        self._waiting: list[Reply] = []
        self._listeners: list[Address[ModelProgress]] = []
        self._cut = Cut()

    def on_start(self) -> None:
        """Start the process without waiting for it; a server is asked when it is needed."""
        if isinstance(self._source, Remote):
            self._publish(ModelState(text=f"{self._source.url}, not asked yet", ok=True))
        else:
            self._start_child(self._source)

    def on_receive(self, message: ModelMessage) -> object:
        """Answer now where that can be, else when the process has news."""
        match message:
            case GetEndpoint():
                return self._on_get_endpoint(message)
            case ChildNews():
                self._look()
                return None
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end()

    def cut(self) -> None:
        """Shut down the probe of a server. Any thread."""
        self._cut.cut()

    def facts(self) -> Mapping[str, str | int | float]:
        """What ``bxctl inspect model`` shows."""
        pid = self._child.pid if self._child is not None else 0
        return {"ready": int(self._endpoint is not None), "process starts": self._starts, "process id": pid}

    def _on_get_endpoint(self, message: GetEndpoint) -> object:
        if isinstance(self._source, Remote) and self._endpoint is None:
            return self._ask_server(self._source)
        if self._endpoint is not None:
            return self._endpoint
        self._wait(message)
        if self._next_look is None and isinstance(self._source, Embedded):
            self._start_child(self._source)
        return None

    def _wait(self, message: GetEndpoint) -> None:
        reply = self.reply_later()
        if reply is not None:
            self._waiting = [*(waiting for waiting in self._waiting if waiting.pending), reply]
        if message.listener is not None:
            self._listeners.append(message.listener)
            if self._progress is not None:
                message.listener.tell(ModelProgress(text=self._progress))

    # The owner's server.

    def _ask_server(self, source: Remote) -> Endpoint | NoModel:
        """Ask what is not configured, once; a server that does not answer is asked again next time."""
        given = Endpoint(url=source.url, name=source.name or "", profile="native", api_key=source.api_key)
        try:
            found = describe(
                given, profile=source.profile, configured_context=source.context_tokens, cut=self._cut
            )
        except ModelUnavailable as problem:
            self._publish(ModelState(text=problem.sentence, ok=False))
            return NoModel(sentence=problem.sentence)
        self._endpoint = found
        name = words_of(found, found.name)
        self._publish(ModelState(text=f"{name} at {found.url}, {found.profile} profile", ok=True))
        return found

    # The embedded model's process.

    def _start_child(self, source: Embedded) -> None:
        self._starts += 1
        try:
            self._child = ModelChild.start(source.order, self._starts)
        except OSError as error:
            where = error.filename or source.order.runtime
            self._no_model(
                f"the embedded model cannot be started ({error.strerror}: {where}); set [model] url"
            )
            return
        self._told("starting the model")
        self._look_later(LOADING_LOOK_S)

    def _look_later(self, delay_s: float) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        self._next_look = self.tell_later(delay_s, ChildNews())

    def _look(self) -> None:
        """Read the news, then see whether the process lives; look again later while there is one."""
        self._next_look = None
        child = self._child
        if child is None:
            if isinstance(self._source, Embedded):
                self._start_child(self._source)
            return
        code = child.exit_code()
        for news in child.news():
            self._hear(child, news)
        if self._child is None:
            return
        if code is not None:
            self._died(code)
        else:
            self._look_later(LOADING_LOOK_S if self._endpoint is None else READY_LOOK_S)

    def _hear(self, child: ModelChild, news: Mapping[str, Any]) -> None:
        match news:
            case {"event": "progress", "text": str(text)}:
                self._told(text)
            case {"event": "ready", "name": str(name), "context_tokens": int(context_tokens)}:
                self._deaths = 0
                self._ready(child, name, context_tokens)
            case {"event": "failed", "sentence": str(sentence)}:
                self._drop_child()
                self._no_model(sentence)
            case _:
                pass

    def _ready(self, child: ModelChild, name: str, context_tokens: int) -> None:
        self._endpoint = Endpoint(
            url="http://model/v1",
            name=name,
            profile="json",
            socket=str(child.socket),
            context_tokens=context_tokens,
            llama_cpp=True,
        )
        self._progress = None
        self._publish(ModelState(text=f"{name}, embedded, ready", ok=True))
        self._answer(self._endpoint)

    def _died(self, code: int) -> None:
        """Start it again after a rest that grows; give up for now after ``MAX_DEATHS`` in a row."""
        assert isinstance(self._source, Embedded)
        self._drop_child()
        self._deaths += 1
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if self._deaths >= MAX_DEATHS:
            self._deaths = 0
            self._no_model(
                f"the embedded model's process died {MAX_DEATHS} times ({how}); see"
                f" {self._source.order.log}, or set [model] url to a model server"
            )
            return
        self._publish(
            ModelState(text=f"the embedded model's process died ({how}); it is started again", ok=False)
        )
        self._look_later(delay_s(self._source.backoff, self._deaths, 0.5))

    def _drop_child(self) -> None:
        if self._child is not None:
            self._child.end()
        self._child = None
        self._endpoint = None

    def _told(self, text: str) -> None:
        self._progress = text
        self._publish(ModelState(text=text, ok=True))
        for listener in self._listeners:
            listener.tell(ModelProgress(text=text))

    def _no_model(self, sentence: str) -> None:
        """Tell whoever waits; the next one who asks has the process started again."""
        self._progress = None
        self._publish(ModelState(text=sentence, ok=False))
        self._answer(NoModel(sentence=sentence))

    def _answer(self, answer: Endpoint | NoModel) -> None:
        for reply in self._waiting:
            if reply.pending:
                reply.set(answer)
        self._waiting.clear()
        self._listeners.clear()


def endpoint_of(model: Mailbox, now: Callable[[], float]) -> Endpoint | None:
    """The model of the moment, for a thread that is no actor's; None when there is none soon."""
    deadline_s = now() + ENDPOINT_S
    match model.ask(GetEndpoint(), deadline_s).outcome():
        case Answer(value=Endpoint() as endpoint):
            return endpoint
        case _:
            return None
