from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxctl.printing import age, as_json, paint, table, visible

STEERING = st.characters(categories=["Cc", "Cf"]) | st.integers(0xD800, 0xDFFF).map(chr)
TEXTS = st.lists(st.characters() | STEERING, max_size=60).map("".join)


@given(TEXTS)
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert visible(shown) == shown


def test_what_a_person_writes_is_left_as_it_is() -> None:
    assert visible("naïve\n\t日本 👩\u200d💻") == "naïve\n\t日本 👩\u200d💻"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert paint("ok", "green", Terminal()) == "\033[32mok\033[0m"
    assert paint("ok", "green", io.StringIO()) == "ok"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("ok", "green", Terminal()) == "ok"


def test_columns_line_up_and_no_line_ends_in_spaces() -> None:
    assert table([("a", "1"), ("long", "")], ("NAME", "N")) == "NAME  N\na     1\nlong"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.4, "0 s"), (59.4, "59 s"), (60, "1 min"), (7200, "2 h"), (86_400 * 3, "3 d")],
)
def test_an_age_is_said_as_people_do(seconds: float | None, text: str) -> None:
    assert age(seconds) == text


def test_json_is_one_line_and_survives_any_encoding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    as_json({"text": "é\n"})
    assert capsys.readouterr().out == '{"text": "é\\n"}\n'
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr("sys.stdout", plain)
    as_json({"text": "é"})
    assert json.loads(plain.buffer.getvalue()) == {"text": "é"}


@given(TEXTS.map(lambda text: "".join(char for char in text if not "\ud800" <= char <= "\udfff")))
def test_json_steers_no_terminal_and_says_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stream = io.StringIO()
        patch.setattr("sys.stdout", stream)
        as_json([text])
        patch.setattr("bxctl.printing._takes_unicode", lambda _: True)
        as_json([text])
    for line in stream.getvalue().rstrip("\n").split("\n"):
        assert json.loads(line) == [text]
        assert visible(line) == line
