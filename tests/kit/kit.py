"""One test's virtual world, runtime and probes, and what may be expected of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.base import Actor, Context, DeadLetter, Mailbox, Runtime, Why
from actors.kernel.letter import Letter, Piped
from actors.supervising import Root, start_root
from bxcore.supervision import SupervisorSpec
from tests.kit.leaks import Letters, open_mailboxes, stop_everything
from tests.kit.probe import Probe
from tests.kit.virtual_world import VirtualWorld


class Kit:
    """Drives actors by message in virtual time. The same ``seed`` is the same run."""

    def __init__(self, seed: int = 0, *, preemption: float = 0.25) -> None:
        self.seed = seed
        self.world = VirtualWorld(seed, preemption=preemption)
        self.runtime = Runtime(self.world)
        self.letters = Letters(self.runtime)
        self._probes: list[Probe] = []

    def now(self) -> float:
        """Virtual seconds since the test began."""
        return self.world.monotonic()

    def settle(self) -> None:
        """Let every actor run until it waits; no time passes."""
        self.world.settle()

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass."""
        self.world.advance(seconds)

    def start(self, name: str, make: Callable[[Context], Actor], *, bound: int | None = None) -> Mailbox:
        """An actor without a supervisor, ready."""
        return self.runtime.start(name, make, bound=bound)

    def tree(self, spec: SupervisorSpec, **options: Any) -> Root:
        """A whole tree, ready."""
        return start_root(self.runtime, spec, **options)

    def probe(self, name: str, *, bound: int | None = None) -> Probe:
        """A mailbox that the test reads itself."""
        probe = Probe(self.runtime, name, bound=bound)
        self._probes.append(probe)
        return probe

    def crash(self, name: str, error: BaseException | None = None) -> None:
        """Have an actor crash at its next message, behind what waits already."""

        def burst(_: list[Any]) -> Any:
            raise error or RuntimeError("crashed by the test")

        self.runtime.mailbox(name).deliver(Letter(Piped(burst, list), epoch=self.runtime.mailbox(name).epoch))

    def expect_restart(self, name: str, within_s: float = 1.0) -> int:
        """The number of the incarnation that follows the present one, which must be ready in time."""
        before, until_s = self.runtime.mailbox(name).epoch, self.now() + within_s
        self.settle()
        while self.now() <= until_s:
            life = self.runtime.life(name)
            if life is not None and life.incarnation > before and life.started:
                return life.incarnation
            self.advance(within_s / 16)
        raise AssertionError(f"{name} was not restarted within {within_s} s")

    def expect_dead_letter(self, address: str, reason: Why | str) -> DeadLetter:
        """The oldest unread dead letter for ``address``."""
        self.settle()
        return self.letters.expect(address, reason)

    def close(self) -> list[str]:
        """Stop everything; what was left behind, a sentence each."""
        self.settle()
        problems = [f"unread dead letter {letter}" for letter in self.letters.unread()]
        stop_everything(self.runtime)
        for probe in self._probes:
            probe.close()
        problems += [f"the mailbox {name} is open" for name in open_mailboxes(self.runtime)]
        self.settle()
        problems += [f"the thread {name} is left" for name in self.world.close()]
        return problems
