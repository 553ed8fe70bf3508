"""The streams of one run, read and fed by ``select`` until all is over or somebody wants it over."""

from __future__ import annotations

import os
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

from bxcore.sandbox import Stream
from bxio.cut import Cut

AFTER_KILL_S = 2.0
"""For what was killed to let go of its pipes."""
_READ = 65_536


@dataclass(kw_only=True)
class Reader:
    """One stream that is read to its end; ``keep`` bytes of it are kept."""

    descriptor: int
    keep: int
    data: bytearray = field(default_factory=bytearray)
    total: int = 0

    def ready(self) -> bool:
        """Read what is there; False at the end."""
        piece = os.read(self.descriptor, _READ)
        self.data += piece[: max(0, self.keep - len(self.data))]
        self.total += len(piece)
        return bool(piece)

    @property
    def stream(self) -> Stream:
        """What was kept, and how much there was."""
        return Stream(data=bytes(self.data), total=self.total)


@dataclass(kw_only=True)
class Writer:
    """What is fed to ``pipe``, which is closed behind it."""

    pipe: IO[bytes]
    rest: memoryview

    def ready(self) -> bool:
        """Write what goes in; False when all is written, or nobody reads it any more."""
        try:
            self.rest = self.rest[os.write(self.pipe.fileno(), self.rest) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return bool(self.rest)


@contextmanager
def cut_watch(cut: Cut) -> Iterator[socket.socket]:
    """A socket that becomes readable when ``cut`` is called."""
    mine, held = socket.socketpair()
    ticket = cut.hold(held)
    try:
        yield mine
    finally:
        cut.release(ticket)
        mine.close()
        held.close()


def pump(
    readers: list[Reader], writer: Writer | None, *, until_s: float, cut: Cut, kill: Callable[[], None]
) -> bool:
    """Read and feed until every reader is at its end; whether the time was over first.

    At ``until_s`` (absolute, monotonic), and on ``cut``, ``kill`` is called, once; then the readers have
    ``AFTER_KILL_S`` to come to their end.
    """
    left, timed_out, killed = len(readers), False, False
    with selectors.DefaultSelector() as selector, cut_watch(cut) as watch:
        selector.register(watch, selectors.EVENT_READ, None)
        _register(selector, readers, writer)
        while left:
            events = selector.select(max(0.0, until_s - time.monotonic()))
            wants_end = any(key.data is None for key, _ in events)
            over = time.monotonic() >= until_s
            if killed and over:
                break
            if not killed and (over or wants_end):
                timed_out, killed = not wants_end, True
                kill()
                selector.unregister(watch)
                until_s = time.monotonic() + AFTER_KILL_S
            left -= _serve(selector, events)
    return timed_out


def _register(selector: selectors.BaseSelector, readers: list[Reader], writer: Writer | None) -> None:
    for reader in readers:
        selector.register(reader.descriptor, selectors.EVENT_READ, reader)
    if writer is not None:
        os.set_blocking(writer.pipe.fileno(), False)
        selector.register(writer.pipe, selectors.EVENT_WRITE, writer)


def _serve(selector: selectors.BaseSelector, events: list[tuple[selectors.SelectorKey, int]]) -> int:
    """Let each that is ready read or write; how many readers came to their end."""
    ended = 0
    for key, _ in events:
        if key.data is None or key.data.ready():
            continue
        selector.unregister(key.fileobj)
        if isinstance(key.data, Writer):
            key.data.pipe.close()
        else:
            ended += 1
    return ended
