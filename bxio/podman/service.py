"""Podman's service: the one that is there, or a child of ours that ends when we do.

The child runs under a shell that holds the read end of a pipe whose write end is ours alone. When we die,
however that is, the pipe ends, and the shell ends podman. A parent-death signal would come when the *thread*
that started the child ends, and an actor's thread ends at each of its restarts.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.paths import LONGEST_SOCKET_BYTES
from bxcore.sandbox import SandboxError
from bxcore.sandbox.podman_flags import service_flags
from bxcore.sandbox.podman_words import HOW_TO_INSTALL
from bxio.cut import Cut
from bxio.folders import make_private
from bxio.podman.client import connect
from bxio.podman.machine import machine

PING_S = 2.0
START_S = 30.0
"""Podman's first start on a machine makes its storage."""
STOP_S = 3.0
STEP_S = 0.02
OK = 200

NOT_ITS_OWN = ("BOXMAKER_", "NOTIFY_SOCKET", "WATCHDOG_", "LISTEN_", "CREDENTIALS_DIRECTORY")
"""Variables that are this box's: our secrets, and its talk with systemd, which podman would join in."""

_KEEPER = """\
exec 3<&0
"$@" </dev/null 3<&- & podman=$!
{ cat <&3 >/dev/null 2>&1; kill -TERM "$podman"; } & watch=$!
exec 3<&-
wait "$podman"; code=$?
kill "$watch" 2>/dev/null
exit "$code"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOrder:
    """Where to look and where to start one.

    ``configured`` is ``[containers] socket``: that service or none. ``run`` (0700) gets the socket of our own
    under ``name``, ``log`` is the file of its words. ``options`` are further global options of our podman,
    such as another storage; with them no other service is looked for.
    """

    run: Path
    log: Path
    configured: Path | None = None
    name: str = "podman.sock"
    options: tuple[str, ...] = ()


class Service:
    """A service that has answered. ``own`` is the child, None when it is somebody else's."""

    def __init__(self, socket: Path, own: subprocess.Popen[bytes] | None = None) -> None:
        self.socket = socket
        self._own = own

    @property
    def is_ours(self) -> bool:
        """Whether it ends with us."""
        return self._own is not None

    @property
    def pid(self) -> int | None:
        """Our child's process and process group; None when it is not ours."""
        return None if self._own is None else self._own.pid

    def broken(self) -> str | None:
        """Why nothing can be asked of it any more; None while it can. Quick, from any thread."""
        if self._own is not None and self._own.poll() is not None:
            return f"podman's service has ended (exit code {self._own.returncode}); its log says why"
        try:
            connect(self.socket, time.monotonic() + PING_S).close()
        except OSError as error:
            return f"podman's service at {self.socket} cannot be reached: {system_reason(error)}"
        return None

    def close(self) -> None:
        """End it if it is ours; ``STOP_S`` at the most. From any thread, and again."""
        if self._own is not None:
            _end(self._own)
            self.socket.unlink(missing_ok=True)
            if self.socket.parent.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    self.socket.parent.rmdir()


def open_service(order: ServiceOrder, environ: Mapping[str, str], cut: Cut) -> Service:
    """Find or start a service, and hear it answer; raises ``SandboxError``, also soon after ``cut``."""
    if order.configured is not None:
        if not answers(order.configured, PING_S):
            raise SandboxError(
                f"podman does not answer at {order.configured}, which [containers] socket names; start it"
                " there (systemctl --user enable --now podman.socket), or take the line away and boxmaker"
                " starts podman itself"
            )
        return Service(order.configured)
    found = () if order.options else usual_sockets(environ)
    for socket in found:
        if socket.exists() and answers(socket, PING_S):
            return Service(socket)
    return _started(order, environ, cut)


def usual_sockets(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where a user's and the system's podman listen."""
    if environ.get("XDG_RUNTIME_DIR"):
        yield Path(environ["XDG_RUNTIME_DIR"]) / "podman" / "podman.sock"
    yield Path("/run/podman/podman.sock")


def answers(socket: Path, within_s: float) -> bool:
    """Whether a podman service answers a ping there."""
    connection = http.client.HTTPConnection("podman")
    try:
        connection.sock = connect(socket, time.monotonic() + within_s)
        connection.request("GET", "/_ping")
        answer = connection.getresponse()
        return answer.status == OK and answer.read(8).strip() == b"OK"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _started(order: ServiceOrder, environ: Mapping[str, str], cut: Cut) -> Service:
    program = shutil.which("podman")
    if program is None:
        raise SandboxError(HOW_TO_INSTALL)
    try:
        socket = _socket_path(order)
        process = _process(program, order, socket, environ)
    except OSError as error:
        raise SandboxError(f"podman could not be started: {system_reason(error)}") from None
    service = Service(socket, process)
    try:
        _wait_for(service, process, order, cut)
    except BaseException:
        service.close()
        raise
    return service


def _wait_for(service: Service, process: subprocess.Popen[bytes], order: ServiceOrder, cut: Cut) -> None:
    until_s = time.monotonic() + START_S
    while not (service.socket.exists() and answers(service.socket, PING_S)):
        if cut.was_cut:
            raise SandboxError("podman's start was broken off")
        if time.monotonic() > until_s:
            raise SandboxError(
                f"podman's service did not answer within {START_S:.0f} seconds; see {order.log}"
            )
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=STEP_S)
            raise SandboxError(f"podman's service ended at once (exit code {code}): {_last_line(order.log)}")


def _process(
    program: str, order: ServiceOrder, socket: Path, environ: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """In a session of its own: a terminal's interrupt reaches its owner alone."""
    order.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = (*service_flags(machine()), *order.options)
    command = (program, "--log-level=error", *flags, "system", "service", "--time=0", f"unix://{socket}")
    with open(order.log, "wb", opener=_private) as log:
        return subprocess.Popen(  # noqa: S603 - the system's own podman
            ("/bin/sh", "-c", _KEEPER, "podman-keeper", *command),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env={name: value for name, value in environ.items() if not name.startswith(NOT_ITS_OWN)},
        )


_PREFIX = "boxmaker-podman-"


def _socket_path(order: ServiceOrder) -> Path:
    """In the private run folder, or in another when that is too deep; no stale one is left."""
    make_private(order.run)
    path = order.run / order.name
    if len(os.fsencode(path)) > LONGEST_SOCKET_BYTES:
        return Path(tempfile.mkdtemp(prefix=_PREFIX)) / "podman.sock"
    path.unlink(missing_ok=True)
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _last_line(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        if lines:
            return lines[-1][:300]
    return f"it said nothing; see {log}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let go of the pipe, which ends it; what has not ended then is killed with all of its group."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=STOP_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=STOP_S)
