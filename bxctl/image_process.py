"""The process that makes or finds the image that tools run in (spec 2.5).

Podman's package is slow to import, so no command of ours does it itself.
"""

from __future__ import annotations

import subprocess
from argparse import Namespace
from typing import Literal

from bxctl.serving import module_command, serve_environ

WORK_S = 240.0
"""Longer than the process grants itself, so its sentence wins."""


def image_process(
    args: Namespace, word: Literal["build", "show"], wait_s: float
) -> subprocess.CompletedProcess[str]:
    """Run it with the flags of this command; raises ``TimeoutExpired`` after ``wait_s``."""
    return subprocess.run(  # noqa: S603 - our own interpreter, our own module
        module_command("bxio.podman.image_command", args, word),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=wait_s,
        check=False,
        env=serve_environ(),
    )
