"""What every sandbox backend can do; the runner knows no more of one than this (spec 2.5)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from bxcore.sandbox import Job, Probe, Ran
from bxio.cut import Cut


class Backend(Protocol):
    """One way to run a job apart from the box. ``run`` may be called from several threads at once.

    What it was made from (a program, an image, a runtime) was found by its maker, so that a made one is ready
    to ``probe``. Every method but ``run`` and ``close`` is called from the runner's own thread.
    """

    @property
    def name(self) -> str:
        """``podman`` or ``bubblewrap``."""

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        """Run ``job`` once and leave nothing behind; the calling thread blocks.

        It is killed, with everything that it started, at ``job.limits.time_s`` or at ``deadline_s``
        (absolute, monotonic), the earlier (``timed_out``), and within a second of ``cut``: then ``exit_code``
        is None and ``timed_out`` False. Raises ``SandboxError`` when it did not run or its end is unknown.
        """

    def probe(self, cut: Cut) -> Probe:
        """Prove each guarantee by a run of its own; a few seconds. Raises ``SandboxError``."""

    def sweep(self) -> int:
        """Remove what an earlier process of this box left running; how many. Raises ``SandboxError``."""

    def broken(self) -> str | None:
        """Why it can run nothing any more, such as its service's end; None while it can. Quick; any thread.

        The runner closes a broken one and makes another, with a rest that grows.
        """

    def facts(self) -> Mapping[str, str]:
        """What it is made of, for the operator: ``version``, ``image``, ``runtime``, ``cgroups`` and such."""

    def close(self) -> None:
        """Let go of what it holds, a service's process too. Any thread; may be called twice."""


Maker: TypeAlias = Callable[[Cut], Backend]
"""Finds the program, the image, starts the service; raises ``SandboxError`` that says what to install."""


class Shared:
    """A ``Backend`` whose close lets the runs that are ending end first, so that none is left behind."""

    CLOSE_S = 3.0

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._running = 0
        self._condition = threading.Condition()

    @property
    def name(self) -> str:
        """The backend's own."""
        return self._backend.name

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        """See ``Backend.run``."""
        with self._condition:
            self._running += 1
        try:
            return self._backend.run(job, deadline_s, cut)
        finally:
            with self._condition:
                self._running -= 1
                self._condition.notify_all()

    def probe(self, cut: Cut) -> Probe:
        """See ``Backend.probe``."""
        return self._backend.probe(cut)

    def sweep(self) -> int:
        """See ``Backend.sweep``."""
        return self._backend.sweep()

    def broken(self) -> str | None:
        """See ``Backend.broken``."""
        return self._backend.broken()

    def facts(self) -> Mapping[str, str]:
        """See ``Backend.facts``."""
        return self._backend.facts()

    def close(self) -> None:
        """Close it once no run is on its way, or after ``CLOSE_S``; whoever closes has cut the runs."""
        with self._condition:
            self._condition.wait_for(lambda: self._running == 0, self.CLOSE_S)
        self._backend.close()
