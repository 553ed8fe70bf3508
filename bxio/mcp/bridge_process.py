"""The server's process as the bridge owns it: read within a bound, and nothing of it left at the end."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import IO, Any, TextIO, TypeAlias

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from bxio.mcp.descent import alive, below, children

MOST_LINE = 16_000_000
"""Bytes of one message of the server's."""
MOST_READ = 65_536
CLOSED_S = 1.5
"""For the server to end by itself when its input is closed; then it gets SIGTERM."""
TERM_S = 0.7
SWEEP_S = 0.7
LOOK_S = 0.01

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


Process: TypeAlias = subprocess.Popen[bytes]


class TooLongError(Exception):
    """A message was longer than any may be."""


def inherit_orphans() -> None:
    """Become the parent of all below this process that lose theirs, so that none is out of sight."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _end_with_bridge() -> Callable[[], None]:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _start(order: Mapping[str, Any], log: TextIO) -> Process:
    process = subprocess.Popen(  # noqa: S603 - the owner's own words
        order["command"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **order["env"]},  # the bridge itself is told PATH, HOME and their like alone
        cwd=order["folder"],
        start_new_session=True,
        preexec_fn=_end_with_bridge(),  # noqa: PLW1509 - the bridge has one thread
    )
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
    return process


@asynccontextmanager
async def started(order: Mapping[str, Any], log: TextIO) -> AsyncIterator[Process]:
    """Start the server of the box's order in a session of its own; it was told to end after the block."""
    process = _start(order, log)
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _end(process: Process) -> None:
    """As the protocol has it: close its input, wait, SIGTERM, wait; ``sweep`` kills what is left then."""
    assert process.stdin is not None
    process.stdin.close()
    if await _over(process, CLOSED_S):
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    await _over(process, TERM_S)


async def _over(process: Process, most_s: float) -> bool:
    with anyio.move_on_after(most_s):
        while process.poll() is None:  # noqa: ASYNC110 (nothing but a look tells it)
            await anyio.sleep(LOOK_S)
        return True
    return False


def sweep() -> None:
    """Kill all that is below this process, and wait for their end."""
    deadline_s = time.monotonic() + SWEEP_S
    while (left := below(os.getpid())) and time.monotonic() < deadline_s:
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def reap(process: Process) -> None:
    """Look at the orphans that have ended; the server itself is waited for elsewhere."""
    for pid in children(os.getpid()):
        if pid != process.pid and not alive(pid):
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


async def lines(pipe: IO[Any]) -> AsyncIterator[bytes]:
    """The whole lines that come by a pipe, until its other end is closed; ``TooLongError`` at a long one."""
    rest = bytearray()
    while True:
        await anyio.wait_readable(pipe)
        piece = os.read(pipe.fileno(), MOST_READ)
        if not piece:
            return
        rest += piece
        if b"\n" in piece:
            *whole, rest = rest.split(b"\n")
            for line in whole:
                yield bytes(line)
        if len(rest) > MOST_LINE:
            raise TooLongError(f"it sent a message of more than {MOST_LINE // 1_000_000} MB")


async def messages(process: Process) -> AsyncIterator[SessionMessage]:
    """What the server sends, until it ends; lines that are no message are passed over."""
    assert process.stdout is not None
    async for line in lines(process.stdout):
        with suppress(ValueError):
            yield SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))


async def send(process: Process, message: SessionMessage) -> None:
    """Send it one message; raises ``OSError`` when it has ended."""
    assert process.stdin is not None
    said = message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    while said:
        await anyio.wait_writable(process.stdin)
        said = said[os.write(process.stdin.fileno(), said) :]
