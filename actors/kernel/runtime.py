"""What outlives every actor: the address book, dead letters, zombies, and the tree as last seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from actors.kernel.actor import Actor
from actors.kernel.dead_letters import DeadLetters
from actors.kernel.errors import CallError, NeverReady
from actors.kernel.inspection import Inspection
from actors.kernel.launch import launch, stop
from actors.kernel.letter import Inspect
from actors.kernel.life import Context, Life
from actors.kernel.mailbox import BOUND, Mailbox
from actors.kernel.outcome import Answer, Failed
from actors.kernel.stack import stack_of
from actors.kernel.tree_view import NodeView, SupervisorView, nested
from actors.kernel.world import RealWorld, World
from actors.kernel.zombies import Zombies


class Runtime:
    """One a process (or a test). Any thread."""

    def __init__(self, world: World | None = None) -> None:
        self.world: World = world or RealWorld()
        self.dead_letters = DeadLetters(self.world)
        self.zombies = Zombies(self.world)
        self._lock = self.world.condition()
        self._boxes: dict[str, Mailbox] = {}
        self._lives: dict[str, Life] = {}
        self._launches: Counter[str] = Counter()
        self._views: dict[str, SupervisorView] = {}

    # The address book.

    def mailbox(self, name: str, *, bound: int | None = None) -> Mailbox:
        """The mailbox of this name, made when there is none; ``bound`` (messages) counts when given."""
        with self._lock:
            box = self._boxes.get(name)
            if box is None:
                box = self._boxes[name] = Mailbox(name, self.world, self.dead_letters, bound=bound or BOUND)
            elif bound is not None:
                box.bound = bound
        return box

    def forget(self, box: Mailbox) -> None:
        """Close a mailbox for good and take it out of the book."""
        box.close()
        with self._lock:
            if self._boxes.get(box.name) is box:
                del self._boxes[box.name]
                self._launches.pop(box.name, None)

    def mailboxes(self) -> tuple[Mailbox, ...]:
        """All in the book."""
        with self._lock:
            return tuple(self._boxes.values())

    def close_below(self, name: str) -> None:
        """Close the mailboxes of all that a supervisor, ended for good, last showed below itself."""
        with self._lock:
            view = self._views.pop(name, None)
        for child in view.children if view is not None else ():
            self.mailbox(child.name).close()
            self.close_below(child.name)

    # Lives.

    def start(
        self, name: str, make: Callable[[Context], Actor], *, start_s: float = 5.0, bound: int | None = None
    ) -> Mailbox:
        """Start an actor without a supervisor and wait until it is ready; for tests and tools.

        Raises ``NeverReady`` when it crashed at its start or was not ready in time.
        """
        box = self.mailbox(name, bound=bound)
        before = self.life(name)
        if before is not None and before.error is not None:
            before.ended.outcome_kept(self.world.monotonic() + start_s)
        life = launch(self, make, box)
        match life.ready.outcome(self.world.monotonic() + start_s):
            case Answer():
                return box
            case Failed():
                raise NeverReady(f"{name} failed at its start ({life.error})")
            case _:
                stop(life, 0.0)
                box.close()
                raise NeverReady(f"{name} was not ready within {start_s} s")

    def stop(self, name: str, *, timeout_s: float = 5.0) -> bool:
        """Stop an unsupervised actor and close its mailbox; False when it had to be fenced."""
        life = self.life(name)
        ended = life is None or stop(life, timeout_s)
        self.mailbox(name).close()
        return ended

    def life(self, name: str) -> Life | None:
        """The newest incarnation of this name while it runs."""
        with self._lock:
            return self._lives.get(name)

    def lives(self) -> tuple[Life, ...]:
        """Every incarnation that has not told its end, fenced ones included only in ``zombies``."""
        with self._lock:
            return tuple(self._lives.values())

    def began(self, life: Life) -> None:
        """Note a new incarnation, and in it how many there were before."""
        with self._lock:
            self._lives[life.name] = life
            life.restarts = self._launches[life.name]
            self._launches[life.name] += 1

    def over(self, life: Life) -> None:
        """Note its end or its fencing."""
        with self._lock:
            if self._lives.get(life.name) is life:
                del self._lives[life.name]

    # What status shows without asking anybody.

    def publish(self, view: SupervisorView) -> None:
        """Replace what a supervisor shows of itself and its children."""
        with self._lock:
            self._views[view.name] = view

    def tree(self) -> tuple[NodeView, ...]:
        """Every supervisor that has no parent, with all below it; depths as of now."""
        with self._lock:
            views = dict(self._views)
            depths = {name: box.depth for name, box in self._boxes.items()}
        return nested(views, depths)

    def supervisor_of(self, name: str) -> Mailbox | None:
        """Whom an operator's wish about the child ``name`` goes to; None when no supervisor shows it."""
        with self._lock:
            found = [view.name for view in self._views.values() if any(c.name == name for c in view.children)]
            return self._boxes.get(found[0]) if found else None

    def stack(self, name: str) -> list[str] | None:
        """``file:line function`` of an actor's thread, innermost first; None when there is no such thread."""
        life = self.life(name)
        return None if life is None else _stack(life)

    def stuck_stacks(self, name: str) -> dict[int, list[str]]:
        """The same for each stuck thread of that name, by incarnation, the oldest first."""
        stacks = {life.incarnation: _stack(life) for life in self.zombies.lives() if life.name == name}
        return {incarnation: stack for incarnation, stack in stacks.items() if stack is not None}

    def inspect(self, name: str, timeout_s: float) -> Inspection | None:
        """An actor's counters, through the urgent lane; from outside when it does not answer in time."""
        life = self.life(name)
        if life is None:
            return None
        reply = life.lease.box.ask_urgent(Inspect(), self.world.monotonic() + timeout_s)
        try:
            inspection = reply.get(timeout_s)
        except CallError:
            return Inspection.of(life, None)
        assert isinstance(inspection, Inspection)
        return inspection


def _stack(life: Life) -> list[str] | None:
    ident = life.thread.ident if life.thread is not None else None
    return None if ident is None else stack_of(ident)
