"""A log without some texts: they are nowhere in it, and all else is as it was."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bxcore import records
from bxcore.forgetting import FORGOTTEN, Needle, calls_of, turns_with, without
from bxcore.labels import Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.session_fold import labels_after
from bxcore.turn_spans import spans

words = st.sampled_from(["the blue tin", "BLUE\n tin", "tea", "a", "", "Blue  Tin!", "ü blue\ttin"])
turn = st.builds(
    lambda said, args, result, reply, level, untrusted: [
        User(text=said, speaker="owner", at="2026-11-02T10:00:00Z"),
        Assistant(
            content=said, reasoning=reply, tool_calls=(ToolCall(id="c", name="recall", arguments=args),)
        ),
        ToolResult(call="c", tool="recall", content=result, ok=True, level=level, untrusted=untrusted),
        Assistant(content=reply, reasoning=args),
        Usage(),
    ],
    words,
    words,
    words,
    words,
    st.sampled_from(Level),
    st.booleans(),
)
logs = st.lists(turn, max_size=5).map(
    lambda turns: [SessionStart(baseline=""), *(r for t in turns for r in t)]
)
NEEDLE = Needle("blue tin")


@given(logs)
def test_what_is_forgotten_stands_nowhere_and_all_else_stays(log: list[Record]) -> None:
    found = turns_with(log, NEEDLE)
    left = without(log, found)
    assert turns_with(left, NEEDLE) == ()
    assert not any(NEEDLE.stands_in(json.loads(json.dumps(records.dump(record)))) for record in left)
    assert list(labels_after(left)) == list(labels_after(log)), "the label at each record"
    assert spans(left) == spans(log), "the turns and their places"
    kept = [number for number in range(1, len(spans(log)) + 1) if number not in found]
    for number in kept:
        start, end = spans(log)[number - 1]
        assert left[start:end] == tuple(log[start:end])


@given(logs)
def test_forgetting_twice_changes_nothing_more(log: list[Record]) -> None:
    once = without(log, turns_with(log, NEEDLE))
    assert without(once, turns_with(log, NEEDLE)) == once


def test_a_turn_is_found_by_any_of_its_texts() -> None:
    call = ToolCall(id="c", name="x", arguments='{"q":"blue tin"}')
    log: list[Record] = [
        SessionStart(baseline=""),
        User(text="one blue tin"),
        User(text="two"),
        Assistant(content="", reasoning="a blue tin"),
        User(text="three"),
        Assistant(content="", tool_calls=(call,)),
        User(text="four"),
        ToolResult(call="c", tool="x", content="BLUE\n\ntin", ok=True),
        User(text="five"),
    ]
    assert turns_with(log, NEEDLE) == (1, 2, 3, 4)
    assert calls_of(log, (4,)) == ("c",)
    assert calls_of(log, (5,)) == ()


def test_a_forgotten_turn_says_so() -> None:
    left = without([SessionStart(baseline=""), User(text="a"), Assistant(content="b")], (1,))
    assert left == (SessionStart(baseline=""), User(text=FORGOTTEN), Assistant(content=FORGOTTEN))


def test_case_and_space_make_no_difference() -> None:
    assert NEEDLE.stands_in("my BLUE \n TIN")
    assert not NEEDLE.stands_in("bluetin")
    assert Needle("  ").folded == ""


@given(words, words)
def test_a_file_that_cannot_hold_it_is_told_at_once(text: str, needle: str) -> None:
    data = json.dumps({"text": text}).encode("ascii")
    if Needle(needle).stands_in(text):
        assert Needle(needle).may_be_in(data)
    assert not Needle("marmalade").may_be_in(data)
