"""SandboxSearch: finds a sandbox, sweeps what an earlier box left in it, proves it, answers, and ends.

Its thread blocks in the probes, so that the runner's does not (spec 2.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loguru import logger

from actors.base import Context, Errand, Reply
from bxcore.messages.runner import Found, Search
from bxcore.sandbox import SandboxError, choose
from bxcore.sandbox.choose import Tried
from bxcore.sandbox.view import SandboxView
from bxio.sandbox import Backend, Maker, Shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """``backend`` and ``accept`` of ``[containers]``, and how each backend is made, by its name."""

    backend: str
    accept: tuple[str, ...]
    makers: Mapping[str, Maker]


class SandboxSearch(Errand[Search]):
    """A temporary child: one ``Search``, one ``Found``, then the end."""

    def __init__(self, context: Context, *, wanted: Wanted) -> None:
        super().__init__(context)
        self._wanted = wanted

    def run(self, message: Search, reply: Reply) -> None:
        """Search, and answer; a cut has the probe's sandbox killed."""
        del message
        reply.on_abandon(self.cutting.cut)
        found = self._found()
        taken = reply.pending and reply.set(found)
        if not taken and found.backend is not None:
            found.backend.close()

    def _found(self) -> Found:
        """The first in order that proves all that the owner wants; else why none does."""
        tried: list[Tried] = []
        for name in choose.wanted(self._wanted.backend):
            if self.cutting.was_cut:
                break
            backend, swept, looked_at = self._try(name, self._wanted.makers[name])
            tried.append(looked_at)
            if backend is not None:
                return Found(backend=backend, view=self._view(tried), swept=swept)
        return Found(backend=None, view=self._view(tried))

    def _view(self, tried: Sequence[Tried]) -> SandboxView:
        return choose.view(tried, self._wanted.accept)

    def _try(self, name: str, make: Maker) -> tuple[Backend | None, int, Tried]:
        backend: Backend | None = None
        swept = 0
        try:
            backend = Shared(make(self.cutting))
            swept = backend.sweep()
            probe = backend.probe(self.cutting)
            tried = Tried(name=name, facts=backend.facts(), probe=probe)
        except SandboxError as error:
            tried = Tried(name=name, facts={}, probe=None, sentence=error.sentence)
        if swept:
            logger.warning("sandbox: {} left by an earlier box of {} were removed", swept, name)
        if backend is not None and choose.refusal(tried, self._wanted.accept) is not None:
            backend.close()
            backend = None
        return backend, swept, tried
