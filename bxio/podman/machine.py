"""What this machine has that matters to podman: looked at, never guessed."""

from __future__ import annotations

import shutil
from pathlib import Path

from bxcore.sandbox.podman_flags import Machine

_UNIFIED = Path("/sys/fs/cgroup/cgroup.controllers")
"""There when control groups of version 2 are mounted at the top, as they are when there are no others."""
_SYSTEMD = Path("/run/systemd/system")


def machine() -> Machine:
    """Look at this machine; takes no time."""
    return Machine(
        unified=_UNIFIED.exists(),
        systemd=_SYSTEMD.is_dir(),
        crun=shutil.which("crun") is not None,
        runc=shutil.which("runc") is not None,
    )
