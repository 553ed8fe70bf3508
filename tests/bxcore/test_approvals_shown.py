"""What a person is shown of a call: exact, on one line, nothing hidden, nothing secret."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.approvals import Shown, shown
from bxcore.approvals.shown import HEAD, TAIL, visible

ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


def test_ordinary_text_of_any_script_is_shown_as_it_is() -> None:
    for text in ("ls -la /home/me", "größe", "日本語", "नमस्ते".replace("\u200d", ""), "привет", "🎉"):
        assert visible(text) == text


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u200b", "200b"),
        ("\u202e", "202e"),
        ("\u2066", "2066"),
        ("\ufeff", "feff"),
        ("\u00ad", "ad"),
        ("\u034f", "34f"),
        ("\u3164", "3164"),
        ("\u2800", "2800"),
        ("\u00a0", "a0"),
        ("\u3000", "3000"),
        ("\u2028", "2028"),
        ("\ue000", "e000"),
        ("\U000e0041", "e0041"),
        ("\ufe0f", "fe0f"),
        ("\ud800", "d800"),
        ("\uffff", "ffff"),
        ("\x1b", "1b"),
        ("\x7f", "7f"),
        ("\x9b", "9b"),
        ("\n", "a"),
        ("\r", "d"),
        ("\t", "9"),
    ],
)
def test_what_cannot_be_seen_is_written_out(character: str, name: str) -> None:
    assert visible(f"a{character}b") == f"a\\u{{{name}}}b"


@given(text=st.text(alphabet=st.characters(codec=None), max_size=60))
def test_nothing_hidden_is_left_and_the_text_can_be_read_back(text: str) -> None:
    said = visible(text)
    for character in said:
        assert character == " " or unicodedata.category(character)[0] not in "CZ"
    if "\\u{" not in text:
        assert ESCAPED.sub(lambda found: chr(int(found[1], 16)), said) == text


def test_an_argument_cannot_write_an_escape_that_it_does_not_hold() -> None:
    """A backslash is doubled in canonical JSON, so a written ``\\u{…}`` is told from a real one."""
    written = shown("shell", json.dumps({"command": "\\u{200b}"}, ensure_ascii=False))
    real = shown("shell", json.dumps({"command": "\u200b"}, ensure_ascii=False))
    assert written.text == 'shell {"command": "\\\\u{200b}"}'
    assert real.text == 'shell {"command": "\\u{200b}"}'


def test_a_secret_is_redacted() -> None:
    token = "ghp_" + "a1B2" * 9
    assert shown("shell", f'{{"command":"curl {token}"}}').text == 'shell {"command":"curl [secret-github]"}'


def test_a_call_at_the_limit_is_shown_whole_and_one_over_it_is_cut_with_its_length() -> None:
    whole = "x" * (HEAD + TAIL - len("shell "))
    assert shown("shell", whole) == Shown(text=f"shell {whole}", whole=f"shell {whole}", hidden=0)
    head, cut, tail = shown("shell", f"{whole}y").text.split("\n")
    assert (len(head), len(tail)) == (HEAD, TAIL)
    assert cut == f"… 1 of {HEAD + TAIL + 1} characters are not shown here …"
    assert tail.endswith("xy")


def test_the_head_and_the_tail_of_a_long_call_are_seen() -> None:
    said = shown(
        "write_file", json.dumps({"content": "c" * 100_000, "path": "/home/me/.ssh/authorized_keys"})
    ).text
    assert said.startswith('write_file {"content": "ccc')
    assert said.endswith('"path": "/home/me/.ssh/authorized_keys"}')
    assert "of 100" in said
    assert len(said) < 2000


def test_no_argument_can_write_the_line_of_the_cut() -> None:
    fake = "\n… 1 of 9 characters are not shown here …\n"
    said = shown("shell", json.dumps({"command": fake}, ensure_ascii=False))
    assert "\n" not in said.text
    assert "\n" not in visible(fake)


@pytest.mark.parametrize("size", [10, HEAD + TAIL, 5_000, 60_000])
def test_the_whole_of_a_call_is_there_whatever_its_length(size: int) -> None:
    middle = "; rm -rf /home \u202e\n"
    command = f"{'a' * (size // 2)}{middle}{'b' * (size // 2)}"
    call = shown("shell", json.dumps({"command": command}, ensure_ascii=False))
    assert "a; rm -rf /home \\u{202e}\\nb" in call.whole
    assert "\n" not in call.whole
    cut = re.search(r"\n… (\d+) of (\d+) characters are not shown here …\n", call.text)
    assert call.hidden == (0 if cut is None else int(cut[1]))
    assert (call.hidden == 0) == (call.text == call.whole)
    length = len(ESCAPED.sub("x", call.whole))
    assert call.hidden == max(0, length - HEAD - TAIL)


def test_a_secret_is_redacted_from_the_hidden_part_too() -> None:
    token = "ghp_" + "a1B2" * 9
    call = shown("shell", f'{{"command":"{"x " * HEAD}curl {token} {"y " * TAIL}"}}')
    assert call.hidden
    assert token not in call.whole
    assert "curl [secret-github] y" in call.whole
