"""Writes a log line for each dead letter, at most so many a minute; the ring is the runtime's (spec 5.3)."""

from __future__ import annotations

from typing import assert_never

from actors.base import Actor, Context, DeadLetter
from bxcore.messages.dead_letters import DeadLetterLogMessage, LettersWaiting, MinuteOver

LINES_A_MINUTE = 20
MINUTE_S = 60.0


class DeadLetterLog(Actor):
    """Reads the ring when it is told that letters wait; over ``lines_a_minute`` it counts and sums up.

    An answer whose asker had let go of it in time is no warning: that is how a stopped turn ends.
    """

    def __init__(self, context: Context, *, lines_a_minute: int = LINES_A_MINUTE) -> None:
        super().__init__(context)
        self._ring = context.runtime.dead_letters
        self._most = lines_a_minute
        self._minute_from_s = self.now()
        self._lines = 0
        self._unwritten = 0

    def on_start(self) -> None:
        """Hear of letters from now on, and of those that came before."""
        self._ring.listen(lambda: self.box.tell(LettersWaiting()))

    def on_receive(self, message: DeadLetterLogMessage) -> None:
        """Write what waits, or the sum of a minute."""
        match message:
            case LettersWaiting():
                for letter in self._ring.read_new():
                    self._write(letter)
            case MinuteOver():
                self._sum_up()
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Hear of no more letters."""
        self._ring.listen(None)
        self._sum_up()

    def _write(self, letter: DeadLetter) -> None:
        if letter.unwanted:
            _log(_line(letter), "DEBUG")
            return
        now_s = self.now()
        if now_s - self._minute_from_s >= MINUTE_S:
            self._minute_from_s, self._lines = now_s, 0
        if self._lines < self._most:
            self._lines += 1
            _log(_line(letter))
            return
        if self._unwritten == 0:
            self.tell_later(self._minute_from_s + MINUTE_S - now_s, MinuteOver())
        self._unwritten += 1

    def _sum_up(self) -> None:
        if self._unwritten:
            _log(f"{self._unwritten} more dead letters in a minute -> bxctl dead-letters")
        self._unwritten = 0


def _line(letter: DeadLetter) -> str:
    return f"dead letter for {letter.address} ({letter.reason}): {letter.type_name}, size {letter.size}"


def _log(line: str, level: str = "WARNING") -> None:
    from loguru import logger

    logger.log(level, line)
