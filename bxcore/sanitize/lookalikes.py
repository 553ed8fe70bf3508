"""Letters that look like ASCII ones, read as those: the idea of Unicode's confusables, for secrets only.

A token is found by its fixed beginning, so the map holds what may stand for the letters, digits and signs of
one; what an accent or a stroke was put on is its bare letter (spec 1.7).
"""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import unicodedata

_SHAPES = (
    # Cyrillic
    "аa вb еe ёe һh іi їi јj кk мm нh оo рp сc тt уy ѵv хx ѕs ԁd ԛq ԝw ӏl гr пn ԍg ԟk ҽe ғf",
    "АA ВB ЕE ЁE НH ІI ЇI ЈJ КK МM ОO РP СC ТT УY ѴV ХX ЅS ԌG ԚQ ԜW ӀI ЗZ ҮY ԐE",
    # Greek
    "αa βb εe ηn ιi κk νv οo ρp σo τt υu χx ωw γy ϲc ϳj ζz",
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ",
    # Latin without a plain letter in Unicode's own decomposition, and small capitals
    "ıi ȷj ɡg ɑa øo łl đd ħh ŧt ɩi ʋv ƽs ƿp ɪi ʟl ɴn ᴀa ʙb ᴄc ᴅd ᴇe",
    "ꜰf ɢg ʜh ᴊj ᴋk ᴍm ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz",
    "ØO ŁL ĐD ĦH ŦT ƖI ƵZ",
    # Armenian, Cherokee, Lisu
    "օo սu հh ցg զq ոn յj ՏS ՕO ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎥI ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᎽY ᏃZ",
    "ꓮA ꓐB ꓚC ꓓD ꓰE ꓖG ꓧH ꓡL ꓠN ꓳO ꓑP ꓢS ꓔT",
    # signs
    "‐- ‑- ‒- –- —- ―- −- ⁃- ˗- ➖- ─- ˍ_ ⎽_ ⁄/ ∕/ ⧸/ ∶: ։: ꞉: ․. “\" ”\" ‘' ’' ‛' ′' ‹< ›> ＋+ ᐩ+ ⁎* ∗*",
)
_MARKS = frozenset({"Mn", "Me"})


class _Letters(dict[int, str]):
    """What ``str.translate`` asks for each character; it remembers, but not without an end."""

    MOST = 20_000

    def __missing__(self, code: int) -> str:
        if len(self) >= self.MOST:
            self.clear()
        self[code] = _letter(chr(code))
        return self[code]


_SHAPE = {pair[0]: pair[1] for line in _SHAPES for pair in line.split(" ")}
_LETTERS = _Letters()


def _letter(character: str) -> str:
    """The ASCII letter that the character looks like, nothing for a mark on another, else ``?``."""
    if character < "\x80":
        return character
    if unicodedata.category(character) in _MARKS:
        return ""
    bare = unicodedata.normalize("NFKD", character)[0]
    return bare if bare < "\x80" else _SHAPE.get(bare, _SHAPE.get(character, " " if bare.isspace() else "?"))


def letters(text: str) -> str:
    """The text in ASCII: look-alikes as what they look like, any other character beyond ASCII as ``?``."""
    return text if text.isascii() else text.translate(_LETTERS)
