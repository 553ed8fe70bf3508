"""Every family's token in disguises that cost little, each found; one that is not is said so (spec 1.7)."""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore.sanitize import has_secret, redact
from bxcore.sanitize.views import DEEPEST

A = "A1b2C3d4E5f6G7h8J9k0"
TOKENS = {
    "secret-github": f"ghp_{A}{A[:16]}",
    "secret-gitlab": f"glpat-{A}",
    "secret-sk": f"sk-ant-api03-{A}{A}_-{A}AA",
    "secret-slack": f"xoxb-123456789012-1234567890123-{A}abcd",
    "secret-aws": f"ABSK{A}{A}{A}",
    "secret-private-key": "-----BEGIN OPENSSH PRIVATE KEY-----",
}

ALIKE = str.maketrans("apeosxgkPRAESKTI", "арео\u0455хɡкРRАЕЅКТІ")


def wide(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def bold(text: str) -> str:
    def each(letter: str) -> str:
        first = 0x1D400 - 65 if "A" <= letter <= "Z" else 0x1D41A - 97 if "a" <= letter <= "z" else 0
        return chr(ord(letter) + first)

    return "".join(map(each, text))


def lines(text: str, width: int = 20, around: str = "{}") -> str:
    return "\n".join(around.format(text[at : at + width]) for at in range(0, len(text), width))


def b64(text: str, before: str = "") -> str:
    return base64.b64encode((before + text).encode()).decode()


def quoted_printable(text: str) -> str:
    return "".join(f"={ord(each):02X}" if each in "_-0123456789" else each for each in text)


DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "with a zero-width space inside": lambda token: token[:3] + "\u200b" + token[3:],
    "with a soft hyphen after each letter": "\u00ad".join,
    "with a combining stroke on each letter": lambda token: "".join(f"{each}\u0336" for each in token),
    "full width": wide,
    "in mathematical bold": bold,
    "in letters that look alike": lambda token: token.translate(ALIKE),
    "with long dashes": lambda token: token.replace("-", "–").replace("_", "＿"),
    "spelled with spaces": " ".join,
    "in groups of four": lambda token: " ".join(token[at : at + 4] for at in range(0, len(token), 4)),
    "wrapped over lines": lines,
    "wrapped and indented as a quote": lambda token: lines(token, 15, "> {}"),
    "as strings that are added": lambda token: f'"{token[:9]}" + "{token[9:14]}" +\n    "{token[14:]}"',
    "as a list of letters": lambda token: str(list(token)),
    "backwards": lambda token: token[::-1],
    "in base64": b64,
    "in base64 at its second offset": lambda token: b64(token, "="),
    "in base64 at its third offset": lambda token: b64(token, "x="),
    "in base64 for URLs": lambda token: base64.urlsafe_b64encode(("\u00ff~?" + token).encode()).decode(),
    "in base64 over lines": lambda token: lines(b64("x" * 49 + " " + token), 19),
    "in base64 of base64": lambda token: b64(b64(token)),
    "in base64 of UTF-16": lambda token: base64.b64encode(token.encode("utf-16-le")).decode(),
    "in base32": lambda token: base64.b32encode(token.encode()).decode(),
    "in base32 behind letters": lambda token: "KEY" + base64.b32encode(token.encode()).decode(),
    "in base32 behind small letters": lambda token: "is" + base64.b32encode(token.encode()).decode().lower(),
    "in hex": lambda token: token.encode().hex(),
    "in hex with colons": lambda token: token.encode().hex(":").upper(),
    "in hex as a list of numbers": lambda token: ", ".join(f"0x{ord(each):02x}" for each in token),
    "in percent": lambda token: "".join(f"%{ord(each):02x}" for each in token),
    "in percent of percent": lambda token: quote(token.replace("_", "%5f").replace("-", "%2D")),
    "in HTML's numbers": lambda token: "".join(f"&#{ord(each)};" for each in token),
    "in HTML's numbers without an end": lambda token: " ".join(f"&#{ord(each)}" for each in token),
    "in HTML's hex numbers": lambda token: "".join(f"&#x{ord(each):X};" for each in token),
    "in HTML's names": lambda token: (
        token.replace("_", "&lowbar;").replace("-", "&#45;").replace("e", "&#101;")
    ),
    "in escapes of four digits": lambda token: "".join(f"\\u{ord(each):04x}" for each in token),
    "in escapes of escapes": lambda token: "".join(f"\\\\u{ord(each):04x}" for each in token),
    "in escapes of two digits": lambda token: "".join(f"\\x{ord(each):02X}" for each in token),
    "with its signs in escapes": lambda token: (
        token.replace("_", "\\x5f").replace("-", "\\x2D").replace("A", "\\x41")
    ),
    "in escapes over lines": lambda token: lines("".join(f"\\x{ord(each):02x}" for each in token), 16),
    "in groups that are added": lambda token: "+".join(token[at : at + 3] for at in range(0, len(token), 3)),
    "in octal escapes": lambda token: "".join(f"\\{ord(each):03o}" for each in token),
    "in a mail's escapes": quoted_printable,
    "in base64 in percent": lambda token: quote(b64(token), safe=""),
    "in hex of base64": lambda token: b64(token).encode().hex(),
}


