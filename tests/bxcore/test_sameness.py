"""What looks the same is the same, however it was written down."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bxcore.forgetting import Needle
from bxcore.sameness import FEW, LAST_MARK, ascii_of, fold
from bxcore.sanitize.characters import INVISIBLE, one_of

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
EVERY = [*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1)]
hidden = st.sampled_from("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f\u034f\U000e0061")
near = st.text(
    st.sampled_from("aeiIk \u00e9\u0301\u0323\u0307\u0345\u1ecd\u0130\ufb01\uff21\ud55c\u1112\u1161\u09cb"),
    max_size=8,
)
texts = near | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def written_otherwise(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and the same in another normal form with characters in it that nobody sees."""
    text = draw(texts)
    other = unicodedata.normalize(draw(st.sampled_from(FORMS)), text)
    for place in draw(st.lists(st.integers(0, len(other)), max_size=3)):
        other = other[:place] + draw(hidden) + other[place:]
    return text, other


@given(written_otherwise(), st.booleans(), st.booleans())
def test_a_text_is_found_in_any_form_and_with_unseen_characters_in_it(
    written: tuple[str, str], swapped: object, ascii_only: object
) -> None:
    text, other = reversed(written) if swapped else written
    needle = Needle(text)
    assume(needle.folded)
    assert needle.stands_in(other)
    assert needle.stands_in(f"x {other} x")
    assert needle.is_in(f"x {other} x".encode())
    assert needle.may_be_in(json.dumps(other, ensure_ascii=bool(ascii_only)).encode())


@given(texts)
def test_folding_twice_is_folding_once_and_what_is_hidden_is_gone(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert one_of(INVISIBLE).search(fold(text)) is None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Jos\u00e9 caf\u00e9", "Jose\u0301 cafe\u0301"),
        ("marmalade", "mar\u00adma\u200blade"),
        ("istanbul", "\u0130stanbul"),
        ("istanbul", "i\u0307stanbul"),
        ("istanbul", "\u0130\u0307stanbul"),
        ("file", "\ufb01le"),
        ("box", "\uff42\uff4f\uff58"),
        ("box", "\U0001d41bo\U0001d431"),
        ("stra\u00dfe", "STRASSE"),
        ("\u1fb3", "\u0391\u0345"),
        ("\ud55c\uad6d", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("\u1ed9", "o\u0302\u0323"),
    ],
)
def test_these_are_the_same(text: str, other: str) -> None:
    for one, another in ((text, other), (other, text)):
        assert Needle(one).stands_in(f"in {another}.")
        for ascii_only in (True, False):
            data = json.dumps({"a": another}, ensure_ascii=ascii_only).encode()
            assert Needle(one).is_in(data)
            assert Needle(one).is_in(json.dumps({"a": data.decode()}).encode())


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("cafe", "caf\u00e9"),
        ("cafe", "cafe\u0301s"),
        ("\u1ea1", "\u1ead"),
        ("\ud558", "\ud55c"),
        ("a b", "a\u200bb"),
        ("bluetin", "blue\u2028tin"),
    ],
)
def test_these_are_not(text: str, other: str) -> None:
    assert not Needle(text).stands_in(other)
    assert not Needle(text).stands_in(unicodedata.normalize("NFD", other))


def test_a_letter_within_another_hides_no_later_match() -> None:
    assert Needle("cafe").stands_in("caf\u00e9, cafe")
    assert Needle("x").stands_in("x\u65e5")


def test_the_letters_of_ascii_in_every_character_are_known() -> None:
    spelt = [code for code in EVERY if any(map(str.isascii, unicodedata.normalize("NFKD", chr(code))))]
    folded = [code for code in EVERY if any(map(str.isascii, chr(code).casefold()))]
    for code in {*spelt, *folded, *EVERY[::97]}:
        letters = fold(f"x{chr(code)}x").encode("ascii", "ignore").replace(b" ", b"")
        escaped = json.dumps(f"x{chr(code)}x").encode()[1:-1].lower()
        for data in (f"x{chr(code)}x".encode().lower(), escaped):
            assert letters in ascii_of(data).replace(b" ", b""), hex(code)


def test_no_mark_that_changes_places_lies_behind_the_last() -> None:
    assert not any(unicodedata.combining(chr(code)) for code in range(LAST_MARK, sys.maxunicode + 1))
    assert unicodedata.combining(chr(0x300))
    assert not any(unicodedata.combining(chr(code)) for code in range(0x300))


def test_a_long_run_of_marks_takes_no_square_of_its_time() -> None:
    assert len(fold("a" + "\u0301\u0323" * 200_000)) == 400_001


@given(
    st.sets(st.sampled_from([chr(code) for code in range(0xC0, 0x250)]), min_size=FEW - 4, max_size=FEW + 40)
)
def test_many_kinds_of_characters_are_folded_as_few_are(kinds: set[str]) -> None:
    text = " ".join(kinds)
    assert fold(text) == " ".join(map(fold, kinds))
