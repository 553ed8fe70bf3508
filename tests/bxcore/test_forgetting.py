"""A log without some texts: they are nowhere in it, and all else is as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import records
from bxcore.forgetting import (
    FORGOTTEN,
    Needle,
    calls_of,
    speaks,
    summed_up,
    turn_of_calls,
    turns_with,
    without,
)
from bxcore.labels import Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.session_fold import labels_after
from bxcore.turn_spans import spans

words = st.sampled_from(
    [
        "the blue tin",
        "BLUE\n tin",
        "tea",
        "a",
        "",
        "Blue  Tin!",
        "ü blue\ttin",
        "my \u017faucer",
        "stra\u00dfe",
    ]
)
turn = st.builds(
    lambda said, args, result, reply, name, failed, level, untrusted: [
        User(text=said, speaker="owner", at="2026-11-02T10:00:00Z"),
        Assistant(content=said, reasoning=reply, tool_calls=(ToolCall(id="c", name=name, arguments=args),)),
        ToolResult(call="c", tool=name, content=result, ok=True, level=level, untrusted=untrusted),
        Assistant(content=reply, reasoning=args),
        Usage(failed=failed),
    ],
    words,
    words | words.map(json.dumps) | words.map(lambda text: json.dumps(json.dumps({"entry": text}))),
    words,
    words,
    st.just("recall") | words,
    st.none() | words,
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
        ToolResult(call="d", tool="x", content="BLUE\n\ntin", ok=True),
        User(text="five"),
        Usage(failed="no model knows of a blue tin"),
        User(text="six"),
        ToolResult(call="e", tool="blue tin", content="there is no such tool", ok=False),
        User(text="seven"),
    ]
    assert turns_with(log, NEEDLE) == (1, 2, 3, 4, 5, 6)
    assert calls_of(log, (3, 4)) == ("c", "d")
    assert calls_of(log, (5, 7)) == ()
    assert turn_of_calls(log) == {"c": 3, "d": 4, "e": 6}


def test_a_name_that_the_box_gave_is_nobody_s_text() -> None:
    call = ToolCall(id="t1c1", name="recall", arguments="{}")
    log: list[Record] = [
        SessionStart(baseline=""),
        User(text="x", speaker="owner"),
        Assistant(content="", tool_calls=(call,)),
        ToolResult(call="t1c1", tool="recall", content="nothing", ok=True),
    ]
    assert turns_with(log, Needle("recall")) == ()
    assert turns_with(log, Needle("owner")) == ()
    assert speaks(log, Needle("OWN"))
    assert not speaks([User(text="owner")], Needle("owner"))
    left = without(log, (1,))
    assert isinstance(left[2], Assistant)
    assert (left[2].tool_calls[0].name, left[2].tool_calls[0].id) == ("recall", "t1c1")
    made_up = without([User(text="x"), ToolResult(call="t1c1", tool="blue tin", content="", ok=False)], (1,))[
        1
    ]
    assert isinstance(made_up, ToolResult)
    assert made_up.tool == "forgotten", "a server takes letters alone"


def test_a_forgotten_turn_says_so() -> None:
    left = without([SessionStart(baseline=""), User(text="a"), Assistant(content="b")], (1,))
    assert left == (SessionStart(baseline=""), User(text=FORGOTTEN), Assistant(content=FORGOTTEN))


def test_case_and_space_make_no_difference() -> None:
    assert NEEDLE.stands_in("my BLUE \n TIN")
    assert not NEEDLE.stands_in("bluetin")
    assert Needle("  ").folded == ""
    assert Needle("STRASSE").stands_in("stra\u00dfe")


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("text", ["the blue\ntin", "caf\u00e9 \U0001f36f", 'a "b" / c', "stra\u00dfe"])
def test_a_text_is_found_however_often_it_was_written_as_json(text: str, times: int) -> None:
    written = text
    for _ in range(times):
        written = json.dumps({"text": written})
    assert Needle(text).stands_in(written)
    assert Needle(text).is_in(written.encode())
    assert not Needle("another").is_in(written.encode())


letters = st.text(
    st.sampled_from("abkstK .\n\u017f\u212a\ufb01\u0130\u00e9\u0301\u00ad\u200b\uff41\U0001d41a\u65e5"),
    max_size=6,
)


@given(words | letters, words | letters, st.sampled_from([True, False]))
def test_a_file_that_may_hold_it_is_never_passed_over(text: str, needle: str, ascii_only: object) -> None:
    data = json.dumps({"text": text}, ensure_ascii=bool(ascii_only)).encode()
    if Needle(needle).stands_in(text):
        assert Needle(needle).may_be_in(data)
        assert Needle(needle).is_in(data)
    escaped = json.dumps({"arguments": data.decode()}).encode()
    if Needle(needle).stands_in(data.decode()):
        assert Needle(needle).may_be_in(escaped)


def test_a_file_that_cannot_hold_it_is_told_at_once() -> None:
    assert not Needle("blue marmalade").may_be_in(b'{"text":"the blue tin"}')
    assert Needle("blue marmalade").may_be_in(b'{"text":"MARMALADE alone"}')
    assert Needle("abc").may_be_in(rb'{"text":"\u0041bc"}')
    assert not Needle("blue marmalade").may_be_in('{"text":"Stra\u00dfe"}'.encode())


def test_turns_of_a_later_epoch_alone_have_their_own_numbers() -> None:
    epoch: tuple[Record, ...] = (
        SessionStart(baseline="", epoch=1, turns=4, summary="a blue tin"),
        User(text="x"),
        User(text="my blue tin"),
        ToolResult(call="t6c1", tool="recall", content="it", ok=True),
    )
    assert turns_with(epoch, NEEDLE) == (6,)
    assert turn_of_calls(epoch) == {"t6c1": 6}
    assert summed_up(epoch, NEEDLE)
    left = without(epoch, (6,))
    assert left[1] == epoch[1]
    assert turns_with(left, NEEDLE) == ()
    assert not summed_up(left, NEEDLE)


def called(arguments: str) -> list[Record]:
    call = ToolCall(id="t1c1", name="memory", arguments=arguments)
    return [SessionStart(baseline=""), User(text="x"), Assistant(content="", tool_calls=(call,))]


@pytest.mark.parametrize(
    ("arguments", "text", "found"),
    [
        ('{"action":"add","file":"notes","text":"blue tin"}', "file", False),
        ('{"action":"add","file":"notes","text":"blue tin"}', "text", False),
        ('{"action":"add","file":"notes","text":"blue tin"}', "notes", True),
        ('{"text":"the file"}', "file", True),
        ('{"a":{"b":["c",{"d":"blue\\ntin"}]}}', "blue tin", True),
        ('{"blue tin":1}', "blue tin", True),
        ('{"a":[7423]}', "7423", True),
        ('{"text":"torn, a blue tin', "blue tin", True),
        ("[" * 100_000 + "blue tin", "blue tin", True),
    ],
)
def test_a_call_is_found_by_its_values_and_by_names_that_the_model_made_up(
    arguments: str, text: str, *, found: bool
) -> None:
    assert turns_with(called(arguments), Needle(text)) == ((1,) if found else ())
