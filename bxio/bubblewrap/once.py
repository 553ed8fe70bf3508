"""One run of bubblewrap: what it is handed, how it is attended, how it ended (spec 2.5)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, cast

from bxcore.errors import system_reason
from bxcore.sandbox import BrokenOffError, Job, Ran, SandboxError
from bxio.bubblewrap.arguments import ETC, LINKER_CACHE, Descriptors, Programs, command
from bxio.bubblewrap.streams import AFTER_KILL_S, Reader, Writer, pump
from bxio.bubblewrap.user_namespace import give_users
from bxio.cut import Cut

STATUS_BYTES = 65_536
MAX_REASON = 300
"""Characters of bubblewrap's own complaint."""
SETTING_UP = ("bwrap", "unshare", "setpriv")
"""Who may complain before the command begins, each by its name first."""


def run_once(job: Job, programs: Programs, *, until_s: float, cut: Cut) -> Ran:
    """Run ``job`` until it ends, until ``until_s`` (absolute, monotonic), or until ``cut``.

    Raises ``SandboxError``.
    """
    with ExitStack() as stack:
        status, alive = stack.enter_context(_pipe()), stack.enter_context(_pipe())
        process = _start(job, programs, _handed(stack, status[1], alive[1]))
        status[1].close()
        alive[1].close()
        stack.enter_context(_ended(process))
        if programs.unshare is not None:
            give_users(process)
        return _attend(process, job, [status[0], alive[0]], until_s=until_s, cut=cut)


def _handed(stack: ExitStack, status: IO[bytes], alive: IO[bytes]) -> Descriptors:
    etc = {name: stack.enter_context(_file(text)) for name, text in ETC.items()}
    with contextlib.suppress(OSError):  # programs start without it, only later
        etc[LINKER_CACHE] = stack.enter_context(
            _owned(os.open(f"/etc/{LINKER_CACHE}", os.O_RDONLY | os.O_CLOEXEC), "rb")
        )
    return Descriptors(
        status=status.fileno(),
        alive=alive.fileno(),
        etc=tuple((name, file.fileno()) for name, file in etc.items()),
    )


def _owned(descriptor: int, mode: str) -> IO[bytes]:
    """A file that closes its descriptor once: a number closed twice may be another thread's by then."""
    return cast(IO[bytes], os.fdopen(descriptor, mode, buffering=0))


@contextmanager
def _pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    read, write = os.pipe2(os.O_CLOEXEC)
    with _owned(read, "rb") as reading, _owned(write, "wb") as writing:
        yield reading, writing


@contextmanager
def _file(text: str) -> Iterator[IO[bytes]]:
    """A file in memory, to be read from its start."""
    with _owned(os.memfd_create("sandbox"), "w+b") as file:
        file.write(text.encode())
        file.seek(0)
        yield file


def _start(job: Job, programs: Programs, held: Descriptors) -> subprocess.Popen[bytes]:
    """In a process group of its own, so that a kill reaches it while it still sets up."""
    try:
        return subprocess.Popen(  # noqa: S603 - the words are made in one place, by ``command``
            command(job, programs, held),
            stdin=subprocess.DEVNULL if job.stdin is None and programs.unshare is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=held.all(),
            start_new_session=True,
            cwd="/",
            env={},
        )
    except OSError as error:
        raise SandboxError(f"bubblewrap cannot be started: {system_reason(error)}") from None


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever happens, it is killed with all that it started, reaped, and its pipes are closed."""
    try:
        yield
    finally:
        _kill(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=AFTER_KILL_S)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Its group while it sets up; later the namespace's first process dies with it, all others with it.

    It may have ended by itself and left others: until it is reaped, its number is nobody else's.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _attend(
    process: subprocess.Popen[bytes], job: Job, news: list[IO[bytes]], *, until_s: float, cut: Cut
) -> Ran:
    """Its streams, its news, and the pipe that is shut once nothing of it is left."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = (
        Reader(descriptor=pipe.fileno(), keep=job.limits.output) for pipe in (process.stdout, process.stderr)
    )
    status, alive = (Reader(descriptor=pipe.fileno(), keep=STATUS_BYTES) for pipe in news)
    writer = None
    if process.stdin is not None:
        writer = Writer(pipe=process.stdin, rest=memoryview(job.stdin or b""))
    timed_out = pump([out, err, status, alive], writer, until_s=until_s, cut=cut, kill=lambda: _kill(process))
    code = None if timed_out else _exit_code(bytes(status.data))
    if code is None and not timed_out and not cut.was_cut:
        raise _not_told(bytes(err.data))
    return Ran(exit_code=code, stdout=out.stream, stderr=err.stream, timed_out=timed_out)


def _exit_code(status: bytes) -> int | None:
    """What bubblewrap says of the command; None when it never ran, or was killed."""
    for line in status.splitlines():
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict) and isinstance(said.get("exit-code"), int):
                return int(said["exit-code"])
    return None


def _not_told(stderr: bytes) -> SandboxError:
    """It says why it runs nothing; without such a word it was ended from outside, at whatever moment."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    program, _, complaint = (lines[-1] if lines else "").partition(": ")
    if program.rpartition("/")[2] in SETTING_UP:
        return SandboxError(f"bubblewrap did not run it: {complaint[:MAX_REASON]}")
    return BrokenOffError("bubblewrap was ended before the command")
