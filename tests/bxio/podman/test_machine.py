from __future__ import annotations

import shutil
from pathlib import Path

from bxio.podman.machine import machine


def test_what_is_said_is_of_this_machine() -> None:
    found = machine()
    assert found.runc is (shutil.which("runc") is not None)
    assert found.crun is (shutil.which("crun") is not None)
    assert found.unified is Path("/sys/fs/cgroup/cgroup.procs").exists()
