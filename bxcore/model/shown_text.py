"""What of a model's text may be shown while it comes: a reply's words, never a call or its JSON."""

from __future__ import annotations

import json
import re

from bxcore.model.repair import MARKS

_REPLY_HEAD = re.compile(r'\s*\{\s*"reply"\s*:\s*"')
_HEAD_SO_FAR = re.compile(r'\s*(\{\s*("(r(e(p(l(y("\s*(:\s*)?)?)?)?)?)?)?)?)?\Z')
_MAY_BE_CALL = re.compile(r"\s*(?:\Z|\{|`{1,2}\Z|```(?:\Z|j|t|\s)|\[\s*(?:\Z|\{))")
_PLAIN = re.compile(r'[^"\\]+')
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB]")
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_MARK = max(len(mark) for mark in MARKS)


class ReplyWords:
    """The text of ``{"reply": TEXT}`` decoded as it comes; of any other JSON, nothing."""

    def __init__(self) -> None:
        self._rest = ""
        self._inside = False
        self._over = False

    def feed(self, piece: str) -> str:
        """The words that this piece completes; half an escape waits for its other half."""
        self._rest += piece
        if not self._inside and not self._over:
            self._enter()
        if self._over or not self._inside:
            return ""
        return "".join(self._words())

    def _enter(self) -> None:
        if head := _REPLY_HEAD.match(self._rest):
            self._inside = True
            self._rest = self._rest[head.end() :]
        elif not _HEAD_SO_FAR.match(self._rest):
            self._over = True

    def _words(self) -> list[str]:
        words: list[str] = []
        at = 0
        while at < len(self._rest):
            size = self._unit(at)
            if size == 0:
                break
            words.append(_decoded(self._rest[at : at + size]))
            at += size
        self._rest = self._rest[at:]
        return words

    def _unit(self, at: int) -> int:
        """Characters of the next whole unit at ``at``: plain text or one escape; 0 when there is none yet."""
        if plain := _PLAIN.match(self._rest, at):
            return plain.end() - at
        if self._rest[at] == '"':
            self._over = True
            return 0
        size = 2
        if self._rest.startswith("\\u", at):
            size = 12 if _HIGH_SURROGATE.match(self._rest, at) else 6
        return size if at + size <= len(self._rest) else 0


def _decoded(unit: str) -> str:
    try:
        text = str(json.loads(f'"{unit}"', strict=False))
    except ValueError:
        return unit
    return whole_characters(text)


def whole_characters(text: str) -> str:
    """The text with U+FFFD for each half of a character that JSON can write and no text can hold."""
    return _HALF.sub("\ufffd", text)


class PlainWords:
    """A text as it comes, held back where a call may begin."""

    def __init__(self) -> None:
        self._text = ""
        self._shown = 0
        self._held = False

    def feed(self, piece: str) -> str:
        """What of the text may be shown now."""
        self._text += piece
        if self._held or (self._shown == 0 and _MAY_BE_CALL.match(self._text)):
            return ""
        end = self._end()
        words, self._shown = self._text[self._shown : end], end
        return words

    def _end(self) -> int:
        starts = [at for mark in MARKS if (at := self._text.find(mark, self._shown)) >= 0]
        if starts:
            self._held = True
            return min(starts)
        for at in range(max(self._shown, len(self._text) - _LONGEST_MARK + 1), len(self._text)):
            if any(mark.startswith(self._text[at:]) for mark in MARKS):
                return at
        return len(self._text)


class ShownText:
    """Chooses by the first character: JSON of the ``json`` profile, or plain text."""

    def __init__(self, *, json_profile: bool) -> None:
        self._json = json_profile
        self._way: ReplyWords | PlainWords | None = None if json_profile else PlainWords()
        self._start = ""

    def feed(self, piece: str) -> str:
        """What may be shown now."""
        if self._way is None:
            self._start += piece
            if not self._start.strip():
                return ""
            self._way = ReplyWords() if self._start.lstrip().startswith("{") else PlainWords()
            piece = self._start
        return self._way.feed(piece)
