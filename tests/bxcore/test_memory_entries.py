from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import memory_entries
from bxcore.memory_entries import LIMITS, Edited, NotEdited

entry = st.text(st.characters(exclude_characters="§", exclude_categories=["Cs"]), min_size=1).filter(
    str.strip
)
entries = st.lists(entry.map(str.strip), unique=True).map(tuple)


@given(entries)
def test_what_is_rendered_is_parsed_again(found: tuple[str, ...]) -> None:
    assert memory_entries.parse(memory_entries.render(found)) == found


def test_a_line_that_holds_more_than_the_sign_is_no_separator() -> None:
    assert memory_entries.parse("see § 4\n§ \n\n  two\nlines \n§\n§\n") == ("see § 4", "two\nlines")


def test_an_entry_is_added_at_the_end() -> None:
    found = memory_entries.add("notes", ("a",), " b\n")
    assert found == Edited(entries=("a", "b"), added=("b",))


def test_an_entry_that_is_there_already_is_refused() -> None:
    found = memory_entries.add("notes", ("a", "b"), "a")
    assert isinstance(found, NotEdited)
    assert found.sentence == "notes.md has this entry already; nothing was changed"
    assert memory_entries.replace("notes", ("a", "b"), "b", "a") == found


@pytest.mark.parametrize(("file", "limit"), [("memory", 2200), ("user", 1400), ("notes", 20_000)])
def test_a_file_takes_its_limit_and_not_a_character_more(file: str, limit: int) -> None:
    assert LIMITS[file] == limit
    held = ("x" * 100,)
    room = limit - len(memory_entries.render(held)) - len("\n§\n")
    fitting = memory_entries.add(file, held, "é" * room)
    assert isinstance(fitting, Edited)
    assert len(memory_entries.render(fitting.entries)) == limit
    over = memory_entries.add(file, held, "é" * (room + 1))
    assert isinstance(over, NotEdited)
    assert over.sentence == (
        f"{file}.md is too full: it holds 101 of {limit} characters, and this edit would make it "
        f"{limit + 1}; shorten the text, or replace or remove an entry first"
    )


def test_a_file_that_is_over_its_limit_by_hand_may_still_shrink() -> None:
    held = ("x" * 1500, "y" * 100)
    assert isinstance(memory_entries.replace("user", held, "yy", "y"), Edited)
    assert isinstance(memory_entries.replace("user", held, "yy", "z" * 100), NotEdited)


def test_an_entry_is_replaced_in_its_place() -> None:
    found = memory_entries.replace("memory", ("one fish", "two fish", "red"), "two", "blue fish")
    assert found == Edited(
        entries=("one fish", "blue fish", "red"), removed=("two fish",), added=("blue fish",)
    )


def test_an_entry_is_removed() -> None:
    assert memory_entries.remove("memory", ("a", "b"), "a") == Edited(entries=("b",), removed=("a",))


def test_a_piece_of_two_entries_is_refused_with_their_first_words() -> None:
    found = memory_entries.remove("notes", ("one fish", "two fish", "red"), "fish")
    assert isinstance(found, NotEdited)
    assert found.sentence == (
        "2 entries of notes.md hold that text; write a piece that stands in exactly one; "
        'the matches begin with: "one fish"; "two fish"'
    )
    assert found.told == ("one fish", "two fish")


def test_an_entry_that_a_person_wrote_twice_is_one_that_can_be_removed() -> None:
    assert memory_entries.remove("notes", ("a", "b", "a"), "a") == Edited(entries=("b",), removed=("a",))


def test_a_piece_of_no_entry_is_refused_with_what_there_is() -> None:
    found = memory_entries.replace("notes", tuple(f"entry {n}" for n in range(7)), "fish", "x")
    assert isinstance(found, NotEdited)
    assert found.sentence.startswith("no entry of notes.md holds that text; ")
    assert found.sentence.endswith('"entry 4" and 2 more')
    assert found.told == tuple(f"entry {n}" for n in range(5))
    all_shown = memory_entries.remove("notes", tuple(f"entry {n}" for n in range(5)), "fish")
    assert isinstance(all_shown, NotEdited)
    assert all_shown.sentence.endswith('"entry 4"')


def test_an_edit_of_an_empty_file_says_so() -> None:
    found = memory_entries.remove("user", (), "x")
    assert found == NotEdited(sentence="user.md has no entries; add one instead")


def test_first_words_are_few_and_short() -> None:
    assert memory_entries.first_words("a b c") == "a b c"
    assert memory_entries.first_words("a b\nc d e f g h") == "a b c d e f g h"
    assert memory_entries.first_words("a b\nc d e f g h i") == "a b c d e f g h…"
    assert memory_entries.first_words("x" * 60) == "x" * 60
    assert memory_entries.first_words("x" * 100) == "x" * 60 + "…"
