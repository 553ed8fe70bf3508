"""One turn: sent, shown, its approvals asked, and stopped by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from bxcore.control import ErrorCode, Exit
from bxcore.control.answers import LineJson, TurnJson
from bxcore.control.requests import ChatRequest, StopTurnRequest
from bxctl.called import retyped, typed
from bxctl.errors import CommandError
from bxctl.printing import talk, talk_at_once
from bxctl.talking.approvals import Approvals
from bxctl.talking.screen import Screen
from bxctl.turn_lines import TurnLines
from bxctl.wire import Wire

STOP_S = 5.0
ASKED_ELSEWHERE = "with --approvals wait such a call waits for an answer that is given elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Whom one talks to, in which session, as whom, how it is shown and who approves."""

    wire: Wire
    session: str
    speaker: str | None
    screen: Screen
    approvals: Approvals

    def say(self, text: str) -> Exit:
        """Run one turn and show it. A failed one is a sentence on stderr and an exit code."""
        try:
            with _interruptible(self), self.wire.stream(self.request(text)) as lines:
                return self._run(lines)
        except CommandError as error:
            self.approvals.leave_line()
            talk(retyped(error.sentence))
            return error.exit
        finally:
            self.approvals.forget()

    def _run(self, lines: TurnLines) -> Exit:
        unasked = False
        while (line := self._next(lines)) is not None:
            unasked = unasked or could_not_be_asked(line)
            if line["kind"] == "result":
                return self.finish(line["result"], line.get("failed"), unasked=unasked)
            if line["kind"] == "error":
                error = line["error"]
                raise CommandError(ErrorCode.read(error["error"]).exit, error["sentence"])
            self.show(line)
        raise CommandError(
            Exit.FAILED,
            f"the connection ended before the turn did; boxmaker stopped or restarts, see {typed('status')}",
        )

    def finish(self, turn: TurnJson, failed: str | None, *, unasked: bool) -> Exit:
        """Show how a turn ended; ``unasked`` says that nobody could be asked about a call of it."""
        self.approvals.leave_line()
        self.screen.finish(turn)
        if unasked and not self.approvals.answers:
            talk(ASKED_ELSEWHERE)
        if failed is None:
            return Exit.OK
        talk(retyped(failed))
        return Exit.FAILED

    def request(self, text: str) -> ChatRequest:
        """What the box is asked for a turn."""
        return ChatRequest(
            text=text, session=self.session, speaker=self.speaker, answers=self.approvals.answers
        )

    def _next(self, lines: TurnLines) -> LineJson | None:
        """Take the next line; a person at a question is listened to meanwhile."""
        self.approvals.wait(lines)
        return next(lines, None)

    def show(self, line: LineJson) -> None:
        """Show a line of the running turn that is not its end."""
        match line["kind"]:
            case "waiting":
                pass  # no word of it, so a question may stay where it is
            case "approval_asked":
                self.screen.leave_line()
                self.approvals.asked(line["approval"])
            case "approval_closed":
                self.screen.leave_line()
                self.approvals.closed(line["closed"])
            case _:
                self.approvals.leave_line()
                self.screen.show(line)
                self.approvals.disturbed()

    def stop(self) -> None:
        """Ask for the running turn's end, from a signal's handler; its result still comes."""
        talk_at_once(f"{self.approvals.interrupted()}stopping the turn; once more to leave")
        try:
            self.wire.call(StopTurnRequest(session=self.session), STOP_S)
        except CommandError as error:
            talk_at_once(retyped(error.sentence))


def could_not_be_asked(line: LineJson) -> bool:
    """Whether a call ended since nobody was there to be asked about it."""
    if line["kind"] != "tool_ended" or line["call"]["ok"]:
        return False
    from bxcore.approvals import How
    from bxcore.approvals.sentences import for_model

    return for_model(How.UNDELIVERABLE) in line["call"]["content"]


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
