from __future__ import annotations

import pytest

from bxcore.records import Assistant, SessionStart, User
from bxcore.session_title import MOST, title_of

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8J9k0" * 2


def test_it_is_the_first_message_and_no_other() -> None:
    said = Assistant(content="hello")
    assert title_of((SessionStart(baseline=""), User(text="hi"), said, User(text="more"))) == "hi"
    assert title_of((SessionStart(baseline=""), said)) == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n  plan\n\n the\t trip \n", "plan the trip"),
        (f"use {TOKEN} for it", "use [secret-github] for it"),
        ("x" * MOST, "x" * MOST),
        ("x" * (MOST + 1), "x" * (MOST - 1) + "…"),
        ("a\x1b[31mred", "a [31mred"),
    ],
)
def test_it_is_one_harmless_line_of_sixty_characters(text: str, title: str) -> None:
    assert title_of((User(text=text),)) == title


def test_a_secret_at_the_cut_is_not_half_shown() -> None:
    title = title_of((User(text="y" * 50 + " " + TOKEN),))
    assert "ghp_" not in title
    assert len(title) == MOST
