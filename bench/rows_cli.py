"""How long a command of ``bxctl`` takes, as a process from its start to its end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from bench.row import Row, percentile
from bench.rows_box import bxctl, serving

ROWS = ("bxctl_status_p50", "bxctl_status_p99")
RUNS = 40
GOAL_S = 0.25
PASS_S = 10.0


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows: ``status`` and an empty Python take turns, so both see the same machine."""
    with tempfile.TemporaryDirectory(prefix="bx-") as home, serving(home):
        status_s, nothing_s = [], []
        for _ in range(RUNS):
            status_s.append(timed_status(home))
            nothing_s.append(timed_nothing())
    for name in ROWS:
        if name in wanted:
            percent = float(name.rpartition("_p")[2])
            yield Row(
                row=name,
                value=percentile(status_s, percent),
                unit="s",
                reference="python -c pass",
                reference_value=percentile(nothing_s, percent),
                goal=GOAL_S,
            )


def timed_status(home: str) -> float:
    began_s = time.monotonic()
    done = bxctl(home, "status")
    took_s = time.monotonic() - began_s
    if done.returncode not in {0, 3}:
        raise RuntimeError(done.stderr)
    return took_s


def timed_nothing() -> float:
    began_s = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], timeout=PASS_S, check=True)
    return time.monotonic() - began_s
