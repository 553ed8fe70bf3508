"""Jobs run by bubblewrap: found, started, read, killed (spec 2.5).

What it cannot promise: it limits the address space of each process, not the memory of all of them together.
Everything that a run starts is in a namespace of its own, whose first process dies with bubblewrap, and
bubblewrap with the thread that started it. What a box that was killed left all the same is swept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping

from bxcore.sandbox import Job, Probe, Ran, SandboxError
from bxio.bubblewrap import leftover
from bxio.bubblewrap.arguments import Programs
from bxio.bubblewrap.once import run_once
from bxio.bubblewrap.probe import prove
from bxio.cut import Cut

NAME = "bubblewrap"
ROOTS = ("unshare", "setpriv")
"""What root needs beside it."""

_FIND_S = 5.0


def make(_cut: Cut) -> Bubblewrap:
    """Find the programs. Raises ``SandboxError`` with what to install."""
    found = {name: shutil.which(name) for name in ("bwrap", *ROOTS)}
    if found["bwrap"] is None:
        raise SandboxError(
            "bubblewrap is not on this machine; install it, such as with apt install bubblewrap"
        )
    as_root = os.geteuid() == 0
    if as_root and not all(found[name] for name in ROOTS):
        raise SandboxError(
            "as root, bubblewrap needs unshare and setpriv; install util-linux, or run as a user"
        )
    programs = Programs(bwrap=found["bwrap"], **{name: found[name] for name in ROOTS if as_root})
    if "--size" not in _said(programs.bwrap, "--help"):
        raise SandboxError("this bubblewrap is too old: it has no --size; install version 0.7 or later")
    return Bubblewrap(programs, version=_said(programs.bwrap, "--version").split()[-1])


def _said(program: str, word: str) -> str:
    try:
        ran = subprocess.run([program, word], capture_output=True, text=True, timeout=_FIND_S, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        raise SandboxError(f"{program} {word} does not answer; install bubblewrap anew") from None
    return ran.stdout.strip() or "unknown"


class Bubblewrap:
    """A ``Backend``. Holds nothing between two runs."""

    name = NAME

    def __init__(self, programs: Programs, *, version: str) -> None:
        self._programs = programs
        self._version = version

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        """See ``Backend.run``."""
        until_s = min(deadline_s, time.monotonic() + job.limits.time_s)
        return run_once(job, self._programs, until_s=until_s, cut=cut)

    def probe(self, cut: Cut) -> Probe:
        """See ``Backend.probe``."""
        return prove(lambda job, deadline_s: self.run(job, deadline_s, cut))

    def sweep(self) -> int:
        """See ``Backend.sweep``; nearly always nothing: what an earlier box left died with it."""
        return leftover.sweep()

    def broken(self) -> str | None:
        """It has no service that could end."""
        return None

    def facts(self) -> Mapping[str, str]:
        """See ``Backend.facts``."""
        return {
            "version": self._version,
            "image": "the programs of this machine, read-only",
            "runtime": "bwrap",
            "user": "rootless" if self._programs.unshare is None else "root, tools as user 1000",
        }

    def close(self) -> None:
        """Nothing is held."""
