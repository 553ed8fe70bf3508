from __future__ import annotations

import threading
import time

import pytest

from bxcore.sandbox import Job
from bxio.cut import Cut
from bxio.sandbox import Backend, Shared
from tests.doubles.scripted_backend import LONG_S, RAN, Hanging, ScriptedBackend

JOB = Job(name="a", command=("true",))


def test_it_is_the_backend_that_it_shares() -> None:
    backend = ScriptedBackend(left_behind=3, broke="gone")
    shared: Backend = Shared(backend)
    assert (shared.name, shared.sweep(), shared.broken(), shared.facts()) == (
        "podman",
        3,
        "gone",
        backend.facts(),
    )
    assert shared.probe(Cut()) == backend.probe(Cut())
    assert shared.run(JOB, 7.0, Cut()) == RAN
    assert (backend.jobs, backend.deadlines) == ([JOB], [7.0])


def test_it_is_closed_after_the_run_that_is_ending() -> None:
    hanging = Hanging()
    backend = ScriptedBackend(hanging)
    shared, cut = Shared(backend), Cut()
    running = threading.Thread(target=shared.run, args=(JOB, 0.0, cut))
    running.start()
    assert hanging.begun.wait(LONG_S)
    closing = threading.Thread(target=shared.close)
    closing.start()
    assert backend.closed == 0
    cut.cut()
    for thread in (running, closing):
        thread.join(LONG_S)
    assert backend.closed == 1


def test_a_run_that_does_not_end_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shared, "CLOSE_S", 0.05)
    hanging = Hanging()
    backend = ScriptedBackend(hanging)
    shared = Shared(backend)
    running = threading.Thread(target=shared.run, args=(JOB, 0.0, Cut()))
    running.start()
    assert hanging.begun.wait(LONG_S)
    began_s = time.monotonic()
    shared.close()
    assert (backend.closed, time.monotonic() - began_s < LONG_S / 4) == (1, True)
    hanging.go_on.set()
    running.join(LONG_S)


def test_a_run_that_fails_is_over_too() -> None:
    def fails(*_: object) -> None:
        raise OSError

    backend = ScriptedBackend(fails)  # type: ignore[arg-type]  # never returns
    shared = Shared(backend)
    with pytest.raises(OSError):  # noqa: PT011 (any)
        shared.run(JOB, 0.0, Cut())
    shared.close()
    assert backend.closed == 1
