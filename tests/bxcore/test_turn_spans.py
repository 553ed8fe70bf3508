from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.labels import Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.turn_spans import is_over, reply_of, spans

ASKED = User(text="a")
REPLY = Assistant(content="b")
CALLED = Assistant(content="c", tool_calls=(ToolCall(id="c1", name="recall", arguments="{}"),))
RESULT = ToolResult(call="c1", tool="recall", content="d", ok=True, level=Level.PRIVATE, untrusted=False)
RECORDS: list[Record] = [SessionStart(baseline=""), ASKED, REPLY, CALLED, RESULT, Usage()]


@given(st.lists(st.sampled_from(RECORDS)))
def test_the_spans_are_the_log_from_its_first_user_on(log: list[Record]) -> None:
    found = spans(log)
    joined = [record for start, end in found for record in log[start:end]]
    assert joined == (log[log.index(ASKED) :] if ASKED in log else [])
    assert all(log[start] is ASKED and ASKED not in log[start + 1 : end] for start, end in found)


@pytest.mark.parametrize(
    ("turn", "reply"),
    [
        ([ASKED], None),
        ([ASKED, REPLY], "b"),
        ([ASKED, REPLY, Usage()], "b"),
        ([ASKED, CALLED], None),
        ([ASKED, CALLED, RESULT], None),
        ([ASKED, CALLED, RESULT, REPLY], "b"),
        ([ASKED, REPLY, RESULT], None),
    ],
)
def test_a_call_or_a_result_at_the_end_is_no_reply(turn: list[Record], reply: str | None) -> None:
    assert reply_of(turn) == reply


def test_a_turn_is_over_with_its_reply_or_with_the_usage_of_a_failed_one() -> None:
    assert not is_over([ASKED])
    assert not is_over([ASKED, CALLED, RESULT])
    assert is_over([ASKED, REPLY])
    assert is_over([ASKED, CALLED, Usage(failed="no model")])
