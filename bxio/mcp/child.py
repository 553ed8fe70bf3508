"""The bridge's process as its owner sees it: started, spoken to, ended; nothing here waits long."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bxio.mcp.descent import alive, below, start_of

STOP_S = 4.0
"""For the bridge to end its server kindly; then both are killed."""
MOST_UNREAD = 16_000_000
"""Bytes of a line that does not end."""
MOST_UNSENT = 4_000_000
"""Bytes that wait for the bridge to read them."""
MOST_ROUNDS = 50
"""Of killing what is left; a process that starts others is caught in a later one."""
_READ = 1 << 20
_PROGRAM = (sys.executable, "-m", "bxio.mcp.bridge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A server to start: ``env`` is all that it is told beside PATH, HOME and their like.

    It runs in ``folder``; one of the box's own is made (0700) when it is not there.
    """

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path
    own_folder: bool = False
    log: Path


class McpChild:
    """A started bridge, in a session of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._rest = b""
        self._unsent = b""
        self._family: dict[int, str] = {}

    @classmethod
    def start(cls, order: Order) -> Self:
        """Start it; raises ``OSError`` when the folder of logs, its own or Python is not usable."""
        if order.own_folder:
            order.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        order.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(order.log, "ab", opener=_private) as log:
            process = subprocess.Popen(  # noqa: S603 - our own program
                (*_PROGRAM, str(order.log)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                cwd=Path(__file__).parent.parent.parent,
                env=_environment(),
            )
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        child = cls(process)
        child.say(
            command=list(order.command),
            env=dict(order.env),
            folder=str(order.folder),
        )
        return child

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def say(self, **line: Any) -> bool:
        """Send one line; False when it does not read what it was sent."""
        self._unsent += json.dumps(line).encode() + b"\n"
        return self.flush()

    def flush(self) -> bool:
        """Send what it would not take before; False when that is too much."""
        assert self._process.stdin is not None
        with suppress(BlockingIOError, BrokenPipeError, ValueError):
            while self._unsent:
                self._unsent = self._unsent[os.write(self._process.stdin.fileno(), self._unsent) :]
        return len(self._unsent) <= MOST_UNSENT

    def news(self, wait_s: float = 0.0) -> list[Mapping[str, Any]]:
        """The lines that have come since; with none there yet, those that come within ``wait_s``."""
        assert self._process.stdout is not None
        if wait_s > 0:
            select.select([self._process.stdout], [], [], wait_s)
        with suppress(BlockingIOError, ValueError):
            while len(self._rest) <= MOST_UNREAD and (piece := os.read(self._process.stdout.fileno(), _READ)):
                self._rest += piece
        *lines, self._rest = self._rest.split(b"\n")
        if lines:
            self._note()
        return [value for line in lines if isinstance(value := json.loads(line), dict)]

    def flooded(self) -> bool:
        """Whether it sent a line that is longer than any may be."""
        return len(self._rest) > MOST_UNREAD

    def exit_code(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._process.poll()

    def end(self, *, kindly: bool = True) -> None:
        """End it with its server, and what that has started; takes ``STOP_S`` at the most, or no time."""
        self._note()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if kindly:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=STOP_S)
        for _ in range(MOST_ROUNDS):
            left = self._left()
            if not left:
                break
            for pid in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        if self._process.poll() is None:
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)

    def _note(self) -> None:
        """Remember what runs below the bridge while that lives, for when it was killed."""
        if self._process.poll() is None:
            self._family = {pid: start_of(pid) for pid in below(self._process.pid)}

    def _left(self) -> set[int]:
        """What runs below the bridge, which inherits orphans; without it, of what ran there and its own."""
        if self._process.poll() is None:
            return set(below(self._process.pid))
        known = {pid for pid, start in self._family.items() if alive(pid) and start_of(pid) == start}
        return known.union(*(below(pid) for pid in known))


def _environment() -> dict[str, str]:
    """Nothing that the box was told: its own variables may hold secrets."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME", "SHELL", "TERM")
    return {name: os.environ[name] for name in kept if name in os.environ}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
