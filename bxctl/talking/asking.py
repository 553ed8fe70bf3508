"""Asks a person at a terminal for approvals while the turn's stream goes on, in one thread.

A line is read, not a key: a word typed ahead must not approve anything, so what was typed before the question
is thrown away, and an answer takes Enter.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import time
from dataclasses import dataclass, replace

from bxcore.control import Exit
from bxcore.control.answers import ApprovalAnswerJson, ApprovalJson, ClosedApprovalJson
from bxcore.control.requests import AnswerApprovalRequest
from bxctl.approval_text import card, columns_of, commands, hidden, how_to_see, left
from bxctl.errors import CommandError
from bxctl.printing import talk, visible
from bxctl.turn_lines import TurnLines
from bxctl.wire import SILENCE_S, Wire

ANSWER_S = 40.0
"""Longer than the process itself waits for the broker, so its sentence wins."""
BY = "the chat"
_LONGEST_ANSWER = 4096
_MEANINGS = {
    "y": (True, False),
    "yes": (True, False),
    "s": (True, True),
    "session": (True, True),
    "n": (False, False),
    "no": (False, False),
}
"""What a person types: whether it is approved, and for the whole session."""
_WHOLE = frozenset({"w", "whole"})
ANSWERS = frozenset(_MEANINGS) | _WHOLE
"""Words that answer a question; where none is asked they are most likely an answer that came too late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    """An approval, and when it expires by this process's own clock.

    ``hides`` says that the person has not seen all of the call; ``warned``, that they were told so when they
    approved it.
    """

    approval: ApprovalJson
    until_s: float
    hides: bool
    warned: bool = False

    @property
    def code(self) -> str:
        return self.approval["code"]


