"""What became of an ask, as the control socket's JSON or its "no"; a room of ``actors/connection.py``."""

from __future__ import annotations

from collections.abc import Iterable

from actors.base import (
    Answer,
    Busy,
    CallError,
    Crashed,
    Dead,
    Failed,
    Late,
    NoRoom,
    Outcome,
    Refusal,
    Restarting,
)
from bxcore.control import ErrorCode
from bxcore.control.answers import DoneJson, SessionsJson
from bxcore.control.turns import info_json
from bxcore.messages.loop import SessionInfo
from bxcore.messages.supervision import Done


def done(outcome: Outcome) -> DoneJson:
    """Write what a supervisor did of an operator's wish."""
    if isinstance(outcome, Answer) and isinstance(outcome.value, Done):
        return {"ok": outcome.value.ok, "sentence": outcome.value.sentence}
    return {"ok": False, "sentence": failure(outcome)[1]}


def stopped(running: object) -> DoneJson:
    """Write the loop's answer to ``StopTurn``."""
    return {
        "ok": bool(running),
        "sentence": "the turn is being stopped" if running else "no turn was running",
    }


def ended(live: object) -> DoneJson:
    """Write the loop's answer to ``EndSession``."""
    return {"ok": bool(live), "sentence": "the session's actor ends" if live else "the session was not live"}


def sessions(infos: Iterable[SessionInfo]) -> SessionsJson:
    """Write the sessions' list."""
    return {"sessions": [info_json(info) for info in infos]}


def failure(outcome: Outcome) -> tuple[ErrorCode, str]:
    """Say why there is no answer: the wire's word and a sentence."""
    match outcome:
        case Failed(error=NoRoom() as full):
            return ErrorCode.BUSY, full.sentence
        case Failed(error=Refusal() as refusal):
            return ErrorCode.FAILED, refusal.sentence
        case Failed(error=CallError() as error):
            return _CODES.get(type(error), ErrorCode.TIMED_OUT), error.sentence
        case Late():
            return ErrorCode.TIMED_OUT, "no answer came in time; see bxctl tree"
        case _:
            return ErrorCode.FAILED, "the answer was not understood"


_CODES: dict[type[CallError], ErrorCode] = {
    Busy: ErrorCode.BUSY,
    Dead: ErrorCode.DOWN,
    Restarting: ErrorCode.DOWN,
    Crashed: ErrorCode.FAILED,
}
