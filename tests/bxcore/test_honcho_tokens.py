from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.honcho_tokens import BadToken, read

NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=20)
JWTS = st.text(string.ascii_letters + string.digits + "_-.", min_size=1, max_size=60)


@pytest.mark.parametrize(
    "text", ["eyJh.eyJ0.sig_-", " eyJh.eyJ0.sig_-\n", "cGFkZGVk==", "cGFkZGVk=", "a,b", "", " "]
)
def test_one_token_is_for_every_workspace(text: str) -> None:
    assert read(text).of("box1") == read(text).of("box2") == text.strip()


@pytest.mark.parametrize(
    "text", ["box1=aa.b,box1-untrusted=cc.d,ee.f", "ee.f\nbox1=aa.b\n\nbox1-untrusted=cc.d\n"]
)
def test_a_workspace_has_its_own_and_every_other_the_bare_one(text: str) -> None:
    tokens = read(text)
    assert [tokens.of(name) for name in ("box1", "box1-untrusted", "fleet", "BOX1")] == [
        "aa.b",
        "cc.d",
        "ee.f",
        "ee.f",
    ]


def test_a_token_is_never_sent_for_a_workspace_that_it_is_not_for() -> None:
    assert read("box1=aa.b").of("fleet") == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a b", "no header can carry"),
        ("t\u00f6k\u00e9n", "no header can carry"),
        ("a\nb", "no header can carry"),
        ("box1=s3 cret", "no header can carry"),
        ("box1=aa,box1=s3cret", "two entries for the workspace box1"),
        ("box1=aa,s3cret,other", "several entries without a workspace"),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_and_not_shown(text: str, sentence: str) -> None:
    with pytest.raises(BadToken, match=sentence) as caught:
        read(text)
    assert "s3" not in str(caught.value)


def test_no_token_is_shown() -> None:
    assert "s3cret" not in repr(read("box1=s3cret,s3cret"))


@given(st.dictionaries(NAMES, JWTS, min_size=1), JWTS, st.sampled_from([",", "\n", " ,\n"]))
def test_every_workspace_gets_what_was_written_for_it(own: dict[str, str], others: str, between: str) -> None:
    tokens = read(between.join([*(f"{name}={token}" for name, token in own.items()), others]))
    assert {name: tokens.of(name) for name in own} == own
    assert tokens.of("x" * 21) == others


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tokens = read(text)
    except BadToken:
        return
    assert all(token.isascii() and token.isprintable() for token in [tokens.others, *tokens.own.values()])
