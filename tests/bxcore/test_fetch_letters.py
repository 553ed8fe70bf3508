# ruff: noqa: RUF001 - letters that look like others are what this is about

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.fetch_letters import plain_label


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("bücher", "xn--bcher-kva"),
        ("BÜCHER", "xn--bcher-kva"),
        ("straße-7", "xn--strae-7-3va"),
        ("почта", "xn--80a1acny"),
        ("δοκιμή", "xn--jxalpdlp"),
        ("日本語テスト", "xn--zckzah9945czlbtz6h"),
    ],
)
def test_a_plain_word_gets_its_xn_form(label: str, plain: str) -> None:
    assert plain_label(label) == plain


@pytest.mark.parametrize(
    "label",
    [
        "раураӏ",  # Cyrillic alone, each letter like a Latin one
        "gооgle",
        "bücherа",
        "ελenα",
        "ｂücher",
        "x̸",
        "ıo",
        "日本go",
        "٣ä",
        "ä" * 64,
        "-ä",
        "ä.b",
        "♥",
        "",
    ],
)
def test_a_disguise_has_none(label: str) -> None:
    assert plain_label(label) is None


@given(st.text(max_size=70))
def test_any_text_has_an_ascii_form_or_none(label: str) -> None:
    plain = plain_label(label)
    assert plain is None or (plain.isascii() and plain == plain.lower())
