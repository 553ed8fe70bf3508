"""A mailbox that a test reads itself: what came, in order, and an answer to it."""

from __future__ import annotations

from typing import Any, TypeVar

from actors.base import CallError, Refusal, Runtime
from actors.kernel.lease import Lease
from actors.kernel.letter import Letter

M = TypeVar("M")


def take(lease: Lease) -> Any:
    """The message of the next letter that a lease gets; waits for one."""
    return lease.box.take(lease.epoch, lease.timers).message


class Probe:
    """Stands in for an actor under ``name``; works in the real world and in the virtual one."""

    def __init__(self, runtime: Runtime, name: str, *, bound: int | None = None) -> None:
        self.box = runtime.mailbox(name, bound=bound)
        self._world = runtime.world
        self._lease = Lease(self.box)
        self._letter: Letter | None = None

    def expect(self, kind: type[M], within_s: float = 2.0) -> M:
        """The next message, which must be a ``kind`` and come within ``within_s``."""
        letter = self._next(within_s)
        assert letter is not None, f"no {kind.__name__} came to {self.box.name} within {within_s} s"
        message = letter.message
        assert isinstance(message, kind), (
            f"{type(message).__name__} came to {self.box.name}, not {kind.__name__}"
        )
        self._letter = letter
        return message

    def expect_none(self, within_s: float = 0.0) -> None:
        """Nothing comes within ``within_s``."""
        letter = self._next(within_s)
        assert letter is None, f"{type(letter.message).__name__} came to {self.box.name}"

    def reply(self, value: Any) -> None:
        """Answer the message that ``expect`` returned last."""
        assert self._letter is not None
        assert self._letter.reply is not None, f"{type(self._letter.message).__name__} was told, not asked"
        self._letter.reply.set(value)

    def fail(self, error: CallError | Refusal) -> None:
        """Answer it with an error."""
        assert self._letter is not None
        assert self._letter.reply is not None, f"{type(self._letter.message).__name__} was told, not asked"
        self._letter.reply.fail(error)

    def close(self) -> None:
        """Stop reading; whoever waits for it gets Dead."""
        self.box.close()

    def _next(self, within_s: float) -> Letter | None:
        over = object()
        timer = self._lease.timers.add(self._world.monotonic() + within_s, over)
        letter = self._lease.get()
        timer.cancel()
        return None if letter.message is over else letter
