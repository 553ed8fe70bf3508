"""The process around a tree: ready, watched, stopped in order, ended when it gives up (spec 5.4)."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import Protocol

from loguru import logger

from actors.base import NeverReady, Runtime
from bxcore.control import Exit
from bxio import notify
from bxio.one_arena import one_arena
from bxio.stop_signals import StopSignals

STOP_S = 30.0
"""For the whole tree to stop in order."""


class RunningTree(Protocol):
    """What is used of ``actors.supervising.Root``."""

    @property
    def ended(self) -> bool:
        """Whether it has ended, stopped or given up."""

    @property
    def error(self) -> str | None:
        """Why it gave up."""

    def stop(self, timeout_s: float) -> bool:
        """Stop the tree; False when it had not ended by then."""


def supervise(runtime: Runtime, start: Callable[[StopSignals], RunningTree]) -> Exit:
    """Start the tree; stop it in order on the first signal, and end at once on a second one.

    ``start`` raises ``NeverReady``; it wants a stop of the signals when the tree ends, and ends its start
    when they want one.
    """
    one_arena()
    signals = StopSignals()
    runtime.zombies.on_limit = lambda sentence: _give_up(f"boxmaker ends: {sentence}")
    try:
        root = start(signals)
    except NeverReady as error:
        if signals.wanted:
            logger.info("boxmaker was stopped while it started")
            return Exit.OK
        logger.critical("boxmaker did not start: {}", error)
        return Exit.FAILED
    gc.freeze()  # what is loaded at the start stays; no collection needs to look at it again
    notify.notify(notify.READY)
    logger.info("boxmaker is ready")
    signals.block_until_wanted()
    return _end(root)


def _end(root: RunningTree) -> Exit:
    notify.notify(notify.STOPPING)
    if root.ended and root.error is not None:
        logger.critical("boxmaker ends: the supervision tree gave up: {}", root.error)
        return Exit.FAILED
    if not root.stop(STOP_S):
        _give_up(f"boxmaker ends: its tree did not stop within {STOP_S:.0f} s")
    logger.info("boxmaker has stopped")
    return Exit.OK


def _give_up(sentence: str) -> None:
    """End at once, for the service manager to start it again: stuck threads cannot be ended otherwise."""
    logger.critical("{}", sentence)
    os._exit(Exit.FAILED)
