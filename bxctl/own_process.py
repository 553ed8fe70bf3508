"""A boxmaker process that a command starts for itself, and stops in order when it is done (spec 6.2)."""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import IO

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.serving import serve_environ
from bxctl.wire import Wire

START_S = 90.0
STOP_S = 40.0
"""Longer than the tree's own shutdown budgets together."""
_LOOK_S = 0.02
_PR_SET_PDEATHSIG = 1


class OwnProcess:
    """Started by ``start``; ends with this command, even when this command is killed."""

    def __init__(self, command: list[str], wire: Wire) -> None:
        self._command = command
        self._wire = wire
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers; raises ``CommandError`` with what it said when it does not."""
        talk("boxmaker does not run; starting it for this chat")
        began_s = time.monotonic()
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            env=serve_environ(),
            start_new_session=True,  # Ctrl-C stops a turn, not the process
            preexec_fn=_end_with_parent(),  # noqa: PLW1509 - this command has one thread
        )
        while not self._wire.answers():
            self._check(self._child, began_s)
        talk(f"ready after {time.monotonic() - began_s:.1f} s")

    def _check(self, child: subprocess.Popen[bytes], began_s: float) -> None:
        """Wait a moment for its end; it is no error when another process took its place meanwhile."""
        try:
            code = child.wait(timeout=_LOOK_S)
        except subprocess.TimeoutExpired:
            if time.monotonic() - began_s > START_S:
                self.stop()
                raise CommandError(Exit.TIMED_OUT, f"boxmaker was not ready within {START_S:.0f} s") from None
            return
        if not self._wire.answers():
            raise CommandError(_exit_of(code), self._last_words())

    def stop(self) -> None:
        """Stop it in order; one that does not stop in time is killed, and said."""
        child = self._child
        if child is not None and child.poll() is None:
            self._stop(child)
        self._said.close()

    def _stop(self, child: subprocess.Popen[bytes]) -> None:
        child.terminate()
        try:
            child.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            talk(f"boxmaker did not stop within {STOP_S:.0f} s; it is killed, its next start recovers")
            child.kill()
            child.wait(timeout=STOP_S)

    def _last_words(self) -> str:
        """Why it ended, where it said so in its last critical line; else the end of what it wrote."""
        self._said.seek(0)
        lines = self._said.read()[-16_384:].decode("utf-8", "replace").splitlines()[-40:]
        said = [_level_and_message(line) for line in lines]
        why = [message for level, message in said if level == "critical"]
        if why:
            return why[-1]
        return "boxmaker did not start:\n" + ("\n".join(message for _, message in said) or "it said nothing")


def _level_and_message(line: str) -> tuple[str, str]:
    """Both of a JSON log line; of another line no level, and the line."""
    try:
        record = json.loads(line)
    except ValueError:
        return "", line
    if not isinstance(record, dict) or "message" not in record:
        return "", line
    return str(record.get("level")), str(record["message"])


def _exit_of(code: int) -> Exit:
    """A child's exit code as ours; one that we do not have is a failure."""
    return Exit(code) if code in {exit_code.value for exit_code in Exit} and code else Exit.FAILED


def _end_with_parent() -> Callable[[], object]:
    """Have the kernel send SIGTERM to the child when this process ends, a ``kill -9`` included (prctl(2))."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
