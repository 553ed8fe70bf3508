"""Random supervisor scenarios: the same script for the model and for the real supervisors."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from actors.base import Actor, CallError, Context, NeverReady
from actors.supervising import Root, Supervisor
from bxcore.messages.supervision import RestartChild, StartStopped, StopChild
from bxcore.supervision import ChildSpec, Restart, Strategy, SupervisorSpec
from tests.kit.kit import Kit
from tests.kit.otp_model import Model, RootDied, Rule, Window

RULES: tuple[Rule, ...] = ("permanent", "permanent", "transient", "temporary")
ERRORS: tuple[type[BaseException], ...] = (ValueError, SystemExit, MemoryError, KeyboardInterrupt)
DOINGS = ("crash", "crash", "crash", "end", "stop", "start", "restart")


@dataclass(frozen=True)
class Script:
    """A tree and what happens to it: (seconds before, doing, which child)."""

    strategy: str
    rules: tuple[Rule, ...]
    intensity: int
    root_intensity: int
    failing: frozenset[tuple[str, int]]
    events: tuple[tuple[float, str, int], ...]

    @property
    def names(self) -> list[str]:
        return [f"c{number}" for number in range(len(self.rules))]


PERIOD_S = 5.0


def script_of(seed: int) -> Script:
    chance = random.Random(seed)
    children = chance.randint(1, 4)
    return Script(
        strategy=chance.choice([str(strategy) for strategy in Strategy]),
        rules=tuple(chance.choice(RULES) for _ in range(children)),
        intensity=chance.randint(0, 3),
        root_intensity=chance.randint(0, 2),
        failing=frozenset(
            (f"c{chance.randrange(children)}", chance.randint(2, 6)) for _ in range(chance.randint(0, 3))
        ),
        events=tuple(
            (chance.choice([0.0, 0.5, 2.0, 6.0]), chance.choice(DOINGS), chance.randrange(children))
            for _ in range(chance.randint(3, 7))
        ),
    )


class Child(Actor):
    """Logs its starts and wanted stops; fails the starts that the script names."""

    def __init__(
        self, context: Context, log: list[tuple[str, str]], failing: frozenset[tuple[str, int]]
    ) -> None:
        super().__init__(context)
        self._log = log
        self._failing = failing

    def on_start(self) -> None:
        self._log.append(("start", self.name))
        if (self.name, self._log.count(("start", self.name))) in self._failing:
            raise OSError("this start is scripted to fail")

    def on_receive(self, message: Any) -> object:
        if isinstance(message, type):
            raise message
        if message == "end":
            self.end()
        return message

    def on_stop(self) -> None:
        if self._kernel_life.reason == "shutdown":
            self._log.append(("stop", self.name))


def model_of(script: Script) -> Model:
    starts: Counter[str] = Counter()

    def fails(name: str) -> bool:
        starts[name] += 1
        return (name, starts[name]) in script.failing

    return Model(
        rules=dict(zip(script.names, script.rules, strict=True)),
        strategy=script.strategy,
        group=Window(script.intensity, PERIOD_S),
        root=Window(script.root_intensity, PERIOD_S),
        start_fails=fails,
    )


def begin(script: Script, kit: Kit, log: list[tuple[str, str]]) -> Root:
    """The same tree on real supervisors."""
    group = SupervisorSpec(
        strategy=Strategy(script.strategy),
        intensity=script.intensity,
        period_s=PERIOD_S,
        children=tuple(
            ChildSpec(
                name=name,
                restart=Restart(rule),
                start=lambda context: Child(context, log, script.failing),
            )
            for name, rule in zip(script.names, script.rules, strict=True)
        ),
    )
    keeper = ChildSpec(name="group", kind="supervisor", start=lambda context: Supervisor(context, group))
    return kit.tree(SupervisorSpec(intensity=script.root_intensity, period_s=PERIOD_S, children=(keeper,)))


class Run:
    """Plays a script on the model and on the real tree, a step at a time."""

    def __init__(self, seed: int) -> None:
        self.script = script_of(seed)
        self.model = model_of(self.script)
        self.kit = Kit(seed)
        self.log: list[tuple[str, str]] = []

    def begin(self) -> Root | None:
        """None when both failed at the start."""
        try:
            self.model.begin()
        except RootDied:
            try:
                begin(self.script, self.kit, self.log)
            except NeverReady:
                return None
            raise AssertionError("the tree started and should not have") from None
        return begin(self.script, self.kit, self.log)

    def play(self, doing: str, name: str) -> None:
        """One event on both."""
        model, now_s = self.model, self.kit.now()
        if name not in model.known:
            return
        up = name in model.up
        if doing in {"crash", "end"} and up:
            self._hit(doing, name)
            model.down(name, crashed=doing == "crash", now_s=now_s)
        elif doing == "stop":
            self._wish(StopChild(name=name))
            model.stop_by_hand(name)
        elif doing == "start" and not up:
            self._wish(StartStopped(name=name))
            model.start_by_hand(name, now_s)
        elif doing == "restart":
            self._wish(RestartChild(name=name))
            model.restart_by_hand(name, now_s)

    def _hit(self, doing: str, name: str) -> None:
        error = ERRORS[len(self.log) % len(ERRORS)]
        reply = self.kit.runtime.mailbox(name).ask(error if doing == "crash" else "end", self.kit.now() + 1.0)
        self.kit.settle()
        assert not reply.pending, "an ask was not resolved"

    def _wish(self, wish: object) -> None:
        try:
            self.kit.runtime.mailbox("group").call(wish, 1.0)
        except CallError as error:
            raise AssertionError(f"{wish}: {error}") from error
