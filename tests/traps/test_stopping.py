"""What a stop does to who asks at that moment, and what it waits for."""

from __future__ import annotations

import threading
from functools import partial

import pykka
import pytest

from actors.base import CallError, Dead, Mailbox, Runtime
from tests.kit.kit import Kit
from tests.kit.leaks import Letters
from tests.traps.bare import WAIT_S, Bare, bare_actors, wait
from tests.traps.ours import Ours

SEEDS = 300


def test_bare_pykka_never_answers_an_ask_that_races_with_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ask looks whether the actor lives; the actor stops; the ask puts its message all the same."""
    with bare_actors():
        ref = Bare.start()
        alive = ref.is_alive

        def look_then_lose_the_race() -> bool:
            seen = alive()
            monkeypatch.undo()
            ref.stop(timeout=WAIT_S)
            return seen

        monkeypatch.setattr(ref, "is_alive", look_then_lose_the_race)
        future = ref.ask("anyone?", block=False)
        with pytest.raises(pykka.Timeout):
            future.get(timeout=0.05)


@pytest.mark.parametrize("seed", range(0, SEEDS, 100))
def test_ours_answers_every_ask_that_races_with_a_stop(seed: int) -> None:
    """Seeded interleavings of askers and a stop: each gets its answer or Dead, none waits longer."""
    answered = refused = 0
    for number in range(seed, seed + 100):
        kit = Kit(number, preemption=0.5)
        box = kit.start("child", Ours)
        outcomes: list[object] = []

        def ask(box: Mailbox = box, outcomes: list[object] = outcomes) -> None:
            try:
                outcomes.append(box.call("anyone?", 3600.0))
            except CallError as error:
                outcomes.append(type(error))

        for _ in range(4):
            kit.world.spawn("asker", ask)
        kit.runtime.stop("child")
        kit.settle()
        assert box.closed
        assert kit.now() == 0.0
        assert len(outcomes) == 4
        answered += outcomes.count("anyone?")
        refused += outcomes.count(Dead)
        assert set(outcomes) <= {"anyone?", Dead}
        kit.letters.read_all()
        assert kit.close() == []
    assert answered > 0
    assert refused > 0


def test_bare_pykka_stops_behind_the_backlog() -> None:
    done: list[int] = []
    go = threading.Event()
    with bare_actors():
        ref = Bare.start()
        ref.tell(partial(wait, go))
        for number in range(100):
            ref.tell(partial(done.append, number))
        stopping = ref.stop(block=False)
        go.set()
        assert stopping.get(timeout=WAIT_S)
    assert len(done) == 100


def test_ours_stops_ahead_of_the_backlog_and_counts_what_was_left(runtime: Runtime, letters: Letters) -> None:
    done: list[int] = []
    entered, go = threading.Event(), threading.Event()
    box = runtime.start("child", lambda context: Cut(context, go))

    def block() -> None:
        entered.set()
        wait(go)

    box.tell(block)
    wait(entered)
    for number in range(100):
        box.tell(partial(done.append, number))
    assert runtime.stop("child")
    assert done == []
    assert len(letters.read_all()) == 100


class Cut(Ours):
    """Blocked until it is cut."""

    def __init__(self, context: object, go: threading.Event) -> None:
        super().__init__(context)  # type: ignore[arg-type] # handed through
        self._go = go

    def cut(self) -> None:
        self._go.set()
