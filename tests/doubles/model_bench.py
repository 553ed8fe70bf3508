"""A model's actor with its probes, and a stand-in for the embedded model's process."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from actors.base import Mailbox, Runtime
from actors.model import Model, Probes, Source
from actors.model_embedded import Embedded
from actors.model_probe import ModelProbe
from actors.model_sources import Remote
from actors.supervising import Supervisor, temporary
from bxcore.backoff import Backoff
from bxcore.messages.model import Endpoint, ModelState
from bxcore.supervision import SupervisorSpec
from bxio.model_child import Order

DOUBLE = Path(__file__).parent / "model_process.py"
QUICK = Backoff(first_s=0.01, most_s=0.02)


def remote(url: str, context_tokens: int | None = None, profile: Any = "auto", **fields: Any) -> Remote:
    """A server as the owner configures it."""
    plan = Endpoint(**{"url": url, "name": "", "profile": "native", **fields})
    return Remote(plan=plan, profile=profile, context_tokens=context_tokens)


class ModelBench:
    """Starts the actor; ``states`` is what it published."""

    def __init__(self, runtime: Runtime, folder: Path) -> None:
        self.states: list[ModelState] = []
        self.ready = threading.Event()
        self.note = folder / "starts"
        self._runtime = runtime
        self._folder = folder

    def start(self, *sources: Source) -> Mailbox:
        spec = SupervisorSpec(max_children=8)
        asks = self._runtime.start("asks", lambda context: Supervisor(context, spec))
        probes = Probes(asks=asks, probe=temporary(ModelProbe, 1.0))
        return self._runtime.start(
            "model",
            lambda context: Model(context, sources=sources, probes=probes, publish=self._publish),
        )

    def _publish(self, state: ModelState) -> None:
        self.states.append(state)
        if state.text.endswith("ready"):
            self.ready.set()

    def embedded(self, way: str) -> Mailbox:
        order = Order(
            cache=self._folder / "cache",
            runtime=self._folder / "run",
            log=self._folder / "log" / "model.log",
            context_tokens=4096,
            command=(sys.executable, str(DOUBLE), way, str(self.note)),
        )
        return self.start(Embedded(order=order, backoff=QUICK))

    def pids(self) -> list[int]:
        return [int(line) for line in self.note.read_text().split()]
