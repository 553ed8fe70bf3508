"""A call in bubblewrap against the bare program: what our own limits, checks and reading add."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator

from bench.row import Row, percentile
from bxcore.sandbox import Job
from bxio.bubblewrap import make
from bxio.cut import Cut

ROWS = ("bubblewrap_echo_p50",)
CALLS = 100
WARM_UP = 10
WAIT_S = 10.0
USR = ["--ro-bind", "/usr", "/usr", *(f"--symlink usr/{name} /{name}" for name in ("bin", "lib", "lib64"))]
APART = "--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv"
BARE = " ".join(["bwrap", APART, *USR, "--proc /proc --dev /dev --tmpfs /tmp -- /bin/sh -c"]).split()


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows; none where bubblewrap is missing."""
    if not wanted or shutil.which("bwrap") is None:
        return
    backend = make(Cut())
    job = Job(name="bench", command=("sh", "-c", "echo hi"))

    def ours() -> None:
        ran = backend.run(job, time.monotonic() + WAIT_S, Cut())
        assert ran.stdout.data == b"hi\n", ran

    def bare() -> None:
        ran = subprocess.run([*BARE, "echo hi"], capture_output=True, timeout=WAIT_S, check=True)
        assert ran.stdout == b"hi\n"

    taken = _in_turn(ours, bare)
    yield Row(
        row="bubblewrap_echo_p50",
        value=percentile(taken[0], 50) * 1e3,
        unit="ms",
        reference="bwrap alone, with the same namespaces, by subprocess.run",
        reference_value=percentile(taken[1], 50) * 1e3,
        goal=15.0,
    )


def _in_turn(*calls: Callable[[], None]) -> list[list[float]]:
    """Seconds of each call, one after the other, so that a slow moment hits all of them."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(WARM_UP + CALLS):
        for call, kept in zip(calls, taken, strict=True):
            begun = time.perf_counter()
            call()
            kept.append(time.perf_counter() - begun)
    return [kept[WARM_UP:] for kept in taken]
