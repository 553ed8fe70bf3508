"""Host names in letters beyond ASCII: turned into their xn-- form, or taken for a disguise.

A name that a model met in a stranger's text may look like one that it is not. Written in its xn-- form it
deceives nobody, so that form is always taken; the letters themselves only where no reader could mistake them.
"""

from __future__ import annotations

import unicodedata

MAX_LABEL = 63

_TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"}),
    frozenset({"CJK", "HANGUL"}),
    frozenset({"CJK", "BOPOMOFO"}),
)
"""Scripts that one word may mix."""
_BASE = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""Scripts whose marks are part of the letter; one that stands alone is an overlay or a disguise."""
_LIKE_LATIN = frozenset("авгԁеһіјӏкмнорԛѕтѵԝхуьѡпҽαγεηικνορστυχωϲϳ")
"""Letters of other alphabets that read as Latin ones; a name made of these alone is a disguise."""
_LATIN_DISGUISES = frozenset("ıȷĸſ")


def plain_label(label: str) -> str | None:
    """One part of a host's name in its xn-- form, lower case; None for one that could deceive or is none."""
    import idna

    if len(label) > MAX_LABEL:
        return None
    lower = label.lower()
    if unicodedata.normalize("NFKC", label) != label or _deceives(lower):
        return None
    try:
        return idna.alabel(lower).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        return None


def _deceives(label: str) -> bool:
    letters = [character for character in label if not _neutral(character)]
    scripts = {_script(character) for character in letters}
    if not letters or (len(scripts) > 1 and not any(scripts <= mix for mix in _TOGETHER)):
        return True
    if scripts & _BASE and any(unicodedata.category(character).startswith("M") for character in label):
        return True
    return any(_odd_latin(letter) for letter in letters) or _LIKE_LATIN.issuperset(letters)


def _neutral(character: str) -> bool:
    """Belongs to no script: a plain digit, a hyphen, a mark on the letter before it."""
    return character in "0123456789-" or unicodedata.category(character).startswith("M")


def _script(character: str) -> str:
    """The first word of a character's name, which is its script for every letter that a name may hold."""
    return unicodedata.name(character, "?").replace("-", " ").split(" ")[0]


def _odd_latin(letter: str) -> bool:
    """Phonetic letters and the dotless ones, which are read as the plain ones beside them."""
    return letter in _LATIN_DISGUISES or "\u0250" <= letter <= "\u02af" or "\u1d00" <= letter <= "\u1dbf"
