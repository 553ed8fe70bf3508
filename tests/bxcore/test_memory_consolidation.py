"""A proposal: whatever the model writes, no entry is lost, none is used twice, and the file gets shorter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import memory_consolidation as rules
from bxcore import memory_entries
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_consolidation import NoProposal, Shorter
from bxcore.memory_entries import Edited, NotEdited

ENTRIES = ("Anna's key is in the blue tin", "the bins go out on Tuesday", "the key of Anna was moved in May")
ALL = (1, 2, 3)
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
TOKEN = "ghp_" + "a1B2" * 9
ANSWER = "1, 3: Anna's key: blue tin since May\n2: bins: Tuesday"


def found(answer: str, entries: tuple[str, ...] = ENTRIES) -> tuple[Shorter, ...]:
    proposal = rules.proposal("user", entries, [(ALL[: len(entries)], answer)])
    assert not isinstance(proposal, NoProposal)
    return proposal


def test_an_answer_names_what_each_line_stands_for() -> None:
    assert found(ANSWER) == (
        Shorter("Anna's key: blue tin since May", (ENTRIES[0], ENTRIES[2])),
        Shorter("bins: Tuesday", (ENTRIES[1],)),
    )


@pytest.mark.parametrize(
    "line", ["1,3: key", "- 1 and 3: key", "[1, 3] key", "1, 3) key", "  1 & 3 - key", "1,3. key"]
)
def test_the_ways_in_which_models_write_such_a_line_are_read(line: str) -> None:
    assert found(line) == (Shorter("key", (ENTRIES[0], ENTRIES[2])),)


@pytest.mark.parametrize(
    "line",
    [
        "no number here",
        "9: of no entry",
        "1, 9: key",
        "9, 1: key",
        "0, 1: key",
        "1: " + ENTRIES[1],
        "2: a text that is longer than the entry that it stands for",
        f"1: {TOKEN}",
        "1: a <|im_start|> tag",
        "1:",
        "",
    ],
)
def test_a_line_that_cannot_stand_is_left_out_and_its_entries_stay(line: str) -> None:
    assert found(f"{line}\n2: bins: Tuesday") == (Shorter("bins: Tuesday", (ENTRIES[1],)),)


def test_nothing_shorter_is_a_sentence() -> None:
    nothing = rules.proposal("user", ENTRIES, [(ALL, "I cannot do that.")])
    assert isinstance(nothing, NoProposal)
    assert nothing.sentence.startswith("the model proposed nothing shorter for user.md")


entries = st.lists(
    st.text("abcdef gh", min_size=8, max_size=20).map(str.strip), min_size=1, max_size=6, unique=True
)
lines = st.lists(
    st.tuples(st.lists(st.integers(0, 8), min_size=1, max_size=4), st.text("xyz ", min_size=1, max_size=15)),
    max_size=6,
)


@given(entries.map(tuple), st.lists(lines, min_size=1, max_size=2), st.lists(st.booleans(), min_size=6))
def test_no_answer_loses_an_entry_or_makes_the_file_longer(
    file: tuple[str, ...], answers: list[list[tuple[list[int], str]]], parted: list[bool]
) -> None:
    texts = ["\n".join(f"{', '.join(map(str, each))}: {line}" for each, line in answer) for answer in answers]
    labels = [UNTRUSTED if other else NEW_SESSION for other in parted[: len(file)]]
    asked = list(zip(rules.portions(file, labels), texts, strict=False))
    proposal = rules.proposal("user", file, asked)
    if isinstance(proposal, NoProposal):
        return
    for each in proposal:
        assert len({labels[file.index(source)] for source in each.sources}) == 1
    used = [source for each in proposal for source in each.sources]
    assert len(used) == len(set(used))
    assert set(used) <= set(file)
    left = file
    for each in proposal:
        edited = rules.accept("user", left, each)
        assert isinstance(edited, Edited)
        left = edited.entries
    assert set(left) == set(file) - set(used) | {each.text for each in proposal}
    assert memory_entries.size(left) == rules.size_after(file, proposal)
    assert memory_entries.size(left) < memory_entries.size(file)


def test_an_accepted_entry_stands_where_the_first_of_its_own_stood() -> None:
    edited = rules.accept("user", ENTRIES, Shorter("key", (ENTRIES[0], ENTRIES[2])))
    assert edited == Edited(entries=("key", ENTRIES[1]), removed=(ENTRIES[0], ENTRIES[2]), added=("key",))


def test_a_file_that_changed_since_voids_what_was_proposed() -> None:
    changed = rules.accept("user", ENTRIES[1:], Shorter("key", (ENTRIES[0],)))
    assert isinstance(changed, NotEdited)
    assert "has changed since" in changed.sentence


def test_a_file_is_worth_it_when_it_is_over_four_fifths_full() -> None:
    assert rules.too_empty("user", ("x" * 1200,)) is None
    said = rules.too_empty("user", ("x" * 1119,))
    assert said is not None
    assert said.startswith("user.md holds 1120 of 1400 characters")
    assert "80% full" in said


def test_the_question_is_a_numbered_line_each() -> None:
    assert rules.question(("a\nb", "c", "d"), (1, 3)) == "1: a b\n3: d"


def test_an_answer_changes_no_entry_that_the_model_was_not_shown_with_it() -> None:
    stranger = [((1, 3), "nothing"), ((2,), "1: let strangers in\n2, 3: bins\n2: Tuesday")]
    assert rules.proposal("user", ENTRIES, stranger) == (Shorter("Tuesday", (ENTRIES[1],)),)


def test_entries_of_different_labels_are_not_shown_together() -> None:
    labels = (NEW_SESSION, UNTRUSTED, NEW_SESSION, UNTRUSTED, Label(Level.SECRET, untrusted=False))
    assert rules.portions(("a", "b", "c", "d", "e"), labels) == ((1, 3), (2, 4), (5,))


def test_an_entry_with_a_secret_is_shown_to_no_model() -> None:
    assert rules.portions(("a", f"the token is {TOKEN}", "c"), (NEW_SESSION,) * 3) == ((1, 3),)


@given(st.lists(st.tuples(st.integers(1, 9000), st.sampled_from([NEW_SESSION, UNTRUSTED])), max_size=12))
def test_every_entry_is_in_one_portion_of_its_label_and_none_is_too_long(
    sizes: list[tuple[int, Label]],
) -> None:
    file, labels = ["x" * size for size, _ in sizes], [label for _, label in sizes]
    parts = rules.portions(file, labels)
    assert sorted(number for portion in parts for number in portion) == list(range(1, len(file) + 1))
    for portion in parts:
        assert len({labels[number - 1] for number in portion}) == 1
        assert len(portion) == 1 or sum(sizes[number - 1][0] for number in portion) <= rules.MOST_AT_ONCE


def test_one_of_two_entries_may_stand_for_both() -> None:
    file = ("the key is in the blue tin", "blue tin: the key")
    (kept,) = found(f"1, 2: {file[0]}", file)
    assert kept == Shorter(file[0], file)
    assert rules.accept("user", file, kept) == Edited(entries=(file[0],), removed=file, added=(file[0],))
    assert isinstance(rules.proposal("user", file, [((1, 2), f"1: {file[1]}")]), NoProposal)


@pytest.mark.parametrize(("answer", "whole"), [("1: a\n2: b\n3: cu", "1: a\n2: b"), ("1: cu", "")])
def test_the_line_in_which_an_answer_was_cut_does_not_count(answer: str, whole: str) -> None:
    assert rules.whole_lines(answer) == whole
