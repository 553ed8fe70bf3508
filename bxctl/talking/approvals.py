"""Approvals in a chat: asked in place at a terminal, or said to be answered elsewhere (spec 2.3, step 4)."""

from __future__ import annotations

import sys
from typing import Protocol

from bxcore.control.answers import ApprovalJson, ClosedApprovalJson
from bxctl.approval_text import card, columns_of, commands, heading, how_to_see, lines
from bxctl.printing import talk
from bxctl.turn_lines import TurnLines


class Approvals(Protocol):
    """Puts a turn's approvals to a person, one turn after the other."""

    @property
    def answers(self) -> bool:
        """Whether there is a person; else what would be asked is denied at once."""

    @property
    def asks(self) -> bool:
        """Whether what is typed now is an answer."""

    @property
    def listens(self) -> bool:
        """Whether what is typed is to be read at all."""

    def typed(self, typed: bytes) -> None:
        """Take a typed line as an answer, while it ``asks``."""

    def asked(self, approval: ApprovalJson) -> None:
        """Show a new one."""

    def closed(self, closed: ClosedApprovalJson) -> None:
        """Say how one ended."""

    def leave_line(self) -> None:
        """End the line that a question stands on: something else is about to be shown."""

    def interrupted(self) -> str:
        """What a signal's handler writes first, to begin on a line of its own."""

    def disturbed(self) -> None:
        """Something else was shown: ask again."""

    def wait(self, turn: TurnLines) -> None:
        """Return when the turn has its next line; meanwhile take what the person types."""

    def forget(self) -> None:
        """The turn is over, and with it all that it asked."""


class Elsewhere:
    """They are answered elsewhere, or, with ``answers`` False, not at all."""

    def __init__(self, *, answers: bool) -> None:
        self._answers = answers

    @property
    def answers(self) -> bool:
        """Whether somebody will."""
        return self._answers

    @property
    def asks(self) -> bool:
        """Nobody is asked here."""
        return False

    @property
    def listens(self) -> bool:
        """Nothing is waited for here."""
        return True

    def typed(self, typed: bytes) -> None:
        """Nothing was asked here."""

    def asked(self, approval: ApprovalJson) -> None:
        """One line with the code and both commands; at a terminal more, since it would break that line."""
        columns, words = columns_of(sys.stderr), commands(approval["code"])
        if columns is not None:
            talk("\n  ".join(filter(None, (card(approval, columns), how_to_see(approval), words))))
            return
        call = " ".join(lines(approval["shown"]))
        talk(" · ".join(filter(None, (f"{heading(approval)}: {call}", how_to_see(approval), words))))

    def closed(self, closed: ClosedApprovalJson) -> None:
        """Say it."""
        talk(closed["sentence"])

    def leave_line(self) -> None:
        """Nothing was asked here."""

    def interrupted(self) -> str:
        """Nothing was asked here."""
        return ""

    def disturbed(self) -> None:
        """Nothing was asked here."""

    def wait(self, turn: TurnLines) -> None:
        """Nobody types here."""

    def forget(self) -> None:
        """Nothing is kept."""
