from __future__ import annotations

import pytest

from bxcore.control.approvals import approval_json
from bxctl.approval_text import card, commands, heading, left
from tests.doubles.control_box import APPROVAL


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"),
        (0.4, "0 s"),
        (59.9, "60 s"),
        (119, "119 s"),
        (120, "2 min"),
        (599.9, "10 min"),
        (598, "9 min"),
    ],
)
def test_how_long_there_is(seconds: float, words: str) -> None:
    assert left(seconds) == words


def test_a_card_has_the_call_the_why_and_the_session() -> None:
    assert card(approval_json(APPROVAL)).splitlines() == [
        "k7 waits for your approval, 10 min left",
        '  | shell {"command":"ls /srv"}',
        "  why: the grant shell-look asks each time",
        "  session main, private; grant shell-look",
    ]


def test_each_line_of_a_call_is_marked_as_its_own() -> None:
    shown = "a\n  why: nothing\r\x0bk7 was denied\u2028x"
    lines = card({**approval_json(APPROVAL), "shown": shown}).splitlines()
    assert [line for line in lines if not line.startswith("  | ")] == [
        "k7 waits for your approval, 10 min left",
        "  why: the grant shell-look asks each time",
        "  session main, private; grant shell-look",
    ]
    assert card({**approval_json(APPROVAL), "shown": ""}).splitlines()[1] == "  | "


def test_the_commands_are_written_as_they_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BX_TYPED", raising=False)
    assert commands("k7") == "bxctl approve k7, or bxctl deny k7"
    monkeypatch.setenv("BX_TYPED", "./bx")
    assert commands("k7") == "./bx approve k7, or ./bx deny k7"
    assert heading(approval_json(APPROVAL)) == "k7 waits for your approval, 10 min left"
