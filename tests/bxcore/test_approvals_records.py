"""The journal's records: there and back, over processes, and nothing that is none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.approvals import Approvals, Ended, Event, How, Opened, Over, Used, records
from bxcore.labels import Label, Level
from tests.bxcore.test_approvals import K7

M3 = replace(K7, code="m3", call="t2c2", label=Label(Level.SECRET, untrusted=True))
EVENTS: tuple[Event, ...] = (
    Opened(approval=K7),
    Opened(approval=M3),
    Ended(code="k7", how=How.SESSION, by="bxctl"),
    Used(code="k7"),
    Ended(code="m3", how=How.DENIED, by="the chat"),
    Opened(approval=replace(K7, code="d4", call="t2c3")),
)


def dumped(*events: Event, instance: str = "one") -> list[str]:
    return [records.dump(event, instance) for event in events]


@given(upto=st.integers(0, len(EVENTS)))
def test_events_on_disk_lead_to_the_same_approvals(upto: int) -> None:
    state = Approvals()
    for event in EVENTS[:upto]:
        state = state.after(event)
    assert records.read(dumped(*EVENTS[:upto]), "one") == (state, (), False)


def test_a_record_is_one_line_of_ascii() -> None:
    odd = replace(K7, shown="größe\n\ud800")
    line = records.dump(Opened(approval=odd), "one")
    assert line.isascii()
    assert "\n" not in line
    assert records.read([line], "one")[0].pending["k7"] == odd


def test_the_hidden_part_outlives_the_broker_and_goes_with_the_answer() -> None:
    long = replace(K7, whole="shell and all the rest", hidden=9)
    lines = dumped(Opened(approval=long))
    assert records.read(lines, "one")[0].pending["k7"] == long
    state, _, _ = records.read([*lines, *dumped(Ended(code="k7", how=How.DENIED))], "one")
    assert state.over["k7"].approval == replace(long, whole="")
    assert records.read(lines, "two")[0].over["k7"].approval == replace(long, whole="")


def test_the_journal_of_a_version_that_kept_no_whole_call_is_read() -> None:
    record = json.loads(dumped(Opened(approval=K7))[0])
    del record["whole"], record["hidden"]
    state, (over,), _ = records.read([json.dumps(record)], "two")
    assert over.approval == replace(K7, whole="")
    assert list(state.over) == ["k7"]


def test_another_process_finds_what_waited_closed() -> None:
    state, closed, earlier = records.read(dumped(*EVENTS), "two")
    assert earlier
    assert [over.approval.code for over in closed] == ["d4"]
    assert (state.pending, state.session_wide, state.denied) == ({}, (), frozenset())
    assert all(over.earlier for over in state.over.values())


def test_two_processes_in_one_journal_are_told_apart() -> None:
    lines = [*dumped(Opened(approval=K7)), *dumped(Opened(approval=M3), instance="two")]
    state, closed, earlier = records.read(lines, "two")
    assert earlier
    assert [over.approval.code for over in closed] == ["k7"]
    assert list(state.pending) == ["m3"]
    state, closed, _ = records.read(lines, "three")
    assert [over.approval.code for over in closed] == ["k7", "m3"]


def test_what_is_kept_for_a_new_process_is_read_back_as_it_was() -> None:
    state, closed, _ = records.read(dumped(*EVENTS), "two")
    again = records.read(records.kept(state, "two"), "two")
    assert again == (state, (), False)
    assert [type(over) for over in again[0].over.values()] == [Over] * 3
    assert again[0].over["k7"].used
    assert again[0].became("k3f", ("t2c1", "t2c2", "t2c3")).keys() == {"t2c2", "t2c3"}
    assert len(closed) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "other"},
        {"kind": None},
        {"instance": 7},
        {"code": 7},
        {"expires_s": "600"},
        {"expires_s": 1e13},
        {"turn": None},
        {"session": None},
    ],
)
def test_a_record_of_another_shape_is_refused(changed: dict[str, object]) -> None:
    record = json.loads(records.dump(Opened(approval=K7), "one"))
    with pytest.raises(records.RecordError):
        records.read([json.dumps({**record, **changed})], "one")


@pytest.mark.parametrize("missing", ["kind", "instance", "code", "label", "class", "expires_s"])
def test_a_record_that_lacks_a_field_is_refused(missing: str) -> None:
    record = json.loads(records.dump(Opened(approval=K7), "one"))
    if record.pop(missing, None) is not None:
        with pytest.raises(records.RecordError):
            records.read([json.dumps(record)], "one")


def test_an_unknown_end_is_refused_and_an_unknown_class_is_secret() -> None:
    with pytest.raises(records.RecordError):
        records.read(
            [
                *dumped(Opened(approval=K7)),
                dumped(Ended(code="k7", how=How.DENIED))[0].replace("denied", "x"),
            ],
            "one",
        )
    record = json.loads(records.dump(Opened(approval=K7), "one"))
    state, _, _ = records.read([json.dumps({**record, "class": "", "untrusted": "no"})], "one")
    assert state.pending["k7"].label == Label(Level.SECRET, untrusted=True)


def test_the_last_line_of_a_journal_that_is_no_table_is_refused() -> None:
    with pytest.raises(records.RecordError):
        records.read(["[]"], "one")
