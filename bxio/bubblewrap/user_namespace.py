"""As root: a user namespace in which the sandbox is user 1000 of the host, and nobody else.

Bubblewrap itself would make root the sandbox's user under another name. So that what a tool writes belongs to
user 1000, as it does with podman, the namespace is made before it, with root in it for bubblewrap's own work.
One for each run: the kernel counts processes by user and namespace, so that a limit on them is the run's own.

The process that becomes bubblewrap enters its namespace first and waits until it was given its users. It says
on its stdout that it is there, and hears on its stdin that it may go on, so that no descriptor is left over.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.sandbox import SandboxError
from bxio.work_folder import SANDBOX_ID

WORD = b"\n"
"""Said by either side; a shell reads no byte behind it."""
_MAP = f"0 0 1\n{SANDBOX_ID} {SANDBOX_ID} 1\n"
_WAIT = 'echo; read -r _ || exit 125; exec "$@"'
_ENTER_S = 5.0


def entering(unshare: str) -> Iterator[str]:
    """The words before those of a command that begins in a namespace; ``unshare`` is util-linux's program."""
    yield from (unshare, "--user", "/bin/sh", "-c", _WAIT, "enter")


def give_users(process: subprocess.Popen[bytes]) -> None:
    """Once ``process``, begun by ``entering``, is in its namespace, map the users and let it go on.

    Takes 5 s at the most. Raises ``SandboxError``.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], _ENTER_S)
        if not ready or os.read(process.stdout.fileno(), len(WORD)) != WORD:
            raise PermissionError(0, "user namespaces are switched off")
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{process.pid}/{name}").write_text(_MAP, "ascii")
        os.write(process.stdin.fileno(), WORD)
    except OSError as error:
        raise SandboxError(f"no user namespace can be made here: {system_reason(error)}") from None
