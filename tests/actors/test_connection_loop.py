from __future__ import annotations

import pytest

from actors import connection_loop
from actors.connection_loop import OfLoop
from bxcore.control import ErrorCode
from bxcore.control import requests as r
from bxcore.messages.loop import EndSession, ListSessions, LoopMessage, PromptSize, ShowSession, StopTurn


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (r.StopTurnRequest(session="k3f"), StopTurn(session="k3f")),
        (r.SessionsRequest(limit=3), ListSessions(limit=3)),
        (r.SessionsRequest(limit=0), ListSessions(limit=1)),
        (r.SessionRequest(session="k3f", last=7), ShowSession(session="k3f", last=7)),
        (r.SessionRequest(session="k3f", last=-7), ShowSession(session="k3f", last=1)),
        (r.EndSessionRequest(session="k3f"), EndSession(session="k3f")),
        (r.PromptSizeRequest(), PromptSize()),
    ],
)
def test_each_request_is_one_message(request_: OfLoop, message: LoopMessage) -> None:
    assert connection_loop.message(request_) == message


def test_only_a_session_that_is_not_there_is_a_no() -> None:
    no = connection_loop.no(r.SessionRequest(session="k3f"), None)
    assert no == (ErrorCode.NO_SUCH_THING, connection_loop.NO_SESSION)
    assert connection_loop.no(r.StopTurnRequest(session="k3f"), None) is None
