"""One question to a short-lived process of our own program: what no thread could be stopped in.

Resolving a name and reading a stranger's HTML can both take for ever, and neither can be interrupted in a
thread. In a process each has a deadline and can be cut, and a crash of a parser in C harms nobody.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from bxio.cut import Cut

KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "RES_OPTIONS", "TZ", "HOME")
"""A stranger's page meets a process that has no secret of ours."""
END_S = 2.0
_PIECE = 65_536


class ChildFailed(Exception):  # noqa: N818 - an expected end of a child, named for what it is
    """It ended without an answer, or could not be started."""


def ask(module: str, question: bytes, *, deadline_s: float, cut: Cut, cap: int) -> bytes:
    """Run ``python -m module`` with ``question`` as its input; return what it says, ``cap`` bytes at most.

    ``deadline_s`` is absolute, on the monotonic clock. Raises ``TimeoutError`` past it, and ``ChildFailed``;
    after a cut the answer is ``ChildFailed`` too. The process is gone when this returns.
    """
    ours, theirs = socket.socketpair()
    with ours:
        ticket = cut.hold(ours)
        try:
            with theirs:
                process = _start(module, theirs)
            try:
                return _talk(ours, question, deadline_s, cap)
            finally:
                _end(process)
        finally:
            cut.release(ticket)


def _start(module: str, theirs: socket.socket) -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    try:
        return subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", module),
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=Path(__file__).parent.parent.parent,
            env=kept,
        )
    except OSError as error:
        raise ChildFailed("it could not be started") from error


def _talk(ours: socket.socket, question: bytes, deadline_s: float, cap: int) -> bytes:
    said = bytearray()
    try:
        while question:
            _grant_what_is_left(ours, deadline_s)
            question = question[ours.send(question) :]
        ours.shutdown(socket.SHUT_WR)
        while len(said) <= cap:
            _grant_what_is_left(ours, deadline_s)
            piece = ours.recv(_PIECE)
            if not piece:
                break
            said += piece
    except TimeoutError:
        raise
    except OSError as error:
        raise ChildFailed("it went away") from error
    if not said or len(said) > cap:
        raise ChildFailed("it gave no answer")
    return bytes(said)


def _grant_what_is_left(ours: socket.socket, deadline_s: float) -> None:
    left_s = deadline_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    ours.settimeout(left_s)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=END_S)
