"""A box whose turns ask for approvals."""

from __future__ import annotations

from typing import Any

from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalClosed,
    ApprovalView,
    ListApprovals,
)
from bxcore.messages.loop import Say, StopTurn
from tests.bxctl.conftest import MakeBox
from tests.doubles.control_box import APPROVAL, HELD, ControlBox, answered, turn


class Asking:
    """A box whose every turn asks for some approvals, and ends when all are answered."""

    def __init__(self, make: MakeBox, *approvals: ApprovalView) -> None:
        self.approvals = approvals or (APPROVAL,)
        self.open: dict[str, ApprovalView] = {}
        self.box: ControlBox = make(script=self.script)

    def script(self, message: Any) -> object:
        """What loop and broker answer."""
        match message:
            case Say():
                self.open = {each.code: each for each in self.approvals}
                for approval in self.approvals:
                    self.tell(ApprovalAsked(session="main", approval=approval))
                return HELD
            case AnswerApproval(code=code) if code in self.open:
                how = "approved" if message.approve else "denied"
                return self.close(code, f"{code} was {how} by {message.by}", approved=message.approve)
            case StopTurn():
                for code in tuple(self.open):
                    self.close(code, f"{code} was withdrawn", approved=False)
                return True
            case ListApprovals():
                return tuple(self.open.values())
            case _:
                return answered(message)

    def tell(self, news: Any) -> None:
        """Tell the chat that listens."""
        say = self.said()
        assert say.listener is not None
        say.listener.tell(news)

    def said(self) -> Say:
        """The last turn."""
        say: Say = [message for message in self.box.seen if isinstance(message, Say)][-1]
        return say

    def close(self, code: str, sentence: str, *, approved: bool) -> ApprovalAnswered:
        """End one; the turn ends with the last one."""
        del self.open[code]
        self.tell(ApprovalClosed(session="main", code=code, approved=approved, sentence=sentence))
        if not self.open:
            self.box.held.pop().set(turn(self.said()))
        return ApprovalAnswered(taken=True, known=True, sentence=sentence)

    def words(self) -> list[tuple[str, bool, bool, str]]:
        """What the broker was told: code, whether approved, for the session, by whom."""
        return [
            (each.code, each.approve, each.for_session, each.by)
            for each in self.box.seen
            if isinstance(each, AnswerApproval)
        ]
