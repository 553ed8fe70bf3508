"""The base of every actor: what a message, a refusal, a crash and a stop do to it (spec 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from actors.kernel.crash_report import report_crash
from actors.kernel.errors import Refusal
from actors.kernel.inspection import Inspection
from actors.kernel.letter import Fenced, Inspect, Letter, Order, Ping, Piped, PipeDue, Stop
from actors.kernel.life import Context
from actors.kernel.mailbox import Mailbox
from actors.kernel.outcome import Outcome
from actors.kernel.pipe import Pipe
from actors.kernel.pykka_seam import SeamActor
from actors.kernel.reply import Reply
from actors.kernel.timers import Timer


class Actor(SeamActor):
    """Subclass it and match the messages in ``on_receive``; a child spec's ``start`` makes it."""

    def __init__(self, context: Context) -> None:
        self.name: str = context.name
        self.incarnation: int = context.incarnation
        self.box: Mailbox = context.box
        self.now: Callable[[], float] = context.runtime.world.monotonic
        """Seconds on the monotonic clock, the one of every deadline."""
        super().__init__(context.life)

    # What a subclass may define.

    def on_start(self) -> None:
        """Get ready; the supervisor waits for it within the start budget. The actor's own thread."""

    def on_receive(self, message: Any) -> object:
        """Handle a message; what it returns answers an ask. The actor's own thread."""
        raise NotImplementedError(type(message).__name__)

    def on_stop(self) -> None:
        """Let go of files and sockets; keep it short. The actor's own thread.

        Runs once if ``on_start`` succeeded: at a stop, a normal end, after a crash; not when fenced.
        It is part of the shutdown budget, after a crash as well.
        """

    def cut(self) -> None:
        """Shut down what the actor may be blocked on, such as a socket. ANY thread; must not block.

        Called when a stop is wanted, and again when the actor is fenced.
        """

    def facts(self) -> Mapping[str, str | int | float]:
        """Counters that ``bxctl inspect`` shows beside the kernel's; no content. The actor's own thread."""
        return {}

    # What the kernel offers to a subclass; the actor's own thread.

    def reply_later(self) -> Reply | None:
        """Take over the reply of the message in hand; ``on_receive``'s value is ignored. None when told."""
        letter = self._kernel_life.lease.in_hand
        return None if letter is None else self._kernel_life.owe(letter)

    def tell_later(self, delay_s: float, message: Any) -> Timer:
        """Have ``message`` come to this incarnation after ``delay_s``; whatever the bound."""
        return self._kernel_life.lease.timers.add(self.now() + delay_s, message)

    def pipe(
        self,
        replies: Iterable[Reply],
        deadline_s: float | None,
        make: Callable[[list[Outcome]], Any],
    ) -> None:
        """Tell oneself ``make(outcomes)`` once, when all replies are over or at ``deadline_s`` (absolute).

        The late ones are abandoned; None is the own deadline of each, wherever it is moved to meanwhile.
        ``make`` runs in the actor's own thread; the bound does not count.
        """
        Pipe(self._kernel_life, list(replies), make, deadline_s).begin()

    @property
    def fenced(self) -> bool:
        """Whether a newer incarnation owns the mailbox by now: write nothing that it may write, too."""
        return self._kernel_life.fenced

    def end(self) -> None:
        """End normally after this message."""
        self.actor_stopped.set()

    # The kernel's own.

    def _kernel_begin(self) -> None:
        life = self._kernel_life
        try:
            self.on_start()
        except BaseException as error:  # noqa: BLE001 - SystemExit too is a failed start of this actor alone
            self._kernel_crash(error, "on_start")
        else:
            life.started = True
            life.ready.set_if_pending(None)

    def _kernel_receive(self, message: Any) -> None:
        letter = self._kernel_life.lease.in_hand
        assert letter is not None
        try:
            if isinstance(message, Order):
                message = self._kernel_obey(message, letter)
                if message is None:
                    return
            answer = self.on_receive(message)
        except Refusal as refusal:
            if letter.reply is not None:
                letter.reply.fail(refusal.with_traceback(None))
        except BaseException as error:  # noqa: BLE001 - SystemExit too is a crash of this actor alone
            self._kernel_crash(error, type(message).__name__)
        else:
            if letter.reply is not None and not letter.taken_over:
                letter.reply.set(answer)
        finally:
            self._kernel_life.lease.in_hand = None

    def _kernel_obey(self, order: Order, letter: Letter) -> Any:
        """Do what the kernel wants; the message for ``on_receive`` when the order carries one."""
        match order:
            case Piped():
                return order.make(order.outcomes())
            case PipeDue():
                order.abandon()
            case Stop():
                self._kernel_life.reason = "shutdown"
                self._kernel_life.comes_back = order.comes_back
                self.actor_stopped.set()
            case Fenced():
                self._kernel_life.fenced = True
                self.actor_stopped.set()
            case Ping() if letter.reply is not None:
                letter.reply.set(None)
            case Inspect() if letter.reply is not None:
                letter.reply.set(Inspection.of(self._kernel_life, self.facts()))
            case _:
                raise TypeError(type(order).__name__)
        return None

    def _kernel_wind_up(self) -> None:
        life = self._kernel_life
        if not life.started or life.fenced:
            return
        if life.reason != "shutdown" and type(self).on_stop is not Actor.on_stop:
            life.tell_dying()
        try:
            self.on_stop()
        except BaseException as error:  # noqa: BLE001 - a failed clean-up is told, the end goes on
            self._kernel_crash(error, "on_stop")

    def _kernel_crash(self, error: BaseException, message_type: str) -> None:
        life = self._kernel_life
        life.crash(error)
        life.fail_in_hand()
        self.actor_stopped.set()
        report_crash(life, message_type, error)
