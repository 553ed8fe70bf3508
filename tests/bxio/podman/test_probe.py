from __future__ import annotations

import os

import pytest

from bxcore.sandbox import Guarantee, SandboxError
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend

pytestmark = pytest.mark.timeout(90)


def test_the_probe_proves_what_this_machine_keeps(backend: PodmanBackend) -> None:
    found = backend.probe(Cut())
    limits = {Guarantee.MEMORY_LIMIT, Guarantee.PIDS_LIMIT}
    kept = limits if os.geteuid() == 0 else set()
    assert found.proven >= (frozenset(Guarantee) - limits) | kept
    assert {each for each, _ in found.missing} == frozenset(Guarantee) - found.proven
    assert list(backend.site.socket.parent.glob("probe-*")) == []


def test_a_probe_that_is_cut_says_so(backend: PodmanBackend) -> None:
    cut = Cut()
    cut.cut()
    with pytest.raises(SandboxError, match="it was stopped"):
        backend.probe(cut)
