"""Characters that a text may not hold: control, invisible, private use, noncharacters (spec 1.7).

Joiners and variation selectors are part of some scripts and of emoji; they are refused only where they stand
for nothing. Ranges: the Unicode standard's default-ignorable code points and its emoji data.
"""

from __future__ import annotations

import re
from functools import cache

CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
"""C0 and C1 but the tab and the line end; a carriage return too."""

PRIVATE_USE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"

NONCHARACTERS = (
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe\U0003ffff\U0004fffe\U0004ffff"
    "\U0005fffe\U0005ffff\U0006fffe\U0006ffff\U0007fffe\U0007ffff\U0008fffe\U0008ffff"
    "\U0009fffe\U0009ffff\U000afffe\U000affff\U000bfffe\U000bffff\U000cfffe\U000cffff"
    "\U000dfffe\U000dffff\U000efffe\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff"
)
"""What is never a character; half a surrogate pair counts among them."""

_JOINERS = "\u200c\u200d"
_EMOJI_STYLE = "\ufe0e\ufe0f"
_MONGOLIAN_STYLE = "\u180b-\u180d\u180f"
_OTHER_STYLE = "\ufe00-\ufe0d\U000e0100-\U000e01ef"

_NEVER = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""Zero width, bidi controls, fillers, line and paragraph separators, tag characters and what is set aside."""

INVISIBLE = _NEVER + _JOINERS + _EMOJI_STYLE + _MONGOLIAN_STYLE + _OTHER_STYLE
"""Every invisible character, those too that are right in some places."""

_JOINING_SCRIPTS = (
    "\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18af"
    "\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
)
_EMOJI = (
    "#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_MONGOLIAN = "\u1820-\u18aa"
_FLAG = "\U0001f3f4"
_REGIONS = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in f"{region}\x7f")
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The tag characters that make a black flag England's, Scotland's or Wales': the only ones that show."""


@cache
def _misplaced() -> re.Pattern[str]:
    """One invisible character that stands for nothing where it is."""
    return re.compile(
        f"[{_NEVER}]"
        f"|\u200c(?<![{_JOINING_SCRIPTS}]\u200c)"
        f"|\u200d(?<![{_JOINING_SCRIPTS}]\u200d)(?!(?<=[{_EMOJI}\ufe0f]\u200d)[{_EMOJI}])"
        f"|[{_EMOJI_STYLE}](?<![{_EMOJI}][{_EMOJI_STYLE}])"
        f"|[{_MONGOLIAN_STYLE}](?<![{_MONGOLIAN}][{_MONGOLIAN_STYLE}])"
        f"|[{_OTHER_STYLE}](?<![{_HAN}][{_OTHER_STYLE}])"
    )


@cache
def one_of(characters: str) -> re.Pattern[str]:
    """Any one character of a class that is written as in a regular expression's brackets."""
    return re.compile(f"[{characters}]")


def holds_any(characters: str, text: str) -> bool:
    """Whether a character of the class stands in the text; quick, as each different one is looked at once."""
    return one_of(characters).search("".join(set(text))) is not None


def holds_misplaced(text: str) -> bool:
    """Whether an invisible character stands in the text where it stands for nothing."""
    if not holds_any(INVISIBLE, text):
        return False
    for region in _REGIONS:
        text = text.replace(_FLAG + region, _FLAG)
    return _misplaced().search(text) is not None


def holds_refused(text: str) -> bool:
    """Whether a character stands in the text that is refused on its own, or is right in some places only."""
    return holds_any(_REFUSED, text)


def spaced(text: str) -> str:
    """The text with a space for each character that is refused when it stands alone."""
    return one_of(_REFUSED).sub(" ", text) if holds_refused(text) else text


_REFUSED = CONTROL + INVISIBLE + PRIVATE_USE + NONCHARACTERS
