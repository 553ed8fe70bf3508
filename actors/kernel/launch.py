"""Beginning a life and ending one from outside, within budgets (spec 5.1, 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from actors.kernel.crash_report import report_crash
from actors.kernel.errors import NeverReady
from actors.kernel.letter import Letter, Stop
from actors.kernel.life import Context, Life
from actors.kernel.mailbox import Mailbox
from actors.kernel.outcome import Late
from actors.kernel.pykka_seam import Inbox, begin

if TYPE_CHECKING:
    from actors.kernel.actor import Actor
    from actors.kernel.runtime import Runtime

_JOIN_S = 1.0


def launch(
    runtime: Runtime,
    make: Callable[[Context], Actor],
    box: Mailbox,
    *,
    parent: Mailbox | None = None,
    comes_back: bool = False,
) -> Life:
    """Make an actor and start its thread on ``box``, which takes messages from now on.

    Never raises: what went wrong is in the life, told as its end.
    """
    taken = runtime.life(box.name) is not None
    if taken:  # its mailbox must not be fenced: this life gets one of its own, and fails
        box = Mailbox(box.name, runtime.world, runtime.dead_letters)
    box.reopen()
    life = Life(runtime, Inbox(box), parent=parent, comes_back=comes_back)
    try:
        if taken:
            raise NeverReady(f"another actor is named {box.name}")  # noqa: TRY301 - told like any failed start
        runtime.began(life)
        life.actor = make(Context(life))
        begin(life.actor)
    except BaseException as error:  # noqa: BLE001 - a SystemExit while an actor is made is its failed start
        life.crash(error)
        report_crash(life, "making", error)
        life.finish()
    return life


def stop(life: Life, budget_s: float, *, comes_back: bool = False) -> bool:
    """Want a life's end and wait for it; fence it when the budget is over. False when it was fenced."""
    order_stop(life, comes_back=comes_back)
    return await_end(life, life.runtime.world.monotonic() + budget_s)


def order_stop(life: Life, *, comes_back: bool = False) -> None:
    """Want a life's end: an urgent order, and a cut of what it may be blocked on. Any thread."""
    life.comes_back = comes_back
    order = Letter(Stop(comes_back=comes_back), epoch=life.incarnation)
    life.lease.box.deliver(order, urgent=True)
    _cut(life)


def await_end(life: Life, deadline_s: float) -> bool:
    """Wait for an ordered end until ``deadline_s`` (absolute), then fence. False when it was fenced."""
    if not isinstance(life.ended.outcome_kept(deadline_s), Late):
        if life.thread is not None:
            life.thread.join(_JOIN_S)
        return True
    fence(life)
    return False


def fence(life: Life) -> None:
    """Take the mailbox from a stuck life, tell its askers, cut it once more, and count it. Any thread."""
    life.fence()
    life.runtime.over(life)
    _cut(life)
    life.runtime.zombies.add(life)


def _cut(life: Life) -> None:
    actor = life.actor
    if actor is None:
        return
    try:
        actor.cut()
    except Exception as error:  # noqa: BLE001 - a failed cut must not stop who stops
        report_crash(life, "cut", error)
