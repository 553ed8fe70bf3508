from __future__ import annotations

import pytest

from actors.base import (
    Answer,
    Busy,
    CallError,
    Crashed,
    Dead,
    Expired,
    Failed,
    Late,
    NoRoom,
    Refusal,
    Restarting,
    TimedOut,
)
from actors.connection_outcomes import done, failure
from bxcore.control import ErrorCode
from bxcore.messages.supervision import Done


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Busy("a"), ErrorCode.BUSY),
        (Dead("a"), ErrorCode.DOWN),
        (Restarting("a"), ErrorCode.DOWN),
        (Crashed("a", "KeyError"), ErrorCode.FAILED),
        (TimedOut("a"), ErrorCode.TIMED_OUT),
        (Expired("a"), ErrorCode.TIMED_OUT),
    ],
)
def test_each_way_to_get_no_answer_has_its_word(error: CallError, code: ErrorCode) -> None:
    assert failure(Failed(error)) == (code, error.sentence)


def test_a_refusal_keeps_its_sentence() -> None:
    assert failure(Failed(Refusal("no"))) == (ErrorCode.FAILED, "no")


def test_what_there_is_no_room_for_may_come_again() -> None:
    assert failure(Failed(NoRoom("32 wait"))) == (ErrorCode.BUSY, "32 wait")


def test_a_late_answer_is_a_time_out() -> None:
    assert failure(Late())[0] is ErrorCode.TIMED_OUT


def test_what_a_supervisor_did_is_shown_and_what_it_could_not_say_is_no() -> None:
    assert done(Answer(Done(ok=True, sentence="a is restarted"))) == {
        "ok": True,
        "sentence": "a is restarted",
    }
    assert done(Failed(Dead("root"))) == {"ok": False, "sentence": "root is stopped and will not answer"}
    assert done(Answer(None)) == {"ok": False, "sentence": "the answer was not understood"}
