"""The decision table read twice: ours, and a reading of the log's bytes that shares nothing with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bxcore import journal, records, turn_decisions
from bxcore.decide import Skip, Workspace, turns
from bxcore.labels import Level
from bxcore.records import Assistant, CacheLoss, Record, SessionStart, ToolCall, ToolResult, Usage, User
from tests.doubles import plain_reader

AGENT = "box"
WORKSPACES = [*Workspace]
TOKEN = "ghp_" + "A1b2" * 9
TEXTS = st.sampled_from(["hello", "a\nb\u2028c", " \n", f"it is {TOKEN}", "größe", "", "x" * 70_000])
SPEAKERS = st.sampled_from([None, "", "ada", "ada.b", "box", "b.o.x", "a b", "ada", "é", "n" * 513])
LEVELS = st.sampled_from([Level.PUBLIC, Level.PRIVATE, Level.PRIVATE, Level.PRIVATE, Level.SECRET])
UNTRUSTED = st.sampled_from([False, False, False, True])
CALL = ToolCall(id="1", name="recall", arguments="{}")


@st.composite
def turn(draw: st.DrawFn) -> list[Record]:
    said: list[Record] = [User(text=draw(TEXTS), speaker=draw(SPEAKERS))]
    for _ in range(draw(st.integers(0, 2))):
        result = ToolResult(
            call="1",
            tool="recall",
            content=draw(TEXTS),
            ok=True,
            level=draw(LEVELS),
            untrusted=draw(UNTRUSTED),
        )
        said += [Assistant(content="let me see", tool_calls=(CALL,)), result]
    if draw(st.booleans()):
        said.append(CacheLoss(had=10, cached=1))
    if draw(st.integers(0, 4)):
        said.append(Assistant(content=draw(TEXTS)))
    return [*said, Usage()] if draw(st.booleans()) else said


@st.composite
def logs(draw: st.DrawFn) -> list[Record]:
    start = SessionStart(baseline="0" * 64, level=draw(LEVELS), untrusted=draw(UNTRUSTED))
    return [start, *(record for each in draw(st.lists(turn(), max_size=5)) for record in each)]


def ours(log: list[Record]) -> list[str]:
    numbers = range(1, turns(log) + 1)
    found = [action for _, action in turn_decisions.decide_turns(log, numbers, agent=AGENT, save=True)]
    return [
        each.reason if isinstance(each, Skip) else f"{each.workspace} as {each.speaker}" for each in found
    ]


def theirs(log: list[Record]) -> list[str]:
    read = plain_reader.turns_of("k3f", [journal.written(map(records.dump, log))], AGENT)
    return [f"{each.goes} as {each.peer}" if each.goes in WORKSPACES else each.goes for each in read]


@given(logs())
@settings(max_examples=150)
def test_both_readings_come_to_the_same_for_every_turn(log: list[Record]) -> None:
    assert theirs(log) == ours(log)


def three_lines() -> bytes:
    data, crc = b"", journal.START
    for number in range(3):
        added, crc = journal.frame([records.dump(User(text=f"turn {number}"))], number, crc, first=number)
        data += added
    return data


def test_the_second_reading_takes_a_torn_tail_for_nothing() -> None:
    data = three_lines()
    assert [record["text"] for record in plain_reader.lines(data[:-5])] == ["turn 0", "turn 1"]


def test_the_second_reading_refuses_damage_before_what_was_acknowledged() -> None:
    data = bytearray(three_lines())
    data[data.index(b"turn 1")] ^= 1
    with pytest.raises(AssertionError, match="line 1 is damaged"):
        list(plain_reader.lines(bytes(data)))
