"""What an earlier process of this box left: containers with the box's own label, removed at the start."""

from __future__ import annotations

import time
from pathlib import Path

from bxcore.sandbox import SandboxError
from bxcore.sandbox.podman_payload import BOX_LABEL
from bxio.cut import Cut
from bxio.podman.client import client, saying
from bxio.podman.run import remove

SWEEP_S = 60.0


def sweep(socket: Path, box: str) -> int:
    """Remove every container of ``box``, running or not, and no other box's; how many.

    Raises ``SandboxError``, when one could not be removed, too, after trying all.
    """
    with client(socket, time.monotonic() + SWEEP_S, Cut()) as podman, saying("list what was left behind"):
        # one label as text: of a list the package makes one text that no label equals, and finds nothing
        found = podman.containers.list(all=True, sparse=True, filters={"label": f"{BOX_LABEL}={box}"})
    left = [container.id for container in found if not remove(socket, container.id)]
    if left:
        raise SandboxError(
            f"podman could not remove {len(left)} sandboxes of an earlier run;"
            f" try: podman rm -f {left[0][:12]}"
        )
    return len(found)
