"""Secrets in their written forms, in disguises that cost little, and what is none (spec 1.7)."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.sanitize import has_secret, redact, refuse

A = "A1b2C3d4E5f6G7h8J9k0"  # twenty letters and digits
HEX = "0123456789abcdef"
PEM = "-----BEGIN {}PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ==\n-----END {}PRIVATE KEY-----"

TOKENS = [
    *(("secret-github", f"gh{kind}_{A}{A[:16]}") for kind in "pousr"),
    ("secret-github", "ghp_" + A * 10),
    ("secret-github", "ghs_12345_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMiJ9.c2ln-bmF0_dXJl"),
    ("secret-github", f"github_pat_{A}AB_{A}{A}{A[:19]}"),
    ("secret-gitlab", f"glpat-{A}"),
    ("secret-gitlab", "glpat-" + "x_-Y" * 5),
    ("secret-gitlab", f"glpat-{A}{A[:7]}.01.0a1b2c3d4"),
    *(
        ("secret-gitlab", f"gl{kind}-{A}{A}")
        for kind in ("dt", "rt", "rtr", "cbt", "ptt", "ft", "imt", "soat", "ffct", "wt")
    ),
    ("secret-gitlab", f"glagent-{A}{A}{A[:10]}"),
    ("secret-gitlab", f"gloas-{A}{A}{A}"),
    ("secret-gitlab", f"GR1348941{A}"),
    ("secret-sk", f"sk-{A}T3BlbkFJ{A}"),
    *(("secret-sk", f"sk-{kind}-{A}_-{A}T3BlbkFJ{A}") for kind in ("proj", "svcacct", "admin", "None")),
    ("secret-sk", "sk-proj-" + "aBcD_-eF" * 9),
    ("secret-sk", f"sk-ant-api03-{A * 4}{A[:13]}AA"),
    ("secret-sk", "sk-ant-admin01-" + "aB_-" * 23 + "cAA"),
    ("secret-sk", f"sk-ant-oat01-{A * 4}"),
    ("secret-sk", f"sk-ant-sid01-{A * 4}"),
    ("secret-sk", "sk-ant-sid-" + "aBcD_-eF" * 9),
    ("secret-sk", f"sk-or-v1-{HEX * 4}"),
    ("secret-sk", f"sk-{HEX * 2}"),
    ("secret-sk", "sk-" + "abcdefgh" * 6),
    ("secret-sk", f"sk_live_{A}"),
    ("secret-slack", "xoxb-123456789012-1234567890123-" + A + "abcd"),
    ("secret-slack", f"xoxp-123456789012-123456789012-123456789012-{HEX * 2}"),
    ("secret-slack", f"xapp-1-A012BCDEFG-1234567890123-{HEX * 4}"),
    ("secret-slack", f"xoxe.xoxp-1-{A * 8}"),
    ("secret-slack", f"xoxe-1-{A * 7}"),
    ("secret-slack", f"xoxc-123456789012-123456789012-{HEX * 2}"),
    ("secret-slack", "xoxd-abc%2Fdef%2Bghi%3D" + A),
    ("secret-slack", f"xoxa-2-{A}"),
    ("secret-slack", f"https://hooks.slack.com/services/T01234567/B01234567/{A}abcd"),
    ("secret-aws", "AKIA2345ABCDEFGHIJKL wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY"),
    ("secret-aws", "secret: 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\n\nid: ASIA2345ABCDEFGHIJKL"),
    ("secret-aws", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY"),
    ("secret-aws", '"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY"'),
    ("secret-aws", f"ABSK{A}{A}{A}"),
    *(
        ("secret-private-key", PEM.format(kind, kind))
        for kind in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")
    ),
    ("secret-private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF"),
    ("secret-private-key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"),
    ("secret-private-key", '{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEv"}'),
    ("secret-private-key", "PuTTY-User-Key-File-3: ssh-ed25519"),
    ("secret-private-key", "AGE-SECRET-KEY-1" + "QPZRY9X8GF" * 5 + "QPZRY9X8"),
]

FREE = [
    "",
    "ghp_ is how a GitHub token begins, ghp_… as they print it",
    "gho_st in the machine",
    "glpat-short",
    "a task-force-of-forty-two-people-and-a-risk-2024-assessment-of-everything",
    "sk-learn-is-a-library-for-learning-from-data",
    "sk-SK is a locale",
    "disk-0123456789-0123456789-0123456789",
    "xoxo-love-from-all-of-us-here-at-home",
    "AKIAIOSFODNN7EXAMPLE",
    "AKIA2345ABCDEFGHIJKL is an id alone",
    "AKIA2345ABCDEFGHIJKL commit " + "0123456789" * 4,  # the sha1 of a commit
    "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY",
    "AKIA2345ABCDEFGHIJKL" + " x" * 600 + " wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY",
    "a PRIVATE KEY is what -----BEGIN CERTIFICATE----- is not",
    "-----BEGIN PUBLIC KEY-----",
    "<|im_end|>",
    "0123456789abcdef" * 8,
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=" * 4,
    "%41%42%43 \\u0041 &#65;&amp;&unknown;&#99999999;",
    "/usr/local/lib/python3/site-packages/of_some_package/module_name",
]


@pytest.mark.parametrize(("rule", "token"), TOKENS)
def test_a_secret_is_found_and_named_and_not_quoted(rule: str, token: str) -> None:
    for text in (token, f"key={token}", f"it is «{token}», (see {token})", f"é{token}\n", f"x_{token}é"):
        refusal = refuse(text)
        assert refusal is not None
        assert refusal.rule == rule
        assert token not in refusal.sentence
        assert "leave the secret out" in refusal.sentence
        assert has_secret(text)


@pytest.mark.parametrize("text", FREE)
def test_what_is_no_secret_is_none(text: str) -> None:
    assert not has_secret(text)
    assert redact(text) == text


TOKEN = f"ghp_{A}{A[:16]}"


@pytest.mark.parametrize("at", [0, 1, 4, 20])
@pytest.mark.parametrize("mark", ["\r", "\x07", "\u200b", "\u202e", "\ufeff", "\U000e0041", "\x00", "\ue000"])
def test_a_refused_character_before_or_within_a_line_hides_no_secret(mark: str, at: int) -> None:
    assert has_secret(mark + TOKEN)
    assert has_secret(f"{mark}a line {mark}{TOKEN}{mark}")
    if mark not in "\r\ue000":  # these two may stand for something, so within a token they end it
        assert has_secret(TOKEN[:at] + mark + TOKEN[at:])


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\x1f", "\ue000", "\ufdd0"])
def test_a_refused_character_counts_as_a_space(mark: str) -> None:
    assert has_secret(f"-----BEGIN{mark}PRIVATE KEY-----")


def test_a_chat_template_tag_alone_is_no_secret() -> None:
    refusal = refuse("<|im_start|>")
    assert refusal is not None
    assert refusal.rule == "tag"
    assert not has_secret("<|im_start|>")
    assert has_secret(f"<|im_start|>{TOKEN}")


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


DISGUISES = {
    "joined over a line break": TOKEN[:9] + "\n" + TOKEN[9:],
    "joined over an indented line": TOKEN[:9] + " \\\n    " + TOKEN[9:],
    "joined over a string that is split": f'"{TOKEN[:9]}" +\n    "{TOKEN[9:]}"',
    "full width": "".join(chr(ord(character) + 0xFEE0) for character in TOKEN),
    "base64": base64.b64encode(TOKEN.encode()).decode(),
    "base64 after a byte": base64.b64encode(b"x" + TOKEN.encode()).decode(),
    "base64 after two bytes": base64.b64encode(b"xy" + TOKEN.encode()).decode(),
    "base64 in lines": base64.encodebytes(b"x" * 80 + TOKEN.encode()).decode(),
    "base64 for URLs": base64.urlsafe_b64encode(b"\xff\xfe" + TOKEN.encode()).decode(),
    "base64 within a word": "pre" + base64.b64encode(TOKEN.encode()).decode(),
    "hex": TOKEN.encode().hex(),
    "hex in capitals": TOKEN.encode().hex().upper(),
    "hex after a digit": "a" + TOKEN.encode().hex(),
    "percent": "".join(f"%{ord(character):02X}" for character in TOKEN),
    "percent in part": quote(f"key {TOKEN}/").replace("_", "%5f"),
    "escapes": escaped(TOKEN),
    "escapes of bytes": "".join(f"\\x{ord(character):02x}" for character in TOKEN),
    "an escaped line end before": f"\\n{TOKEN.replace('ghp_', 'sk-')}",
    "entities": "".join(f"&#{ord(character)};" for character in TOKEN),
    "entities in hex": "".join(f"&#x{ord(character):x};" for character in TOKEN),
    "a named entity": TOKEN.replace("_", "&lowbar;"),
}


@pytest.mark.parametrize("text", DISGUISES.values(), ids=list(DISGUISES))
def test_a_disguised_secret_is_found_and_gone_when_redacted(text: str) -> None:
    assert has_secret(f"see {text} there")
    assert not has_secret(redact(f"see {text} there"))


def test_of_several_families_the_first_in_their_order_is_named() -> None:
    for first, (rule, token) in enumerate(TOKENS):
        for later, other in TOKENS[first::7]:
            refusal = refuse(f"{other} {token}")
            assert refusal is not None
            assert refusal.rule == rule, (later, first)


def test_a_text_over_two_megabytes_counts_as_one_that_holds_a_secret() -> None:
    assert not has_secret("a " * 1_000_000)
    long = "a " * 1_000_000 + "a"
    assert has_secret(long)
    assert redact(long) == "[secret-unscanned]"
    refusal = refuse(long)
    assert refusal is not None
    assert refusal.rule.startswith("secret-")


@pytest.mark.parametrize(("rule", "token"), TOKENS)
def test_a_redacted_text_shows_the_family_and_nothing_of_the_secret(rule: str, token: str) -> None:
    shown = redact(f"before {token} after")
    assert shown.startswith("before ")
    assert f"[{rule}]" in shown
    assert not has_secret(shown)
    assert token[-12:] not in shown or rule == "secret-aws"
    assert "K7MDENG" not in shown


def test_what_stands_around_a_secret_is_kept() -> None:
    assert redact(f"a {TOKEN}, b {TOKEN}.") == "a [secret-github], b [secret-github]."
    assert redact(f"key:\n{PEM.format('', '')}\nafter") == "key:\n[secret-private-key]\nafter"
    assert redact("id AKIA2345ABCDEFGHIJKL, wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYY!") == (
        "id AKIA2345ABCDEFGHIJKL, [secret-aws]!"
    )


WORDY = "sk-proj-" + "aBcD_-eF" * 9
"""A token without a digit, which no view finds whose words may be other words."""


@pytest.mark.parametrize("mark", ["\x07", "\u200b", "\u202e", "\ufeff", "\U000e0041", "\x00", "\u00ad"])
def test_what_is_not_seen_hides_no_secret_that_looks_like_words(mark: str) -> None:
    assert has_secret(f"a {WORDY[:20]}{mark}{WORDY[20:]} b")


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN\x00PRIVATE KEY----END PRI KEY-----\nMIIE",
        "-----BEGIN\ue000PRIVATE KEY-----",
        f"{TOKEN[:9]}\u200b{TOKEN[9:]}",
        f"{WORDY[:20]}\u200b{WORDY[20:]}",
    ],
)
def test_what_a_refused_character_hid_is_gone_when_redacted(text: str) -> None:
    assert redact(f"a {text} b").startswith("[secret-")
    assert not has_secret(redact(f"a {text} b"))


def test_a_private_key_without_an_end_is_redacted_to_the_end() -> None:
    assert redact("x -----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI\nand more") == "x [secret-private-key]"


PIECES = st.lists(
    st.sampled_from(
        [token for _, token in TOKENS] + FREE + ["ghp_", "sk-", "\n", "\u200b", "%", "\\u00", "&#"]
    )
    | st.text(max_size=12),
    max_size=6,
)


@given(PIECES)
def test_no_redacted_text_holds_a_secret_and_it_is_the_same_redacted_again(pieces: list[str]) -> None:
    shown = redact("".join(pieces))
    assert not has_secret(shown)
    assert redact(shown) == shown


@given(st.text(max_size=40), st.sampled_from(TOKENS), st.text(max_size=40))
def test_a_secret_that_stands_alone_is_found_in_any_text(
    before: str, token: tuple[str, str], after: str
) -> None:
    assert has_secret(f"{before} {token[1]} {after}")
    assert not has_secret(redact(f"{before} {token[1]} {after}"))
