from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import turn_decisions
from bxcore.decide import Action, Send, Skip, Workspace
from bxcore.labels import Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.turn_decisions import Decided, decide_turns, ended_turns

START = SessionStart(baseline="")
SAID = User(text="hi", speaker="owner")
REPLY = Assistant(content="hello")
CALLING = Assistant(content="", tool_calls=(ToolCall(id="c", name="recall", arguments="{}"),))
TRUSTED = Send(Workspace.TRUSTED, "owner")
UNTRUSTED = Send(Workspace.UNTRUSTED, "owner")
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Skip, st.text()), st.builds(Send, st.sampled_from(Workspace), st.text())
)


def result(*, untrusted: bool = False, level: Level = Level.PRIVATE) -> ToolResult:
    return ToolResult(call="c", tool="recall", content="", ok=True, level=level, untrusted=untrusted)


def decided(records: list[Record], first: int, last: int, *, save: bool = True) -> list[Action]:
    found = list(decide_turns(records, range(first, last + 1), agent="boxmaker", save=save))
    assert [turn for turn, _ in found] == list(range(first, last + 1))
    return [action for _, action in found]


@given(st.builds(Decided, session=st.text(), turn=st.integers(), size=st.integers(), action=actions))
def test_what_is_dumped_is_parsed_again(row: Decided) -> None:
    line = turn_decisions.dump(row)
    assert line.isascii()
    assert "\n" not in line
    assert turn_decisions.parse(line) == row


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", '{"session":"a","turn":1,"size":2,"workspace":"x"}']
)
def test_a_line_that_is_no_row_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        turn_decisions.parse(line)


def test_a_row_holds_no_word_of_the_turn() -> None:
    row = Decided(session="k3f", turn=4, size=321, action=TRUSTED)
    assert json.loads(turn_decisions.dump(row)) == {
        "session": "k3f",
        "turn": 4,
        "size": 321,
        "workspace": "trusted",
        "speaker": "owner",
    }


@pytest.mark.parametrize(
    ("records", "ended"),
    [
        ([], 0),
        ([START], 0),
        ([START, SAID], 0),
        ([START, SAID, CALLING, result()], 0),
        ([START, SAID, REPLY], 1),
        ([START, SAID, CALLING, Usage(failed="no model")], 1),
        ([START, SAID, REPLY, SAID, CALLING], 1),
        ([START, SAID, SAID, REPLY], 2),
    ],
)
def test_the_last_turn_may_still_run(records: list[Record], ended: int) -> None:
    assert ended_turns(records) == ended


def test_each_turn_is_decided_on_the_label_that_it_ended_with() -> None:
    log: list[Record] = [START, SAID, REPLY, SAID, result(untrusted=True), REPLY, SAID, REPLY]
    assert decided(log, 1, 3) == [TRUSTED, UNTRUSTED, UNTRUSTED]
    log += [SAID, result(level=Level.SECRET), REPLY]
    assert decided(log, 3, 4) == [UNTRUSTED, Skip("the session is secret")]


def test_without_saving_every_turn_is_skipped() -> None:
    assert decided([START, SAID, REPLY], 1, 1, save=False) == [Skip("the configuration saves nothing")]
