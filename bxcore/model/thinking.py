"""Thoughts that a model writes into its text, kept apart from what it says (spec 3.4).

Most servers send them in a field of their own; others leave ``<think>…</think>`` in the text. Such a tag
counts at the start, and at the start of a later line once it is closed: prose that names the tag is a reply.
"""

from __future__ import annotations

import re
from enum import Enum, auto

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",
}
_FENCE = "```"
_LINE = re.compile(r"(?:(?<=\n)|\A)[ \t]{0,9}(" + "|".join(re.escape(tag) for tag in TAGS) + ")")
_CLOSED_ALONE = re.compile(r"\n[ \t]{0,9}</think>[ \t]{0,9}\n")


class _State(Enum):
    START = auto()
    THINKING = auto()
    SAYING = auto()
    HOLDING = auto()


class ThinkingApart:
    """Takes a text in pieces; what comes out in order is all of it but the tags: said, or thought."""

    def __init__(self) -> None:
        self._state = _State.START
        self._rest = ""
        self._tag = ""
        self._said = ""
        self._thought = False

    def feed(self, piece: str) -> tuple[str, str]:
        """What this piece completes: what is said, and what is thought."""
        self._rest += piece
        said, thought = "", ""
        while True:
            before = self._state
            more, less = self._step()
            said, thought = said + more, thought + less
            self._said += more
            if self._state is before:
                return said, thought

    def end(self) -> tuple[str, str]:
        """What is left; a thought that never ended is one, one that began in the middle of a reply is not."""
        rest, self._rest = self._rest, ""
        if self._state is _State.THINKING:
            return "", rest
        return (self._tag + rest if self._state is _State.HOLDING else rest), ""

    def _step(self) -> tuple[str, str]:
        match self._state:
            case _State.START:
                return self._begin(), ""
            case _State.THINKING:
                return "", self._think()
            case _State.SAYING:
                return self._say(), ""
            case _State.HOLDING:
                return "", self._hold()

    def _begin(self) -> str:
        text = self._rest.lstrip()
        tag = next((tag for tag in TAGS if text.startswith(tag)), None)
        if tag is not None:
            self._tag, self._thought = tag, True
            self._rest, self._state = text.removeprefix(tag), _State.THINKING
        elif text and not any(tag.startswith(text) for tag in TAGS):
            self._rest = text if self._thought else self._rest
            self._state = _State.SAYING
        return ""

    def _think(self) -> str:
        close = TAGS[self._tag]
        thought, found, behind = self._rest.partition(close)
        if found:
            self._rest, self._state = behind, _State.START
            return thought
        kept = _overlap(self._rest, close)
        cut = len(self._rest) - kept
        thought, self._rest = self._rest[:cut], self._rest[cut:]
        return thought

    def _say(self) -> str:
        whole = self._said[-1:] + self._rest  # a line begins at the text's start or behind what was said
        skip = len(whole) - len(self._rest)
        for found in _LINE.finditer(whole, skip):
            at = found.start() - skip
            if (self._said + self._rest[:at]).count(_FENCE) % 2 == 0:
                said, self._tag = self._rest[:at], found.group()
                self._rest, self._state = self._rest[at + len(self._tag) :], _State.HOLDING
                return said
        kept = self._may_begin()
        cut = len(self._rest) - kept
        said, self._rest = self._rest[:cut], self._rest[cut:]
        return said

    def _may_begin(self) -> int:
        """Characters of the last line that may become a tag."""
        _, newline, last = self._rest.rpartition("\n")
        if not newline and self._said and not self._said.endswith("\n"):
            return 0
        word = last.lstrip(" \t")
        return len(last) if word and any(tag.startswith(word) and tag != word for tag in TAGS) else 0

    def _hold(self) -> str:
        thought, found, behind = self._rest.partition(TAGS[self._tag.strip()])
        if not found:
            return ""
        self._rest, self._state = behind, _State.SAYING
        return thought


def _overlap(text: str, mark: str) -> int:
    """Characters at the end of ``text`` that ``mark`` begins with."""
    longest = min(len(text), len(mark) - 1)
    return next((size for size in range(longest, 0, -1) if mark.startswith(text[-size:])), 0)


def closed_alone(text: str) -> tuple[str, str]:
    """A text whose thoughts only end, since the server's template began them: what is said, and thought.

    The tag has to stand on a line of its own, once, and in no fenced block.
    """
    found = list(_CLOSED_ALONE.finditer(text))
    if len(found) != 1 or "<think>" in text or _FENCE in text[: found[0].start()]:
        return text, ""
    return text[found[0].end() :].lstrip(), text[: found[0].start()]
