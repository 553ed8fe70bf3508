"""Someone at a terminal who talks to a box: a pseudo-terminal around ``boxmaker chat``."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar, Protocol

from tests.bxctl.conftest import ENVIRON


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(750):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}


def _log_in(terminal: int, stdout: IO[bytes] | None) -> None:
    os.login_tty(terminal)
    if stdout is not None:
        os.dup2(stdout.fileno(), 1)


class HasHome(Protocol):
    """A box that runs under a folder."""

    home: Path


class Person:
    """Someone at a terminal: a pseudo-terminal around the command."""

    _there: ClassVar[list[Person]] = []

    def __init__(
        self,
        box: HasHome,
        *words: str,
        environ: Mapping[str, str] = PLAIN,
        program: Sequence[str] = ("-m", "bxctl.boxmaker"),
        stdout: IO[bytes] | None = None,
    ) -> None:
        self._terminal, other = pty.openpty()
        self._seen = ""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self.process = subprocess.Popen(
            [sys.executable, *program, "chat", "--home", str(box.home), *words],
            env={**ENVIRON, **environ},
            cwd="/",
            stdin=other,
            stdout=other,
            stderr=other,
            preexec_fn=lambda: _log_in(other, stdout),  # noqa: PLW1509 - so that Ctrl-C reaches it; one call of C
        )
        os.close(other)
        self._there.append(self)

    def shrinks(self, columns: int) -> None:
        """Make the terminal's window so narrow; the kernel tells the command."""
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def types(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def sees(self, text: str) -> None:
        """Read until ``text`` has come, since it was last asked for something; it may be long."""
        self.reads_up_to(text)

    def reads_up_to(self, text: str) -> str:
        """Read until ``text`` has come; what came before it."""
        while text not in self._seen:
            ready, _, _ = select.select([self._terminal], [], [], 10)
            try:
                read = os.read(self._terminal, 4096) if ready else b""
            except OSError:  # the command has ended
                read = b""
            if not read:
                self._end_all()
                raise AssertionError(f"{text!r} never came, but {self._seen!r}")
            self._seen += self._decode(read)
        before, _, self._seen = self._seen.partition(text)
        return before.replace("\r\n", "\n")

    @classmethod
    def _end_all(cls) -> None:
        """A test that fails leaves nobody behind, who would fail the tests behind it."""
        while cls._there:
            process = cls._there.pop().process
            process.kill()
            process.wait(timeout=20)

    def presses(self, key: str, text: str) -> bool:
        """Press a key; whether ``text`` comes soon."""
        self.types(key)
        ready, _, _ = select.select([self._terminal], [], [], 0.5)
        if ready:
            self.sees(text)
        return bool(ready)

    def hears_nothing(self) -> bool:
        """Whether nothing is written for a moment."""
        return not (self._seen.strip() or select.select([self._terminal], [], [], 0.2)[0])

    def leaves(self) -> int:
        code = self.process.wait(timeout=20)
        if self in self._there:
            self._there.remove(self)
        os.close(self._terminal)
        return code

    def sees_nothing_of(self, text: str) -> None:
        """Read until the command has ended; ``text`` was not in it."""
        while True:
            ready, _, _ = select.select([self._terminal], [], [], 10)
            assert ready, "it never ended"
            try:
                read = os.read(self._terminal, 4096)
            except OSError:  # the other end has closed
                break
            self._seen += self._decode(read)
        assert text not in self._seen
