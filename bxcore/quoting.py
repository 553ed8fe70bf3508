"""An answer from what was said, without a model: the best passages, quoted with who said them and when.

A question is no answer to itself, and what the agent said counts only where nobody else said anything:
else its own mistakes would come back as memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxcore.search_terms import STOP_WORDS, words
from bxcore.statements import sentences, states

MARK, UNMARK = "\x02", "\x03"
"""What the index puts around each word that it found; no text may hold them otherwise."""

MAX_QUOTES = 3
MAX_QUOTE = 300
"""Characters of one quote."""

_ENOUGH = 3
"""Words of the question that are enough to be about it, however long it is."""
_SAME_STEM = 4
"""Letters at the beginning in which forms of one word agree."""
_MARKED = re.compile(f"{MARK}([^{UNMARK}]*){UNMARK}")
_LEAD = re.compile(
    r"(?:please )?(?:remember|note|don't forget|for the record|fyi)\b(?: that\b)?[:,]? ", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A message that the index found: its statements with ``MARK`` and ``UNMARK`` around the words found.

    ``said_on`` is ISO 8601, ``order`` grows with time, ``by_agent`` says whether the agent itself said it.
    """

    peer: str
    said_on: str
    order: int
    marked: str
    by_agent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What was said, by whom, on which day (``2026-11-30``); at most ``MAX_QUOTE`` characters, no marks."""

    peer: str
    day: str
    text: str


def best(wanted: Sequence[str], candidates: Iterable[Candidate]) -> list[Passage]:
    """Choose up to ``MAX_QUOTES`` passages about the words ``wanted``, the best first; none when none is."""
    scored = [(_covered(wanted, candidate.marked), candidate) for candidate in candidates]
    most = max((covered for covered, _ in scored), default=0)
    least = max(most if most == len(wanted) else most - 1, min((len(wanted) + 1) // 2, _ENOUGH), 1)
    about = [(covered, candidate) for covered, candidate in scored if covered >= least]
    if not all(candidate.by_agent for _, candidate in about):
        about = [pair for pair in about if not pair[1].by_agent]
    about.sort(key=lambda pair: (-pair[0], -pair[1].order))
    return _without_echoes(_passage(candidate) for _, candidate in about)


def quote(passages: Iterable[Passage]) -> str:
    """Write the passages as one answer: ``owner said on 2026-11-30: "the spare key is in the blue tin"``."""
    return "; ".join(f'{each.peer} said on {each.day}: "{_framed(each.text)}"' for each in passages)


def _covered(wanted: Iterable[str], marked: str) -> int:
    """How many of the words wanted a text's statements hold, in any of their forms."""
    found = {
        word.lower()[:_SAME_STEM]
        for sentence in sentences(marked)
        if states(_unmarked(sentence))
        for word in _MARKED.findall(sentence)
    }
    return sum(word[:_SAME_STEM] in found for word in wanted)


def _passage(candidate: Candidate) -> Passage:
    said = [sentence for sentence in sentences(candidate.marked) if states(_unmarked(sentence))]
    start = max(range(len(said)), key=lambda index: (said[index].count(MARK), -index))
    text = _unmarked(said[start])
    for more in map(_unmarked, said[start + 1 :]):
        if len(text) + 1 + len(more) > MAX_QUOTE:
            break
        text = f"{text} {more}"
    return Passage(peer=candidate.peer, day=candidate.said_on[:10], text=_cut(text, said[start]))


def _cut(text: str, first: str) -> str:
    """At most ``MAX_QUOTE`` characters; of one long sentence, those around the first word found."""
    if len(text) <= MAX_QUOTE:
        return text
    start = max(0, min(first.find(MARK) - MAX_QUOTE // 3, len(text) - MAX_QUOTE))
    return text[start : start + MAX_QUOTE]


def _without_echoes(passages: Iterable[Passage]) -> list[Passage]:
    """Drop what says no more, or nothing else, than a passage before it."""
    kept: list[tuple[set[str], Passage]] = []
    for passage in passages:
        said = set(words(passage.text)) - STOP_WORDS
        if len(kept) < MAX_QUOTES and not any(said <= other or other <= said for other, _ in kept):
            kept.append((said, passage))
    return [passage for _, passage in kept]


def _framed(text: str) -> str:
    """A quote's text: without the words that asked to remember it, and without what would end the quote."""
    plain = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
    return plain.removesuffix(".").replace('"', "'")


def _unmarked(text: str) -> str:
    return text.replace(MARK, "").replace(UNMARK, "")
