"""BM25 over the few newest turns and the notes, on one scale with the search index of the others (spec 4.3).

They are too few to be worth a segment on disk each, and have to be found the moment they are there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

K1 = 1.2
B = 0.75
"""The constants that search indexes use; with others the two scales would differ."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One text's words, counted."""

    session: str
    shy: bool
    counts: Counter[str]
    length: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the search index holds: how many texts, their words in all, and in how many of them a word is."""

    texts: int = 0
    words: float = 0.0
    frequency: Callable[[str], int] = lambda _word: 0


@dataclass(slots=True)
class Tail:
    """What is not in the search index yet, by place."""

    entries: dict[int, Entry] = field(default_factory=dict)

    def add(self, place: int, session: str, words: Iterable[str], *, shy: bool) -> None:
        """Take one text in."""
        counts = Counter(words)
        self.entries[place] = Entry(session, shy, counts, counts.total())

    def drop(self, places: Iterable[int]) -> None:
        """Let go of some."""
        for place in places:
            self.entries.pop(place, None)

    def best(
        self,
        words: Sequence[str],
        elsewhere: Elsewhere,
        *,
        without: str,
        trusted_only: bool,
    ) -> list[tuple[int, float]]:
        """Every place with one of the words and its score, the best first."""
        wanted = {
            place: entry
            for place, entry in self.entries.items()
            if not (without and entry.session == without) and not (trusted_only and entry.shy)
        }
        total = elsewhere.texts + len(self.entries)
        length = elsewhere.words + sum(entry.length for entry in self.entries.values())
        mean = length / max(total, 1) or 1.0
        weights = {word: self._weight(word, total, elsewhere) for word in dict.fromkeys(words)}
        scored = ((place, _score(entry, weights, mean)) for place, entry in wanted.items())
        return sorted(((place, score) for place, score in scored if score), key=lambda one: -one[1])

    def _weight(self, word: str, total: int, elsewhere: Elsewhere) -> float:
        found = elsewhere.frequency(word) + sum(word in entry.counts for entry in self.entries.values())
        return math.log(1 + (total - found + 0.5) / (found + 0.5))


def _score(entry: Entry, weights: dict[str, float], mean: float) -> float:
    norm = K1 * (1 - B + B * entry.length / mean)
    return sum(
        weight * count * (K1 + 1) / (count + norm)
        for word, weight in weights.items()
        if (count := entry.counts[word])
    )
