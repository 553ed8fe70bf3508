"""Texts at the width of a terminal, whatever their letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxctl import columns
from bxctl.columns import broken, width, wrapped
from bxctl.printing import visible

LETTERS = st.text(st.sampled_from("a b-é漢\t\n\x1b\u202e"), max_size=300)


@given(LETTERS, st.integers(40, 100))
def test_no_line_is_wider_than_the_terminal_and_no_letter_is_lost(text: str, wide: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(wide))
        shown = wrapped(text, first="abcdef  ")
    assert shown.startswith("abcdef")
    assert max(map(width, shown.split("\n"))) <= wide
    assert visible(shown) == shown
    assert "".join(shown.removeprefix("abcdef").split()) == "".join(visible(text).split())


@given(LETTERS, st.integers(2, 9))
def test_the_pieces_of_a_line_are_the_line(text: str, most: int) -> None:
    pieces = list(broken(text, most))
    assert "".join(pieces) == text
    assert all(width(piece) <= most for piece in pieces)


def test_lines_are_broken_between_words_and_indented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = f"{'word ' * 9}end\n  two\n\nlast"
    assert wrapped(text, first="id  ").split("\n") == [
        "id  word word word word word word word",
        "    word word end",
        "      two",
        "",
        "    last",
    ]


@pytest.mark.parametrize(("set_to", "taken"), [("10", 40), ("72", 72), ("400", 100)])
def test_a_terminal_has_from_40_to_100_columns(
    set_to: str, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", set_to)
    assert columns.columns() == taken


def test_a_wide_letter_takes_two_columns() -> None:
    assert (width("abc"), width("漢字a")) == (3, 5)
