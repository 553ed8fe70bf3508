"""As root: a user namespace in which the sandbox is user 1000 of the host, and nobody else.

Bubblewrap itself would make root the sandbox's user under another name. So that what a tool writes belongs to
user 1000, as it does with podman, the namespace is made here, with root in it for bubblewrap's own work. One
for each run: the kernel counts processes by user and namespace, so that a limit on them is the run's own.
"""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.sandbox import SandboxError
from bxio.work_folder import SANDBOX_ID

_MAP = f"0 0 1\n{SANDBOX_ID} {SANDBOX_ID} 1\n"
_END_S = 5.0


def user_namespace(unshare: str) -> int:
    """A descriptor of a new user namespace, for the caller to close; ``unshare`` is util-linux's program.

    Raises ``SandboxError``.
    """
    try:
        holder = subprocess.Popen(  # noqa: S603 - our own words
            [unshare, "--user", "cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise SandboxError(f"{unshare} cannot be started: {system_reason(error)}") from None
    try:
        return _mapped(holder)
    except OSError as error:
        raise SandboxError(f"no user namespace can be made here: {system_reason(error)}") from None
    finally:
        holder.kill()
        holder.communicate(timeout=_END_S)


def _mapped(holder: subprocess.Popen[bytes]) -> int:
    """Once it has echoed a byte, it is in its namespace; the namespace then lives by the descriptor."""
    assert holder.stdin is not None
    assert holder.stdout is not None
    os.write(holder.stdin.fileno(), b"\n")
    ready, _, _ = select.select([holder.stdout], [], [], _END_S)
    if not ready or os.read(holder.stdout.fileno(), 1) != b"\n":
        raise PermissionError(0, "user namespaces are switched off")
    process = Path(f"/proc/{holder.pid}")
    (process / "uid_map").write_text(_MAP, "ascii")
    (process / "gid_map").write_text(_MAP, "ascii")
    return os.open(process / "ns" / "user", os.O_RDONLY | os.O_CLOEXEC)
