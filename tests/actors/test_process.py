"""What becomes of the process with its tree; the real signals are in tests/test_supervisor.py."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

import pytest

from actors.base import NeverReady, Runtime
from actors.process import RunningTree, supervise
from bxcore.control import Exit
from bxio.stop_signals import StopSignals


class Tree:
    """A tree as the process sees it: running, or ended with an error."""

    def __init__(self, error: str | None = None) -> None:
        self.error = error
        self.stops: list[float] = []

    @property
    def ended(self) -> bool:
        return self.error is not None

    def stop(self, timeout_s: float) -> bool:
        self.stops.append(timeout_s)
        return True


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    gc.unfreeze()
    for number, handler in before.items():
        signal.signal(number, handler)


def ended_by(tree: Tree) -> Exit:
    def start(signals: StopSignals) -> RunningTree:
        signals.want()
        return tree

    return supervise(Runtime(), start)


def test_a_wanted_stop_stops_the_tree_in_order_and_is_no_failure() -> None:
    tree = Tree()
    assert ended_by(tree) is Exit.OK
    assert len(tree.stops) == 1


def test_a_tree_that_gave_up_is_a_failure_and_is_not_stopped_again() -> None:
    tree = Tree("a was the last of 10 restarts within 60 s")
    assert ended_by(tree) is Exit.FAILED
    assert tree.stops == []


def test_a_tree_that_never_was_ready_is_a_failure() -> None:
    def start(_signals: StopSignals) -> RunningTree:
        raise NeverReady("audit failed at its start")

    assert supervise(Runtime(), start) is Exit.FAILED


def test_a_stop_during_the_start_is_no_failure() -> None:
    def start(signals: StopSignals) -> RunningTree:
        signals.want()
        raise NeverReady("the start was stopped")

    assert supervise(Runtime(), start) is Exit.OK
