"""The watch of a chat's session, and the tries to have it back when the box has gone (spec 3.1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from bxcore.control import Exit
from bxcore.control.answers import LineJson, StatusJson
from bxcore.control.requests import StatusRequest, WatchRequest
from bxctl.errors import CommandError
from bxctl.turn_lines import TurnLines
from bxctl.wire import Wire

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 3.0
STATUS_S = 5.0
LEAVE_S = 1.0


class Watching:
    """Whether the box is there, and what its watch tells. ``now`` is the monotonic clock, in seconds."""

    def __init__(self, wire: Wire, session: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._wire = wire
        self._session = session
        self._clock = now
        self._pause_s = FIRST_PAUSE_S
        self._next_try_s = 0.0
        self.lines: TurnLines | None = None
        self.gone = False
        """Whether the box did not answer last."""
        self.box: int | None = None
        """The process id of the box that answered last."""
        self.refused: str | None = None
        """Why there is no watch though the box is there."""

    def open(self) -> bool:
        """Try to have the box, and the watch; whether the box answers."""
        self.close()
        try:
            status: StatusJson = self._wire.call(StatusRequest(), STATUS_S)
            self.box = status["pid"]
            self.lines = self._wire.stream(WatchRequest(session=self._session))
        except CommandError as error:
            if error.exit in {Exit.NOT_RUNNING, Exit.FAILED, Exit.TIMED_OUT} and self._lost():
                return False
            self.refused = error.sentence
        self.gone, self._pause_s = False, FIRST_PAUSE_S
        return True

    def _lost(self) -> bool:
        """Note a try that failed, if it did because the box does not answer."""
        if self._wire.answers():
            return False
        self.lose()
        return True

    def lose(self) -> None:
        """The box has gone: the next try is due after a pause, longer each time."""
        self.close()
        self.gone = True
        self._next_try_s = self._clock() + self._pause_s
        self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s)

    def due_s(self) -> float | None:
        """Seconds until the next try, None when the box is there."""
        return max(0.0, self._next_try_s - self._clock()) if self.gone else None

    def take(self) -> list[LineJson]:
        """The lines that are there; raises ``CommandError`` when the connection has ended."""
        taken: list[LineJson] = []
        while self.lines is not None and self.lines.ready():
            line = next(self.lines, None)
            if line is None:
                raise CommandError(Exit.FAILED, "the watch has ended")
            taken.append(line)
        return taken

    def leave(self) -> None:
        """Leave the watch in order: the box lets go of it, and shows no client here any more."""
        if self.lines is not None:
            self.lines.take_back()
            until_s = self._clock() + LEAVE_S
            with suppress(CommandError):
                while self.lines.ready(max(0.0, until_s - self._clock())) and next(self.lines, None):
                    pass
        self.close()

    def close(self) -> None:
        """Leave the watch."""
        lines, self.lines = self.lines, None
        if lines is not None:
            lines.close()
