"""What a typed line of a chat is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxctl.talking.slash import ORDERS, Mistyped, Order, Said, help_text, read


@pytest.mark.parametrize("line", ["", "   ", "\n"])
def test_nothing_says_nothing(line: str) -> None:
    assert read(line) is None


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("/help", Order(name="help")),
        ("/?", Order(name="help")),
        (" /stop ", Order(name="stop")),
        ("/stop all", Order(name="stop", rest="all")),
        ("/new  k3f ", Order(name="new", rest="k3f")),
        ("/memory the blue  tin", Order(name="memory", rest="the blue  tin")),
        ("/exit", Order(name="quit")),
        ("/q", Order(name="quit")),
    ],
)
def test_an_order_is_its_name_and_the_rest(line: str, order: Order) -> None:
    assert read(line) == order


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("hello /help", "hello /help"),
        ("//help", "/help"),
        ("//etc/passwd", "/etc/passwd"),
        ("/etc is a folder", "/etc is a folder"),
        ("/srv/notes", "/srv/notes"),
        ("/Help", "/Help"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_a_text_is_said_and_two_slashes_stand_for_one(line: str, text: str) -> None:
    assert read(line) == Said(text=text)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/hlep", "did you mean /help? //hlep says it as text"),
        ("/seshions list", "did you mean /sessions? //seshions says it as text"),
        ("/xyzzy", "/help lists what there is; //xyzzy says it as text"),
        ("/", "/help lists what there is; // says it as text"),
    ],
)
def test_a_mistyped_order_is_not_sent_and_its_neighbour_named(line: str, hint: str) -> None:
    typed = read(line)
    assert isinstance(typed, Mistyped)
    assert "it was not sent" in typed.sentence
    assert typed.sentence.endswith(hint)


@given(st.text().map(str.strip).filter(bool))
def test_any_text_can_be_said(text: str) -> None:
    line = f"/{text}" if text.startswith("/") else text
    assert read(line) == Said(text=text)


def test_help_has_every_order() -> None:
    lines = help_text().splitlines()
    assert [line.split()[0] for line in lines[: len(ORDERS)]] == [f"/{name}" for name in ORDERS]
