"""A session of 2,000 turns: what its turns cost late against early, and how long it takes to come back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from bench.loop_box import ServedLoop, served_loop
from bench.row import Row, percentile

ROWS = ("turn_2000_time", "turn_2000_cpu", "resume_2000_turns")
TURNS = 2_000
EARLY = slice(10, 110)
LATE = slice(TURNS - 100, TURNS)
RESUMES = 5
TALK = "and then we spoke of the garden, the bees, the letter of the town and the price of apples in spring"


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows: one session is talked in for 2,000 turns, and then it comes back again."""
    if not wanted:
        return
    with served_loop() as box:
        times, cpu = talk(box)
        resumed = [resume(box, number) for number in range(RESUMES)]
    usual = median(times[LATE])
    found = (
        Row(
            row="turn_2000_time",
            value=median(times[LATE]) * 1e3,
            unit="ms",
            reference="a turn from the 10th to the 110th",
            reference_value=median(times[EARLY]) * 1e3,
            goal=1.5,
            of="ratio",
        ),
        Row(
            row="turn_2000_cpu",
            value=(cpu[-1] - cpu[LATE.start]) / 100 * 1e3,
            unit="ms of a core a turn",
            reference="turns from the 10th to the 110th",
            reference_value=(cpu[EARLY.stop] - cpu[EARLY.start]) / 100 * 1e3,
            goal=1.5,
            of="ratio",
        ),
        Row(
            row="resume_2000_turns",
            value=percentile(resumed, 50) - usual,
            unit="s",
            reference="a turn of the session while it lives",
            reference_value=usual,
            goal=0.5,
        ),
    )
    yield from (row for row in found if row.row in wanted)


def talk(box: ServedLoop) -> tuple[list[float], list[float]]:
    """Each turn's seconds, and the seconds of a core that the box had used before it, and after the last."""
    times, cpu = [], []
    for number in range(TURNS):
        cpu.append(box.cpu_s())
        plan = " clock" if number % 5 == 0 else ""
        times.append(box.turn(f"{TALK}\nme_{number}{plan}", "main"))
    return times, [*cpu, box.cpu_s()]


def resume(box: ServedLoop, number: int) -> float:
    """The session's actor ends, and the next turn opens its log; seconds of that turn."""
    box.control("sessions", "end", "main")
    until_s = time.monotonic() + 1.0
    while time.monotonic() < until_s:  # its actor is gone long before
        box.control("tree")
    return box.turn(f"me_back{number}", "main")
