"""How a question becomes hits: by its words and its meaning, of the time that it names first (spec 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Protocol

from bxcore import recall_query
from bxcore.recall_fusion import Ranking, by_meaning, coverage, fused, twins_last
from bxcore.recall_hits import Hit
from bxcore.recall_time import Span, span
from bxio.recall.meaning import Among, Meaning
from bxio.recall.store import Store

BY_WORDS = 50
"""How many of those that fit best by words are put in order by age too."""
BY_WORDS_OF_A_TIME = 1_000
"""How many are looked through for those of a named time."""
BY_MEANING = 100
"""How many of the nearest in meaning are taken."""
LOOKED_AT = 30
"""How many of the best are compared with one another, so that those shown differ."""
COMPARED = 300
COVERED = 4_000
"""Characters of what was said that are compared, and of that and of a reply that are looked through."""
LEAST_TRUST = 0.1
"""Of the list by words, so that none of it is lost."""
OF_THE_TIME = 1.5
"""How much more a rank among the items of the named time counts than one among all."""


class ByWords(Protocol):
    """Gives places and BM25 scores of the ``most`` best for some terms."""

    def __call__(self, terms: tuple[str, ...], among: Among, most: int, /) -> list[tuple[int, float]]:
        """See above."""


class Looking:
    """For one question, while the store is read."""

    def __init__(
        self,
        store: Store,
        by_words: ByWords,
        stems: Callable[[str], list[str]],
        meaning: Meaning | None,
    ) -> None:
        self._store = store
        self._by_words = by_words
        self._stems = stems
        self._meaning = meaning
        self._newest = store.newest()
        self._hits: dict[int, Hit] = {}

    def best(self, query: str, k: int, among: Among, today: date) -> list[Hit]:
        """The best ``k`` hits. A named time goes before: what was said then is found though it fits less."""
        named = span(query, today)
        rankings = [Ranking(self._places(query, among))]
        if named is not None:
            then = replace(among, span=named)
            found = self._places(named.rest, then) or self._of_the_time(named, among)
            rankings.insert(0, Ranking(found, OF_THE_TIME))
        places = fused(rankings)[: max(LOOKED_AT, k)]
        self._fetch(places)
        there = [place for place in places if place in self._hits]
        return [self._hits[place] for place in twins_last(there, self._said_by, k)]

    def _of_the_time(self, named: Span, among: Among) -> list[int]:
        most = BY_WORDS + len(among.hidden)
        found = self._store.of_a_time(named, most, without=among.without, trusted_only=among.trusted_only)
        return [place for place in found if place not in among.hidden][:BY_WORDS]

    def _places(self, query: str, among: Among) -> list[int]:
        terms = recall_query.terms(query)
        if not terms:
            return []
        words = self._ranked_by_words(terms, among)
        near = self._meaning.nearest(query, BY_MEANING, among) if self._meaning else []
        return fused((Ranking(words, self._trust(terms, words)), Ranking(by_meaning(near, self._newest))))

    def _trust(self, terms: tuple[str, ...], words: Sequence[int]) -> float:
        """How far the list by words is trusted: by how many of the terms its first item has."""
        if not words:
            return 0.0
        return max(LEAST_TRUST, coverage(self._stems(" ".join(terms)), self._words_of(words[0], COVERED)))

    def _ranked_by_words(self, terms: tuple[str, ...], among: Among) -> list[int]:
        scored = self._by_words(terms, among, BY_WORDS_OF_A_TIME if among.span else BY_WORDS)
        if among.span is not None:
            of_it = self._store.within([place for place, _ in scored], among.span)
            scored = [one for one in scored if one[0] in of_it][:BY_WORDS]
        hits = self._store.hits(scored)
        self._hits |= {hit.place: hit for hit in hits}
        return [hit.place for hit in recall_query.balanced(hits, self._newest)]

    def _words_of(self, place: int, most: int) -> Sequence[str]:
        hit = self._hits[place]
        return self._stems(f"{hit.said[:most]}\n{hit.reply[:most]}")

    def _said_by(self, place: int) -> Sequence[str]:
        return self._stems(self._hits[place].said[:COMPARED])

    def _fetch(self, places: Sequence[int]) -> None:
        missing = [(place, 0.0) for place in places if place not in self._hits]
        self._hits |= {hit.place: hit for hit in self._store.hits(missing)}
