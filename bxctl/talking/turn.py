"""One turn: sent, shown, and stopped by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from bxcore.control import ErrorCode, Exit
from bxcore.control.requests import ChatRequest, StopTurnRequest
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.talking.screen import Screen
from bxctl.wire import Wire

STOP_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Whom one talks to, in which session, as whom, and how it is shown."""

    wire: Wire
    session: str
    speaker: str | None
    screen: Screen

    def say(self, text: str) -> Exit:
        """Run one turn and show it. A failed one is a sentence on stderr and an exit code."""
        try:
            with _interruptible(self):
                return self._run(ChatRequest(text=text, session=self.session, speaker=self.speaker))
        except CommandError as error:
            talk(error.sentence)
            return error.exit

    def _run(self, request: ChatRequest) -> Exit:
        for line in self.wire.stream(request):
            if line["kind"] == "result":
                self.screen.finish(line["result"])
                return _ended(line.get("failed"))
            if line["kind"] == "error":
                error = line["error"]
                raise CommandError(ErrorCode.read(error["error"]).exit, error["sentence"])
            self.screen.show(line)
        raise CommandError(
            Exit.FAILED,
            f"the connection ended before the turn did; boxmaker stopped or restarts, see {typed('status')}",
        )

    def stop(self) -> None:
        """Ask for the running turn's end; its result still comes."""
        talk("stopping the turn; once more to leave")
        try:
            self.wire.call(StopTurnRequest(session=self.session), STOP_S)
        except CommandError as error:
            talk(error.sentence)


def _ended(failed: str | None) -> Exit:
    if failed is None:
        return Exit.OK
    talk(failed)
    return Exit.FAILED


@contextmanager
def _interruptible(conversation: Conversation) -> Iterator[None]:
    """The first Ctrl-C stops the turn, the second one leaves."""
    pressed = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = True
        conversation.stop()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
