"""What a connection asks the loop, and how it answers with that; a room of ``actors/connection.py``."""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from actors.connection_outcomes import ended, sessions, stopped
from bxcore.control import ErrorCode, requests
from bxcore.control.turns import prompt_size_json, session_json
from bxcore.messages.loop import (
    EndSession,
    ListSessions,
    LoopMessage,
    PromptSize,
    SessionView,
    ShowSession,
    StopTurn,
)

OfLoop: TypeAlias = (
    requests.StopTurnRequest
    | requests.SessionsRequest
    | requests.SessionRequest
    | requests.EndSessionRequest
    | requests.PromptSizeRequest
)
OfSession: TypeAlias = (
    requests.ChatRequest
    | requests.WatchRequest
    | requests.StopTurnRequest
    | requests.SessionRequest
    | requests.EndSessionRequest
)
"""The requests that name a session."""
NO_SESSION = "there is no such session; list them with bxctl sessions"


def message(request: OfLoop) -> LoopMessage:
    """What the loop is asked."""
    match request:
        case requests.StopTurnRequest():
            return StopTurn(session=request.session)
        case requests.SessionsRequest():
            return ListSessions(limit=max(1, request.limit))
        case requests.SessionRequest():
            return ShowSession(session=request.session, last=max(1, request.last))
        case requests.EndSessionRequest():
            return EndSession(session=request.session)
        case requests.PromptSizeRequest():
            return PromptSize()
        case _:
            assert_never(request)


def no(request: OfLoop, answer: object) -> tuple[ErrorCode, str] | None:
    """Why the loop's answer is a "no", else None."""
    missing = isinstance(request, requests.SessionRequest) and not isinstance(answer, SessionView)
    return (ErrorCode.NO_SUCH_THING, NO_SESSION) if missing else None


def shape(request: OfLoop, answer: Any) -> object:
    """Write the loop's answer as JSON."""
    match request:
        case requests.StopTurnRequest():
            return stopped(answer)
        case requests.SessionsRequest():
            return sessions(answer)
        case requests.SessionRequest():
            return session_json(answer)
        case requests.EndSessionRequest():
            return ended(answer)
        case requests.PromptSizeRequest():
            return prompt_size_json(answer)
        case _:
            assert_never(request)
