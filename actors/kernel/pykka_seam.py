"""The one module that touches Pykka's private names; contract tests pin them.

Pykka gives the actor object, its ref, the registry and the receive loop. Changed here: the inbox is our
lease, no exception ever reaches Pykka's loop, and the end of the loop is told once, whatever ended it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pykka import ActorRegistry, ThreadingActor
from pykka.messages import _ActorStop

from actors.kernel.lease import Lease
from actors.kernel.letter import Letter, Stop

if TYPE_CHECKING:
    from actors.kernel.life import Life


class Inbox(Lease):
    """A lease as Pykka's refs see it: only their stop is taken, and only this incarnation hears it."""

    __slots__ = ()

    def put(self, envelope: Any) -> None:
        """Turn Pykka's stop into ours; any other message must go through the mailbox."""
        if not isinstance(envelope.message, _ActorStop):
            raise TypeError(f"send to the mailbox of {self.box.name}, not to a Pykka ref")
        self.box.deliver(Letter(Stop(comes_back=False), epoch=self.epoch), urgent=True)
        if envelope.reply_to is not None:
            envelope.reply_to.set(None)


class SeamActor(ThreadingActor):
    """A Pykka actor whose loop runs on our lease; ``actors.kernel.actor.Actor`` says what a message does."""

    def __init__(self, life: Life) -> None:
        self._kernel_life = life
        super().__init__()

    def _create_actor_inbox(self) -> Any:  # type: ignore[override] # Pykka calls it on the instance
        return self._kernel_life.lease

    def _start_actor_loop(self) -> None:
        self._kernel_life.thread = self._kernel_life.runtime.world.spawn(
            self._kernel_life.name, self._actor_loop
        )

    def _actor_loop(self) -> None:
        life = self._kernel_life
        try:
            self._actor_loop_setup()
            self._actor_loop_running()
            self._kernel_wind_up()
            self._actor_loop_teardown()
        except BaseException as error:  # noqa: BLE001 - a bug of the kernel itself is told as a crash too
            life.crash(error)
        finally:
            ActorRegistry.unregister(self.actor_ref)
            life.finish()

    def _actor_loop_setup(self) -> None:
        self._kernel_begin()

    def _handle_receive(self, message: Any) -> Any:
        self._kernel_receive(message)

    def _kernel_begin(self) -> None:
        raise NotImplementedError

    def _kernel_receive(self, message: Any) -> None:
        raise NotImplementedError

    def _kernel_wind_up(self) -> None:
        raise NotImplementedError


def begin(actor: SeamActor) -> None:
    """Do what Pykka's ``start`` does with an actor that exists already; raises when no thread can start."""
    ActorRegistry.register(actor.actor_ref)
    try:
        actor._start_actor_loop()  # noqa: SLF001 - this module is the seam
    except BaseException:
        ActorRegistry.unregister(actor.actor_ref)
        raise
