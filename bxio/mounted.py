"""What is mounted on this machine now, as the kernel says it to this process."""

from __future__ import annotations

from pathlib import Path

from bxcore.errors import system_reason
from bxcore.sandbox import SandboxError
from bxcore.sandbox.mount_table import Mounted, table

LIST = "/proc/self/mountinfo"


def mounted() -> tuple[Mounted, ...]:
    """Its mounts that a path leads to. Raises ``SandboxError``: without them nobody knows what is shown."""
    try:
        return table(Path(LIST).read_bytes().decode("utf-8", "surrogateescape"))
    except OSError as error:
        raise SandboxError(
            f"the list of what is mounted, {LIST}, cannot be read: {system_reason(error)}"
        ) from None
