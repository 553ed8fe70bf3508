"""The embedded model's process, a room of the model's actor: started, listened to, started anew (spec 6.4).

Nothing here waits for the process: the actor looks at its news and its end every now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from actors.base import Actor, Timer
from bxcore.backoff import Backoff, delay_s
from bxcore.messages.model import ChildNews, Endpoint
from bxio.model_child import ModelChild, Order

LOADING_LOOK_S = 0.05
READY_LOOK_S = 0.5
RESTARTS = Backoff(first_s=0.2, most_s=30.0)
MAX_DEATHS = 5
"""Deaths in a row without a model in between; after them whoever waits is told that there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The embedded model; its process is started with ``order``, again after ``backoff`` when it dies.

    ``plan`` holds what the owner configured of its waits.
    """

    order: Order
    backoff: Backoff = RESTARTS
    plan: Endpoint = field(default_factory=lambda: Endpoint(url="http://model/v1", name="", profile="json"))

    label = "embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Whom the process's news go to: a line on the way, that it died, that it is ready, that it cannot be."""

    told: Callable[[str], object]
    died: Callable[[str], object]
    ready: Callable[[Endpoint], object]
    failed: Callable[[str], object]


class EmbeddedProcess:
    """Runs in its actor's thread. ``start`` begins; ``look`` is to be called at each ``ChildNews``."""

    def __init__(self, actor: Actor, source: Embedded, heard: Heard) -> None:
        self._actor = actor
        self._source = source
        self._heard = heard
        self._child: ModelChild | None = None
        self._next_look: Timer | None = None
        self._deaths = 0
        self._is_ready = False
        self._unstarted = ""
        self.starts = 0

    @property
    def pid(self) -> int:
        """The process's id, 0 while there is none."""
        return self._child.pid if self._child is not None else 0

    def start(self) -> None:
        """Start the process unless it is there or about to be; what came of it is told later."""
        if self._next_look is None:
            self._begin()

    def end(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end()
        self._child = None
        self._is_ready = False

    def _begin(self) -> None:
        self.starts += 1
        try:
            self._child = ModelChild.start(self._source.order, self.starts)
        except OSError as error:
            where = error.filename or self._source.order.runtime
            self._unstarted = (
                f"the embedded model cannot be started ({error.strerror}: {where}); set [model] url"
            )
            self._look_later(0.0)
            return
        self._heard.told("starting the model")
        self._look_later(LOADING_LOOK_S)

    def _look_later(self, delay_s: float) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        self._next_look = self._actor.tell_later(delay_s, ChildNews())

    def look(self) -> None:
        """Read the news, then see whether the process lives; look again later while there is one."""
        self._next_look = None
        if self._unstarted:
            sentence, self._unstarted = self._unstarted, ""
            self._heard.failed(sentence)
            return
        child = self._child
        if child is None:
            self._begin()
            return
        code = child.exit_code()
        for news in child.news():
            self._hear(child, news)
        if self._child is None:
            return
        if code is not None:
            self._died(code)
        else:
            self._look_later(READY_LOOK_S if self._is_ready else LOADING_LOOK_S)

    def _hear(self, child: ModelChild, news: Mapping[str, Any]) -> None:
        match news:
            case {"event": "progress", "text": str(text)}:
                self._heard.told(text)
            case {"event": "ready", "name": str(name), "context_tokens": int(context_tokens)}:
                self._deaths = 0
                self._is_ready = True
                self._heard.ready(self._endpoint(child, name, context_tokens))
            case {"event": "failed", "sentence": str(sentence)}:
                self.end()
                self._heard.failed(sentence)
            case _:
                pass

    def _endpoint(self, child: ModelChild, name: str, context_tokens: int) -> Endpoint:
        plan = self._source.plan
        return Endpoint(
            url=plan.url,
            name=name,
            profile="json",
            socket=str(child.socket),
            context_tokens=context_tokens,
            llama_cpp=True,
            first_token_s=plan.first_token_s,
            prompt_tokens_per_s=plan.prompt_tokens_per_s,
            stall_s=plan.stall_s,
            answer_tokens=plan.answer_tokens,
            table=plan.table,
            place=plan.place,
        )

    def _died(self, code: int) -> None:
        """Start it again after a rest that grows; give up for now after ``MAX_DEATHS`` in a row."""
        self.end()
        self._deaths += 1
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if self._deaths >= MAX_DEATHS:
            self._deaths = 0
            self._heard.failed(
                f"the embedded model's process died {MAX_DEATHS} times ({how}); see"
                f" {self._source.order.log}, or set [model] url to a model server"
            )
            return
        self._heard.died(f"the embedded model's process died ({how}); it is started again")
        self._look_later(delay_s(self._source.backoff, self._deaths, 0.5))
