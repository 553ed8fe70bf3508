"""However a session's records are cut into epochs, what is derived from them is the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.epochs import EpochError, joined, turns_before
from bxcore.finished_turns import finished_turns
from bxcore.labels import Label, Level
from bxcore.records import Assistant, Record, SessionStart, ToolResult, Usage, User
from bxcore.session_fold import SoFar, label_of
from bxcore.session_title import title_of
from bxcore.turn_decisions import decide_turns, ended_turns, said_at

texts = st.sampled_from(["hi", "tea?", "a longer one"])
results = st.builds(
    ToolResult,
    call=st.just("c"),
    tool=st.just("recall"),
    content=texts,
    ok=st.booleans(),
    level=st.sampled_from(Level),
    untrusted=st.booleans(),
)
after_user = st.lists(
    results | st.builds(Assistant, content=texts) | st.builds(Usage, failed=st.none() | texts), max_size=4
)
turns = st.lists(
    st.tuples(
        st.builds(
            User, text=texts, speaker=st.sampled_from([None, "anna"]), at=st.sampled_from(["", "2026"])
        ),
        after_user,
    ),
    min_size=1,
    max_size=8,
)


def cut(log: Sequence[Record], places: Sequence[int]) -> list[list[Record]]:
    """The log in epochs that begin before these records, each with the start that the session gives it."""
    parts: list[list[Record]] = [[]]
    for place, record in enumerate(log):
        if place in places and place:
            so_far = SoFar(parts[0])
            for part in parts[1:]:
                so_far = SoFar(part)
            label = label_of([each for part in parts for each in part])
            parts.append(
                [
                    SessionStart(
                        baseline="b",
                        log="l",
                        level=label.level,
                        untrusted=label.untrusted,
                        epoch=len(parts),
                        turns=so_far.turns,
                        summary="they talked",
                    )
                ]
            )
        parts[-1].append(record)
    return parts


@given(turns, st.builds(Label, st.sampled_from(Level), st.booleans()), st.lists(st.integers(0, 50)))
def test_any_cut_gives_equal_facts(
    said: list[tuple[User, list[Record]]], label: Label, places: list[int]
) -> None:
    start = SessionStart(baseline="b", log="l", level=label.level, untrusted=label.untrusted)
    log: list[Record] = [start, *(record for user, rest in said for record in (user, *rest))]
    parts = cut(log, places)
    whole = joined(parts)
    assert [record for record in whole if record not in [part[0] for part in parts[1:]]] == log
    numbers = range(1, len(said) + 1)
    assert label_of(whole) == label_of(log)
    assert (ended_turns(whole), said_at(whole)) == (ended_turns(log), said_at(log))
    assert title_of(whole) == title_of(log)
    decided = list(decide_turns(log, numbers, agent="boxmaker", save=True))
    assert list(decide_turns(whole, numbers, agent="boxmaker", save=True)) == decided
    finished = list(finished_turns("k3f", log))
    assert list(finished_turns("k3f", whole)) == finished


@given(turns, st.builds(Label, st.sampled_from(Level), st.booleans()), st.sets(st.integers(0, 7)))
def test_the_last_epochs_alone_give_the_facts_of_their_turns(
    said: list[tuple[User, list[Record]]], label: Label, begun: set[int]
) -> None:
    """Cut between turns, as the session does it."""
    log: list[Record] = [SessionStart(baseline="b", log="l", level=label.level, untrusted=label.untrusted)]
    places = []
    for number, (user, rest) in enumerate(said):
        places += [len(log)] if number in begun and number else []
        log += [user, *rest]
    parts = cut(log, places)
    for first in range(len(parts)):
        some = joined(parts[first:])
        before = turns_before(some)
        numbers = range(before + 1, len(said) + 1)
        assert SoFar(parts[-1]).turns == SoFar(log).turns == len(said)
        assert SoFar(parts[-1]).label == SoFar(some).label == label_of(log)
        assert ended_turns(some) == ended_turns(log)
        assert said_at(some) == {turn: at for turn, at in said_at(log).items() if turn > before}
        decided = list(decide_turns(log, numbers, agent="boxmaker", save=True))
        assert list(decide_turns(some, numbers, agent="boxmaker", save=True)) == decided
        finished = [turn for turn in finished_turns("k3f", log) if turn.turn > before]
        assert list(finished_turns("k3f", some)) == finished


@given(turns, st.integers(0, 9))
def test_what_is_kept_while_a_log_grows_is_what_a_fold_gives(
    said: list[tuple[User, list[Record]]], first: int
) -> None:
    log: list[Record] = [SessionStart(baseline="b"), *(r for user, rest in said for r in (user, *rest))]
    grown = SoFar(log[:first])
    for record in log[first:]:
        grown.take([record])
    assert (grown.label, grown.turns, grown.epoch) == (label_of(log), len(said), 0)


START = SessionStart(baseline="b", log="l")


@pytest.mark.parametrize(
    "later",
    [
        replace(START, epoch=1, turns=2),
        replace(START, epoch=2, turns=1),
        replace(START, epoch=1, turns=1, log="another"),
        User(text="no start"),
        None,
    ],
)
def test_epochs_that_do_not_follow_one_another_are_refused(later: Record | None) -> None:
    with pytest.raises(EpochError, match=re.escape("where the one before, of 1 turns, ended")):
        joined([[START, User(text="hi")], [] if later is None else [later]])
    assert joined([]) == ()
