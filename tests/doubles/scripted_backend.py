"""A sandbox backend that a test moves by hand: nothing is run, each run ends as it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bxcore.sandbox import Guarantee, Job, Probe, Ran, Stream
from bxio.cut import Cut

LONG_S = 20.0

RAN = Ran(exit_code=0, stdout=Stream(data=b"done\n", total=5), stderr=Stream())


def at_once(_job: Job, _deadline_s: float, _cut: Cut) -> Ran:
    return RAN


@dataclass
class ScriptedBackend:
    """``runs`` says how a run goes. What it was asked for is kept."""

    runs: Callable[[Job, float, Cut], Ran] = at_once
    name: str = "podman"
    lacks: frozenset[Guarantee] = frozenset()
    left_behind: int = 0
    broke: str | None = None
    jobs: list[Job] = field(default_factory=list)
    deadlines: list[float] = field(default_factory=list)
    closed: int = 0

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        self.jobs.append(job)
        self.deadlines.append(deadline_s)
        return self.runs(job, deadline_s, cut)

    def probe(self, cut: Cut) -> Probe:
        assert not cut.was_cut
        return Probe(proven=frozenset(Guarantee) - self.lacks)

    def sweep(self) -> int:
        return self.left_behind

    def broken(self) -> str | None:
        return self.broke

    def facts(self) -> Mapping[str, str]:
        return {"version": "9", "image": "none"}

    def close(self) -> None:
        self.closed += 1


@dataclass
class Hanging:
    """A run that ends when it is cut, or let go."""

    begun: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    cut_after_s: float | None = None

    def __call__(self, _job: Job, _deadline_s: float, cut: Cut) -> Ran:
        began_s = time.monotonic()
        self.begun.set()
        while time.monotonic() - began_s < LONG_S:
            if cut.was_cut:
                self.cut_after_s = time.monotonic() - began_s
                return Ran(exit_code=None, stdout=Stream(), stderr=Stream())
            if self.go_on.wait(0.005):
                return RAN
        raise TimeoutError