@pytest.mark.parametrize("rule", TOKENS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_secret_of_each_family_is_found_in_each_disguise(rule: str, disguise: str) -> None:
    for text in ("{}", "see {} there", "a line\nkey: {}\nanother, with words", 'x = f("{}")'):
        shown = text.format(DISGUISES[disguise](TOKENS[rule]))
        assert has_secret(shown), shown
        assert not has_secret(redact(shown))


def test_at_least_27_disguises_are_tried() -> None:
    assert len(DISGUISES) >= 27


def test_a_letter_for_another_is_not_seen_through() -> None:
    """A willing writer always has one more code: this is a net for accidents."""
    assert not has_secret(codecs.encode(TOKENS["secret-github"], "rot13"))


def test_encodings_are_read_two_deep_and_no_deeper() -> None:
    told = TOKENS["secret-github"]
    for _ in range(DEEPEST):
        told = b64(told)
    assert has_secret(told)
    assert not has_secret(b64(told))


@pytest.mark.parametrize("rule", TOKENS)
def test_a_secret_beside_a_bracket_a_comma_or_a_letter_is_found(rule: str) -> None:
    token = TOKENS[rule]
    for before, after in (
        *(
            ("", ""),
            ("(", ")"),
            ("", ","),
            ("", "."),
            ("é", "é"),
            ("_", ""),
            ("", "_"),
            ("«", "»"),
            ("=", ";"),
        ),
        *(
            ("'", "'"),
            ("\t", "\r\n"),
            ("и", ""),
            ("字", "字"),
            ("👧", "👧"),
            ("\x1b[31m", "\x1b[0m"),
            ("/", "?"),
        ),
    ):
        assert has_secret(f"{before}{token}{after}"), (before, after)
        assert has_secret(f"key {before}{token}{after} and more")


CUT = [
    ("secret-github", f"ghp_{A}{A[:10]}"),  # without its checksum
    ("secret-github", f"github_pat_{A}AB_{A}"),
    ("secret-gitlab", f"glpat-{A}{A[:7]}.01"),
    ("secret-sk", f"sk-proj-{A}"),
    ("secret-sk", f"sk-ant-oat01-{A}"),
    ("secret-slack", f"xoxp-123456789012-{A[:8]}"),
    ("secret-private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE"),
    ("secret-private-key", f"AGE-SECRET-KEY-1{A.upper()}"),
]


@pytest.mark.parametrize(("rule", "token"), CUT)
def test_a_secret_that_was_cut_is_still_one(rule: str, token: str) -> None:
    assert has_secret(f"it began with {token}")
    assert redact(f"it began with {token}").startswith(f"it began with [{rule}]")


NEAR = [
    "sk-learn 1.2 of 2024, and sk-SK or sk-NO are names of two languages",
    "it is a task - 2024 was - of 40 people - and the desk- is at 12",
    "ghp_ is how it begins; then 36 letters and digits 0 to 9 follow, 40 in all",
    "gho st 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
    "a1 b2 c3 d4 e5 f6 a7 b8 c9 d0 e1 f2 a3 b4 c5 d6 e7 f8 a9 b0",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0B\n-----END CERTIFICATE-----",
    "%7B%22a%22%3A1%7D &lt;b&gt; \\u00e9\\n =3D=20=\n",
    "glpat-, glrt- and gldt- are GitLab's; xoxb- and xapp- are Slack's",
    'WORDS = ("ghp_", "glpat-", "sk-", "sk-ant-", "xoxb-", "xapp-", "AKIA", "AGE-SECRET-KEY-1", "-----")',
    "import of_the_package as lib\nfrom lib_hgo. optimize_shg _hgo.lib_import the_other_names, and_more",
    "the id AKIA2345ABCDEFGHIJKL. For more information, see Creating a DB Snapshot <x>",
    "the secret access key: see the page of keys, which has 40 letters",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDw",
    "550e8400-e29b-41d4-a716-446655440000\n6ba7b810-9dad-11d1-80b4-00c04fd430c8\n",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.txt\n" * 3,
]


@pytest.mark.parametrize("text", NEAR)
def test_what_only_looks_a_little_like_one_is_none(text: str) -> None:
    assert not has_secret(text)
    assert redact(text) == text


@given(
    st.sampled_from(sorted(TOKENS)),
    st.sampled_from(sorted(DISGUISES)),
    st.text(max_size=20),
    st.text(max_size=20),
)
@example("secret-aws", "as strings that are added", "0", "")
@example("secret-aws", "in base64", "0000", "")
@example("secret-aws", "wrapped and indented as a quote", "0", "")
@example("secret-aws", "in hex as a list of numbers", "30", "")
@example("secret-gitlab", "in hex as a list of numbers", "", "X")
@example("secret-aws", "in octal escapes", "", "")
@example("secret-aws", "in escapes over lines", "0", "")
@example("secret-aws", "in escapes of escapes", "0", "")
def test_a_disguised_secret_on_a_line_of_its_own_is_found_in_any_text(
    rule: str, disguise: str, before: str, after: str
) -> None:
    shown = f"{before}\n\n{DISGUISES[disguise](TOKENS[rule])}\n\n{after}"
    assert not has_secret(redact(shown))
    assert has_secret(shown) or disguise in LOOSE


LOOSE = frozenset(
    {
        "in HTML's numbers without an end",
        "spelled with spaces",
        "in groups of four",
        "backwards",
        "as a list of letters",
    }
)
"""What stands beside these may join them, and a letter before some tokens makes them part of a word."""
