"""Random trees under load, on real threads: restarted, crashed and stopped at any moment, nothing is left."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from loguru import logger

from actors.base import Answer, CallError, Failed, Late, Mailbox, Outcome, Runtime
from actors.supervising import Root, Supervisor, start_root
from bxcore.messages.supervision import RestartChild, StartChild, StartStopped, StopChild
from bxcore.supervision import ChildSpec, Restart, Strategy, SupervisorSpec
from tests.kit.leaks import Letters
from tests.traps.bare import raising
from tests.traps.ours import Ours

ROUNDS = 100
RACES = 300
ENOUGH = 12
DEADLINE_S = 20.0
ERRORS: tuple[type[BaseException], ...] = (ValueError, SystemExit, MemoryError, KeyboardInterrupt)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The crash reports would tell nobody anything; threads change often, so that races show."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    logger.disable("actors")
    yield
    logger.enable("actors")
    sys.setswitchinterval(interval_s)


def tree_of(chance: random.Random) -> SupervisorSpec:
    """Two groups of two workers with random strategies, and a dynamic supervisor; it never gives up."""

    def group(name: str, *workers: str) -> ChildSpec:
        spec = SupervisorSpec(
            strategy=chance.choice(list(Strategy)),
            intensity=100_000,
            period_s=0.1,
            children=tuple(ChildSpec(name=worker, start=Ours) for worker in workers),
        )
        return ChildSpec(name=name, kind="supervisor", start=partial(Supervisor, spec=spec))

    dynamic = SupervisorSpec(max_children=8)
    return SupervisorSpec(
        strategy=chance.choice(list(Strategy)),
        intensity=100_000,
        period_s=0.1,
        children=(
            group("g", "a", "b"),
            ChildSpec(name="dynamic", kind="supervisor", start=partial(Supervisor, spec=dynamic)),
            group("h", "c", "d"),
        ),
    )


class Load:
    """How many asks were answered, over all clients of a round."""

    def __init__(self) -> None:
        self.answered = 0
        self.enough = threading.Event()

    def note(self, outcome: Outcome) -> None:
        self.answered += isinstance(outcome, Answer)
        if self.answered >= ENOUGH:
            self.enough.set()


def stop_under(load: Load, root: Root) -> None:
    """Stop the tree while its clients are busy."""
    assert load.enough.wait(DEADLINE_S)
    assert root.stop(DEADLINE_S)


def ask_and_crash(runtime: Runtime, chance: random.Random, late: list[str], load: Load) -> None:
    """A client: asks, crashes, and starts a short-lived child now and then; each ask must be resolved."""
    for number in range(40):
        box = runtime.mailbox(chance.choice("abcd"))
        if chance.random() < 0.2:
            box = short_lived(runtime, f"dynamic/{threading.get_ident()}-{number}")
        message = raising(chance.choice(ERRORS)) if chance.random() < 0.3 else number
        outcome = box.ask(message, runtime.world.monotonic() + DEADLINE_S).outcome(
            runtime.world.monotonic() + DEADLINE_S
        )
        if isinstance(outcome, Late) or (
            isinstance(outcome, Failed) and not isinstance(outcome.error, CallError)
        ):
            late.append(box.name)
        load.note(outcome)


def short_lived(runtime: Runtime, name: str) -> Mailbox:
    box = runtime.mailbox(name, bound=4)
    spec = ChildSpec(name=name, start=Ours, restart=Restart.TEMPORARY)
    runtime.mailbox("dynamic").tell(StartChild(spec=spec, mailbox=box))
    return box


def operate(runtime: Runtime, chance: random.Random) -> None:
    """An operator: restarts, stops and starts whomever; a wish that a restart swallows is no matter."""
    for _ in range(6):
        name = chance.choice(["a", "b", "c", "d", "g", "h", "dynamic"])
        supervisor = {"a": "g", "b": "g", "c": "h", "d": "h"}.get(name, "root")
        wishes = chance.choice([(RestartChild(name=name),), (StopChild(name=name), StartStopped(name=name))])
        for wish in wishes:
            runtime.mailbox(supervisor).ask(wish, runtime.world.monotonic() + DEADLINE_S).outcome(
                runtime.world.monotonic() + DEADLINE_S
            )


def run_all(works: list[Callable[[], None]], *, then: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    then()
    for thread in threads:
        thread.join(timeout=2 * DEADLINE_S)
        assert not thread.is_alive()


@pytest.mark.chaos
@pytest.mark.timeout(120)
@pytest.mark.parametrize("stopped_under_load", [True, False])
def test_trees_under_load_resolve_every_ask_and_leave_nothing(
    runtime: Runtime, letters: Letters, *, stopped_under_load: bool
) -> None:
    answered = 0
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        root: Root = start_root(runtime, tree_of(chance))
        late: list[str] = []
        load = Load()
        works = [partial(ask_and_crash, runtime, random.Random(seed + n), late, load) for n in range(3)]
        then = partial(stop_under, load, root) if stopped_under_load else lambda: None
        run_all([*works, partial(operate, runtime, chance)], then=then)
        assert root.stop(DEADLINE_S)
        assert late == []
        answered += load.answered
        assert runtime.lives() == ()
        assert runtime.zombies.snapshot() == ()
        assert [box.name for box in runtime.mailboxes() if not box.closed] == []
        letters.read_all()
    assert answered >= ENOUGH * ROUNDS


@pytest.mark.chaos
def test_no_ask_that_races_with_a_stop_waits_for_its_deadline(runtime: Runtime, letters: Letters) -> None:
    late: list[str] = []

    def ask(box: Mailbox) -> None:
        if box.ask("?", runtime.world.monotonic() + DEADLINE_S).outcome(
            runtime.world.monotonic() + DEADLINE_S
        ) == (Late()):
            late.append(box.name)

    for _ in range(RACES):
        box = runtime.start("racing", Ours)
        run_all([partial(ask, box)] * 2, then=lambda: runtime.stop("racing"))
    assert late == []
    letters.read_all()
