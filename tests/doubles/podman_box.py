"""A podman service on a storage of its own, for the tests and for a process that one of them kills.

As a program it starts a run in the box whose folder it is given, and is killed in the middle of it:
``python -m tests.doubles.podman_box FOLDER SECONDS``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bxcore.sandbox import Job, Limits
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend, PodmanOrder
from bxio.podman.service import ServiceOrder

WAIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Folders of one podman that has nothing to do with the machine's own."""

    folder: Path

    @property
    def options(self) -> tuple[str, ...]:
        return ("--root", str(self.folder / "root"), "--runroot", str(self.folder / "runroot"))

    def order(self, name: str = "podman.sock") -> ServiceOrder:
        return ServiceOrder(
            run=self.folder / "run", log=self.folder / f"{name}.log", name=name, options=self.options
        )

    def open(self, state: str, name: str = "podman.sock") -> PodmanBackend:
        order = PodmanOrder(service=self.order(name), state=self.folder / state)
        return PodmanBackend.open(order, time.monotonic() + WAIT_S, Cut())

    def processes(self) -> list[str]:
        """Command lines of what runs for this storage beside the service: conmon."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(self.folder) in line and "conmon" in line.split(" ", 1)[0]:
                found.append(line)
        return found

    def remove(self) -> None:
        """Take the storage away, with the mounts that podman keeps in it."""
        mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for place in reversed([each for each in mounted if each.startswith(f"{self.folder}/")]):
            subprocess.run(["umount", place], check=False, capture_output=True, timeout=20)
        shutil.rmtree(self.folder, ignore_errors=True)


def main(folder: str, seconds: str) -> None:
    backend = Storage(folder=Path(folder)).open("killed", "killed.sock")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    job = Job(name="long", command=("sleep", "600"), limits=Limits(time_s=float(seconds)))
    backend.run(job, time.monotonic() + WAIT_S, Cut())


if __name__ == "__main__":
    main(*sys.argv[1:])
