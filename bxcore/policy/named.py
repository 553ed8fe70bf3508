"""Whether the owner's own message names a destination, so that nobody need be asked again (spec 2.2).

A message is prose, and a destination may look like a word of it. So a destination counts only as a whole
word, and one that could be an ordinary word only in quotes.
"""

from __future__ import annotations

import re

_BEFORE = r"(?:^|(?<=[\s(\[{<\"'`\u201c\u2018\u00ab]))"
_CLOSES = r"\s)\]}>\"'`\u201d\u2019\u00bb"
_AFTER = rf"(?=$|[{_CLOSES}]|[.,;:!?]+(?:$|[{_CLOSES}]))"
_QUOTED = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|\u201c([^\u201d\n]+)\u201d|\u00ab([^\u00bb\n]+)\u00bb"
)
_ORDINARY = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")


def stands_in(said: str, text: str) -> bool:
    """Whether ``text`` stands in ``said`` as a whole, with space or punctuation of prose around it.

    A text of plain words, such as ``notes`` or ``clean up``, must stand in quotes or backquotes there.
    """
    if not text or text not in said:
        return False
    if all(_ORDINARY.fullmatch(word) for word in text.split()):
        return any(text in found.groups() for found in _QUOTED.finditer(said))
    return re.search(f"{_BEFORE}{re.escape(text)}{_AFTER}", said) is not None
