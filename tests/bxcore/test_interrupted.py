"""A turn that a crash cut short is found whatever record was the last one, and closed once."""

from __future__ import annotations

import pytest

from bxcore.interrupted import INTERRUPTED, UNKNOWN, calls_left, find
from bxcore.labels import NEW_SESSION, Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.session_fold import label_of

START = SessionStart(baseline="")
USER = User(text="do\n it")
ONE, TWO = (ToolCall(id=f"t1c{n}", name=name, arguments="{}") for n, name in ((1, "memory"), (2, "recall")))
CALLS = Assistant(content="", tool_calls=(ONE, TWO))
RESULT = ToolResult(
    call="t1c1", tool="memory", content="added", ok=True, level=Level.PRIVATE, untrusted=False
)
REPLY = Assistant(content="done")


@pytest.mark.parametrize(
    "log",
    [
        (),
        (START,),
        (START, USER, REPLY),
        (START, USER, REPLY, Usage()),
        (START, USER, Usage(failed="no model")),
        (START, USER, CALLS, RESULT, RESULT, REPLY),
    ],
)
def test_a_turn_that_ended_is_left_alone(log: tuple[Record, ...]) -> None:
    assert find(log) is None


@pytest.mark.parametrize(
    ("log", "left"),
    [((), []), ((CALLS,), [ONE, TWO]), ((CALLS, RESULT), [TWO])],
)
def test_a_turn_cut_short_is_closed_with_unknown_outcomes(
    log: tuple[Record, ...], left: list[ToolCall]
) -> None:
    records = (START, USER, REPLY, Usage(), USER, *log)
    found = find(records)
    assert found is not None
    assert found.turn == 2
    *results, last = found.records
    assert last == Usage(failed=INTERRUPTED)
    assert [
        (record.call, record.content, record.ok) for record in results if isinstance(record, ToolResult)
    ] == [(call.id, UNKNOWN, False) for call in left]
    assert find((*records, *found.records)) is None
    assert label_of((*records, *found.records)) == NEW_SESSION


def test_the_notice_names_the_turn_and_what_is_unknown() -> None:
    quiet = find((START, USER))
    assert quiet is not None
    assert quiet.notice == (
        'turn 1 ("do it") was interrupted before its end, and is not run again; '
        "say it again if you still want it"
    )
    called = find((START, User(text="x" * 100), CALLS))
    assert called is not None
    assert called.notice == (
        f'turn 1 ("{"x" * 60}…") was interrupted before its end, and is not run again; '
        "whether memory, recall took effect is unknown"
    )


def test_the_calls_that_are_left_are_those_without_a_result_of_a_turn_cut_short() -> None:
    assert calls_left((START, USER, CALLS)) == ("t1c1", "t1c2")
    assert calls_left((START, USER, CALLS, RESULT)) == ("t1c2",)
    assert calls_left((START, USER, CALLS, Usage(failed="stopped"))) == ()
    assert calls_left((START, USER, REPLY)) == ()
    assert calls_left(()) == ()


def test_what_is_known_of_a_call_stands_in_place_of_unknown() -> None:
    became = {"t1c1": "it waited for the owner's approval when the box ended; it did not run"}
    found = find((START, USER, CALLS), became)
    assert found is not None
    known, unknown = found.records[:2]
    assert isinstance(known, ToolResult)
    assert isinstance(unknown, ToolResult)
    assert (known.content, known.ok, unknown.content) == (became["t1c1"], False, UNKNOWN)
    assert found.notice.endswith(
        "is not run again; memory: it waited for the owner's approval when the box ended; it did not run; "
        "whether recall took effect is unknown"
    )


def test_a_turn_of_which_all_is_known_has_nothing_unknown() -> None:
    found = find((START, USER, CALLS, RESULT), {"t1c2": "the owner denied this call, and it did not run"})
    assert found is not None
    assert found.notice.endswith("; recall: the owner denied this call, and it did not run")
