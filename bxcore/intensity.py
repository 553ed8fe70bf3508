"""When a supervisor gives up: more than so many restarts within a period (spec 5.1)."""

from __future__ import annotations


def add_restart(
    history: tuple[float, ...], now_s: float, *, intensity: int, period_s: float
) -> tuple[tuple[float, ...], bool]:
    """The restarts within the period, ``now_s`` among them, and whether they are more than ``intensity``.

    Times are monotonic seconds; a restart exactly ``period_s`` ago still counts.

    >>> add_restart((0.0, 4.0), 10.5, intensity=1, period_s=10.0)
    ((4.0, 10.5), True)
    """
    recent = (*(then_s for then_s in history if then_s >= now_s - period_s), now_s)
    return recent, len(recent) > intensity