class AtTerminal:
    """One question at a time, the oldest first."""

    answers = True

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._pending: list[_Pending] = []
        self._prompted = False
        self._stopped = False
        self._keyboard: int | None = sys.stdin.fileno()

    def asked(self, approval: ApprovalJson) -> None:
        """Show it, at once or behind those before it."""
        until_s = time.monotonic() + approval["left_s"]
        hides = approval["hidden"] > 0
        self._pending.append(_Pending(approval=approval, until_s=until_s, hides=hides))
        if len(self._pending) == 1:
            self._ask()

    def closed(self, closed: ClosedApprovalJson) -> None:
        """Say how it ended, drop its question, and ask the next one."""
        asked = self._pending[0].code if self._pending else None
        self.leave_line()
        talk(closed["sentence"])
        self._pending = [each for each in self._pending if each.code != closed["code"]]
        if self._pending and (asked == closed["code"]):
            self._ask()
        else:
            self.disturbed()

    @property
    def asks(self) -> bool:
        """Whether what is typed now is an answer."""
        return bool(self._pending) and self._keyboard is not None and not self._stopped

    @property
    def listens(self) -> bool:
        """Whether there is a keyboard still; a Ctrl-D at a question takes it away until the turn's end."""
        return self._keyboard is not None

    def typed(self, typed: bytes) -> None:
        """Take a line that was read from the keyboard, which is empty at its end."""
        self._prompted = False  # the terminal echoed the line's end
        if self._keyboard is None or not typed:
            self._lose_keyboard()
            return
        self._do(typed.decode("utf-8", "replace").strip().lower(), self._keyboard)

    def leave_line(self) -> None:
        """Leave the line that the question stands on."""
        if self._prompted:
            print(file=sys.stderr, flush=True)
        self._prompted = False

    def interrupted(self) -> str:
        """End a question's line, for a signal's handler; the turn is being stopped, so no more is asked."""
        self._stopped = True
        prompted, self._prompted = self._prompted, False
        return "\n" if prompted else ""

    def disturbed(self) -> None:
        """Say again what is waited for, behind other text."""
        self.leave_line()
        if self._pending and not self._stopped:
            self._prompt()

    def wait(self, turn: TurnLines) -> None:
        """Take lines from the keyboard until the turn has one."""
        while self._pending and self._keyboard is not None and not (self._stopped or turn.in_hand()):
            poll = select.poll()
            poll.register(turn, select.POLLIN)
            poll.register(self._keyboard, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll(SILENCE_S * 1000)}
            if not ready or turn.fileno() in ready or self._stopped:
                return
            self.typed(read_typed(self._keyboard))

    def forget(self) -> None:
        """Drop the questions of a turn that is over; the next one's are asked again, after a Ctrl-D too."""
        self.leave_line()
        self._pending.clear()
        self._stopped = False
        self._keyboard = sys.stdin.fileno()

    def _ask(self) -> None:
        """Put the first one to the person; what was typed before is no answer to it."""
        self.leave_line()
        if self._stopped:
            return
        now = self._now()
        call = card(now, columns_of(sys.stderr))
        if self._keyboard is None:
            talk("\n  ".join(filter(None, (call, how_to_see(now), commands(now["code"])))))
            return
        _forget_typed(self._keyboard)
        talk(f"{call}\n  s lets every {now['tool']} call under {now['grant']} run unasked in this session")
        self._prompt()

    def _show_whole(self) -> None:
        talk(card(self._now(), columns_of(sys.stderr), whole=True))
        self._pending[0] = replace(self._pending[0], hides=False)
        self._prompt()

    def _now(self) -> ApprovalJson:
        """The first one with the time that is left of it."""
        first = self._pending[0]
        return {**first.approval, "left_s": first.until_s - time.monotonic()}

    def _prompt(self) -> None:
        if self._keyboard is None:
            return
        first = self._pending[0]
        there = left(first.until_s - time.monotonic())
        whole = f"{hidden(first.approval)} not shown, w shows the whole; " if first.hides else ""
        text = f"{first.code}, {there}: {whole}y once, s for the session, n no, Ctrl-C stops the turn: "
        print(visible(text), end="", file=sys.stderr, flush=True)
        self._prompted = True

    def _do(self, word: str, keyboard: int) -> None:
        if word in _MEANINGS:
            approve, for_session = _MEANINGS[word]
            if approve and self._pending[0].hides and not self._pending[0].warned:
                self._warn(word, keyboard)
            else:
                self._answer(approve, for_session)
        elif word in _WHOLE:
            self._show_whole()
        elif word:
            talk(f"{self._pending[0].code} still waits; type y, s or n, and Enter")
            self._prompt()
        else:
            self._ask()

    def _warn(self, word: str, keyboard: int) -> None:
        """Ask once more before what was not seen is approved; what is typed ahead is no second word."""
        first = self._pending[0] = replace(self._pending[0], warned=True)
        unseen = hidden(first.approval)
        _forget_typed(keyboard)
        talk(f"{unseen} not shown of {first.code}; w shows the whole, {word} once more approves it unseen")
        self._prompt()

    def _lose_keyboard(self) -> None:
        """Ctrl-D, or the terminal is gone: nothing is approved by that, and nothing denied."""
        self._keyboard = None
        print(file=sys.stderr, flush=True)
        talk(f"{self._pending[0].code} still waits; {commands(self._pending[0].code)}")

    def _answer(self, approve: bool, for_session: bool) -> None:  # noqa: FBT001 - a row of the table above
        """Send the word on a connection of its own. How it ended comes with the turn's lines."""
        code = self._pending[0].code
        request = AnswerApprovalRequest(code=code, approve=approve, for_session=for_session, by=BY)
        try:
            answer: ApprovalAnswerJson = self._wire.call(request, ANSWER_S)
        except CommandError as error:
            talk(error.sentence)
            if error.exit is Exit.NO_SUCH_THING:
                self._drop(code)
            else:
                self._prompt()
            return
        if not answer["taken"]:
            talk(answer["sentence"])
        self._drop(code)

    def _drop(self, code: str) -> None:
        """Take one off the list, and ask the next."""
        self._pending = [each for each in self._pending if each.code != code]
        if self._pending:
            self._ask()


def read_typed(keyboard: int) -> bytes:
    """Read one line, which is there; empty when the terminal has gone."""
    try:
        return os.read(keyboard, _LONGEST_ANSWER)
    except OSError:
        return b""


def _forget_typed(keyboard: int) -> None:
    with contextlib.suppress(termios.error):  # the terminal has gone; the next read says so
        termios.tcflush(keyboard, termios.TCIFLUSH)
