"""A glance is never wrong about "no secret", and it is enough for what people write (spec 1.7)."""

# ruff: noqa: RUF001  # signs that are typed by programs are a subject

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore.sanitize import redact
from bxcore.sanitize.glance import surely_without
from bxcore.sanitize.secrets import looked_through
from bxcore.sanitize.tokens import FAMILIES
from tests.bxcore.test_sanitize_disguises import DISGUISES, TOKENS

PROSE = [
    "the spare key is in the blue tin, on the top shelf behind the tea",
    "Where did we put the ladder? I think it is in the barn, isn't it?",
    "On 3 October 2026 we met Dr Hall; he said it'd cost 1,250 in all (half of it in advance).",
    'a well-known "old" thing,\nwith a second line\n\n- and a list\n- of two',
    "an internationalisation of counterproductive misunderstandings characterises institutions",
    "Über den Wolken muss die Freiheit wohl grenzenlos sein",
    "she said “no” — and that’s that…",
]
WORDS = st.sampled_from([word for text in PROSE for word in text.split(" ")])
ENCODINGS: list[Callable[[bytes], str]] = [
    lambda data: base64.b64encode(data).decode(),
    lambda data: base64.urlsafe_b64encode(data).decode(),
    lambda data: base64.b64encode(data).decode().rstrip("="),
    lambda data: base64.b32encode(data).decode().rstrip("="),
    lambda data: base64.b32encode(data).decode().lower().rstrip("="),
    bytes.hex,
    lambda data: data.hex(" "),
    lambda data: data.decode("latin-1"),
]
JOINTS = st.sampled_from([" ", "", "\n", ", ", "-", "_", "\t", '" "', "'", "\n> ", ". ", "x"])


@pytest.mark.parametrize("text", PROSE)
def test_plain_words_need_no_second_look(text: str) -> None:
    assert surely_without(text)
    assert redact(text) == text


@pytest.mark.parametrize("rule", TOKENS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_each_disguise_is_looked_at_again(rule: str, disguise: str) -> None:
    shown = DISGUISES[disguise](TOKENS[rule])
    for text in ("{}", "see {} there", "akin to {} as it were", "the\nkey: {}\nbehind a tin"):
        assert not surely_without(text.format(shown))


@pytest.mark.parametrize("anchor", [anchor for family in FAMILIES.values() for anchor in family.anchors])
def test_what_a_token_begins_with_is_seen_both_ways_and_with_spaces(anchor: str) -> None:
    for shown in (anchor, anchor[::-1], " ".join(anchor), "\n".join(anchor), '" . "'.join(anchor)):
        assert not surely_without(f"it is {shown} here")


def test_signs_that_stand_for_two_letters_are_read_as_two() -> None:
    assert not surely_without("the sk_te\ufb06_A1b2C3d4E5f6G7h8 of ours")


@pytest.mark.parametrize("rule", TOKENS)
@pytest.mark.parametrize("sign", "/-|*,.")
def test_a_token_that_is_spelled_is_looked_at_again(rule: str, sign: str) -> None:
    assert not surely_without(f"it is {sign.join(TOKENS[rule])} here")


@given(
    parts=st.lists(st.one_of(WORDS, st.sampled_from(sorted(TOKENS.values()))), min_size=1, max_size=6),
    offset=st.integers(0, 9),
    encoding=st.sampled_from(ENCODINGS),
    letters=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
    around=st.lists(WORDS, max_size=6),
    joint=JOINTS,
)
@example(
    parts=[TOKENS["secret-github"]],
    offset=1,
    encoding=ENCODINGS[4],
    letters="utf-8",
    around=["behind"],
    joint="",
)
@example(
    parts=[TOKENS["secret-sk"]],
    offset=2,
    encoding=ENCODINGS[0],
    letters="utf-16-be",
    around=["akin"],
    joint="x",
)
def test_no_secret_is_missed(  # noqa: PLR0913 - each part of a text varies
    *,
    parts: list[str],
    offset: int,
    encoding: Callable[[bytes], str],
    letters: str,
    around: list[str],
    joint: str,
) -> None:
    said = encoding(b"\x01" * offset + " ".join(parts).encode(letters))
    text = joint.join([*around, said, *around])
    if surely_without(text):
        assert looked_through(text) is None


@given(st.binary(min_size=20, max_size=20).map(lambda data: bytes(32 + byte % 95 for byte in data)))
def test_any_twenty_bytes_of_text_are_seen_in_any_encoding(said: bytes) -> None:
    for before in range(5):
        for encoding in ENCODINGS[:6]:
            encoded = encoding(b"\xf0" * before + said)
            assert not surely_without(f"behind {encoded}") or len(encoded) < 27


@given(st.text(max_size=200))
def test_for_any_text_both_agree(text: str) -> None:
    if surely_without(text):
        assert looked_through(text) is None
        assert redact(text) == text


@pytest.mark.parametrize("text", ["a\rb", "a\x1b[1mb", "a\u200bb", "a\ue000b", "\ud800"])
def test_a_text_with_a_character_that_is_refused_is_looked_through(text: str) -> None:
    assert not surely_without(text)
