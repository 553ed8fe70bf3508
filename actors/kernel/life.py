"""One incarnation of an actor: how it begins, what it owes to its askers, how its end is told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from actors.kernel.errors import CallError, Crashed, Dead, Restarting, shown
from actors.kernel.lease import Lease
from actors.kernel.letter import Letter
from actors.kernel.reply import Reply
from actors.kernel.world import ThreadLike
from bxcore.messages.supervision import Down, Dying

if TYPE_CHECKING:
    from actors.kernel.actor import Actor
    from actors.kernel.mailbox import Mailbox
    from actors.kernel.pipe import Pipe
    from actors.kernel.runtime import Runtime

Reason: TypeAlias = Literal["normal", "shutdown", "crashed", "start_failed"]


class Life:
    """Shared by the actor's thread and its supervisor's, which waits for ``ready`` and ``ended``."""

    def __init__(self, runtime: Runtime, lease: Lease, *, parent: Mailbox | None, comes_back: bool) -> None:
        self.runtime = runtime
        self.lease = lease
        self.parent = parent
        self._parent_epoch = parent.epoch if parent is not None else 0
        self.comes_back = comes_back
        self.name = lease.box.name
        self.incarnation = lease.epoch
        self.since_s = runtime.world.monotonic()
        self.ready = self._reply()
        self.ended = self._reply()
        self.actor: Actor | None = None
        self.thread: ThreadLike | None = None
        self.started = False
        self.fenced = False
        self.dying = False
        """Whether it ends by itself and cleans up."""
        self.reason: Reason = "normal"
        self.error: str | None = None
        self.restarts = 0
        """How often this name had been started before; the runtime counts."""
        self.pipes: dict[Pipe, None] = {}
        """In the order they began, as every list of debts: the same run ends them in the same order."""
        self._owed: dict[Reply, None] = {}
        self._lock = runtime.world.condition()

    @property
    def alive(self) -> bool:
        """Whether its end has not been told yet."""
        return self.ended.pending

    def owe(self, letter: Letter) -> Reply | None:
        """Take the letter's reply over: it is failed at the end when nobody has set it by then."""
        reply = letter.reply
        letter.taken_over = True
        if reply is not None:
            with self._lock:
                self._owed[reply] = None
            reply.when_over(lambda: self._settle(reply))
        return reply

    def crash(self, error: BaseException) -> None:
        """Note the first crash: its type, never its text, except a Refusal's or the kernel's own."""
        if self.error is None:
            self.reason = "crashed" if self.started else "start_failed"
            self.error = shown(error)

    def fail_in_hand(self) -> None:
        """Tell who asked the message in hand that the actor crashed on it."""
        letter = self.lease.in_hand
        if letter is not None and letter.reply is not None:
            letter.reply.fail_if_pending(Crashed(self.name, self.error or ""))

    def fence(self) -> None:
        """End the lease from outside: the thread may be stuck, so its askers are told here. Any thread."""
        self.fenced = True
        if self.lease.current:
            self.lease.box.fence()
        letter = self.lease.in_hand
        if letter is not None and letter.reply is not None:
            letter.reply.fail_if_pending(self._gone())
        self.settle_debts()

    def settle_debts(self) -> None:
        """Fail every reply taken over and abandon every reply that the actor itself was waiting for."""
        with self._lock:
            owed, pipes = list(self._owed), list(self.pipes)
        for reply in owed:
            reply.fail_if_pending(self._gone())
        for pipe in pipes:
            pipe.abandon()

    def finish(self) -> None:
        """Tell the end, once, as the last act of the actor's thread."""
        self.settle_debts()
        self.runtime.over(self)
        if not self.fenced:
            self._tell_down()
        self.ready.fail_if_pending(Dead(self.name))
        self.ended.set_if_pending(None)
        self.runtime.zombies.gone(self)
        self.actor = None  # no circle is left: what ended is freed at once, not by the collector

    @property
    def owes(self) -> int:
        """How many replies it has taken over and not yet set."""
        return len(self._owed)

    def tell_dying(self) -> None:
        """Tell the supervisor that the clean-up begins, so that it hears of one that never ends."""
        self.dying = True
        self._tell_parent(Dying(name=self.name, incarnation=self.incarnation))

    def _tell_down(self) -> None:
        """Tell the supervisor the end; without one nobody comes back, and the mailbox closes."""
        if self.parent is None:
            self.lease.box.close()
        self._tell_parent(
            Down(name=self.name, incarnation=self.incarnation, reason=self.reason, error=self.error)
        )

    def _tell_parent(self, news: Down | Dying) -> None:
        """News for the very incarnation of the supervisor that began this life, whatever its bound."""
        if self.parent is not None:
            self.parent.deliver(Letter(news, epoch=self._parent_epoch))

    def _settle(self, reply: Reply) -> None:
        with self._lock:
            self._owed.pop(reply, None)

    def _gone(self) -> CallError:
        return Restarting(self.name) if self.comes_back else Dead(self.name)

    def _reply(self) -> Reply:
        return Reply(self.runtime.world, self.runtime.dead_letters, self.name, math.inf)


@dataclass(frozen=True, slots=True)
class Context:
    """What an actor is given at its making. Hand it to ``super().__init__(context)``."""

    life: Life

    @property
    def name(self) -> str:
        """The actor's name, which is its address."""
        return self.life.name

    @property
    def incarnation(self) -> int:
        """Rises with every start under this name."""
        return self.life.incarnation

    @property
    def box(self) -> Mailbox:
        """The actor's own mailbox."""
        return self.life.lease.box

    @property
    def supervisor(self) -> str | None:
        """The name of its supervisor; None without one."""
        return self.life.parent.name if self.life.parent is not None else None

    @property
    def runtime(self) -> Runtime:
        """The runtime that it lives in."""
        return self.life.runtime
