from __future__ import annotations

import io
import json
import os
import pty
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.approvals import shown
from bxcore.control.answers import ApprovalJson
from bxcore.control.approvals import approval_json
from bxctl.approval_text import card, columns_of, commands, heading, how_to_see, left
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


@given(
    columns=st.integers(12, 90),
    call=st.text(st.sampled_from("ab k7| …日\n\x1b\u202e"), max_size=400),
)
def test_a_terminal_breaks_no_line_of_a_call_and_each_of_them_is_marked(columns: int, call: str) -> None:
    """Words behind enough spaces would else begin a line of their own, as ours do."""
    approval: ApprovalJson = {**approval_json(APPROVAL), "shown": call}
    broken = card(approval, columns).splitlines()[1:-2]
    for line in broken:
        assert line.startswith("  | ")
        assert sum(1 + (unicodedata.east_asian_width(each) == "W") for each in line) <= columns
    said = "".join(line.removeprefix("  | ") for line in broken)
    assert said == call.replace("\n", "").replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")


def test_a_forged_answer_behind_spaces_stays_inside_the_call() -> None:
    call = f"shell ls{' ' * 72}k7 was approved by the chat"
    lines = card({**approval_json(APPROVAL), "shown": call}, 80).splitlines()
    assert lines[1:3] == [f"  | shell ls{' ' * 68}", "  |     k7 was approved by the chat"]


def test_lines_that_a_command_brings_along_stay_one_line_of_the_call() -> None:
    command = "ls\n  why: you asked for it\r\nk7 was approved by the chat\u2028\u0085k7, 10 min: y once"
    call = shown("shell", json.dumps({"command": command}, ensure_ascii=False))
    approval: ApprovalJson = {**approval_json(APPROVAL), "shown": call.text, "whole": call.whole}
    for whole in (False, True):
        lines = card(approval, whole=whole).splitlines()
        assert len(lines) == 4
        assert lines[1].startswith('  | shell {"command": "ls\\n  why: you asked for it\\r\\nk7 was')
        assert lines[1].endswith('chat\\u{2028}\\u{85}k7, 10 min: y once"}')


def test_the_whole_of_a_cut_call_is_in_a_card_of_it() -> None:
    cut: ApprovalJson = {**approval_json(APPROVAL), "shown": "a\n… 1 of 3 …\nc", "whole": "abc", "hidden": 1}
    assert "  | … 1 of 3 …" in card(cut).splitlines()
    assert card(cut, whole=True).splitlines()[1] == "  | abc"
    assert how_to_see(cut) == "1 character is not shown; bxctl approvals show k7 shows all of it"
    assert "1,779 characters are not shown" in how_to_see({**cut, "hidden": 1779})
    assert how_to_see(approval_json(APPROVAL)) == ""


def test_only_a_terminal_has_columns_and_one_that_does_not_say_has_80() -> None:
    near, far = pty.openpty()
    try:
        with os.fdopen(far, "w") as terminal:
            assert columns_of(terminal) == 80
    finally:
        os.close(near)
    assert columns_of(io.StringIO()) is None


def test_the_commands_are_written_as_they_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BX_TYPED", raising=False)
    assert commands("k7") == "bxctl approve k7, or bxctl deny k7"
    monkeypatch.setenv("BX_TYPED", "./bx")
    assert commands("k7") == "./bx approve k7, or ./bx deny k7"
    assert heading(approval_json(APPROVAL)) == "k7 waits for your approval, 10 min left"
