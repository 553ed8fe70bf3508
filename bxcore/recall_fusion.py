"""Several rankings of memories made one (spec 4.3): by rank, since their scores have no common scale.

An item gets ``weight / (SMOOTH + rank)`` from each list that has it, ranks from 1: reciprocal rank fusion.
The figures here were chosen on the tuning half of ``bench/quality``; ``docs/decisions/meaning-for-recall.md``
has the measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

SMOOTH = 3.0
"""The higher, the less it counts to be first in one list rather than well placed in two."""
FLOOR = 0.2
"""The least cosine of a text that is said to mean something like the question."""
NEWEST = 0.05
"""How much closer the newest item counts than the oldest one of the same cosine: a twentieth."""
TWINS = 0.5
"""The share of words in common from which two texts say much the same."""

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ranking(Generic[T]):
    """Items, the best first, each once; ``weight`` is how far this list is trusted (0 for not at all)."""

    items: Sequence[T]
    weight: float = 1.0


def fused(rankings: Iterable[Ranking[T]]) -> list[T]:
    """Every item of lists that count, each once, the best first; of equal ones the one seen first."""
    scores: dict[T, float] = {}
    for ranking in rankings:
        if ranking.weight <= 0:
            continue
        for rank, item in enumerate(ranking.items, 1):
            scores[item] = scores.get(item, 0.0) + ranking.weight / (SMOOTH + rank)
    return sorted(scores, key=lambda item: -scores[item])


def by_meaning(near: Iterable[tuple[int, float]], newest: int) -> list[int]:
    """The places whose cosine is worth anything, the best first, newer ones a little raised."""
    worth = [(place, cosine) for place, cosine in near if cosine >= FLOOR]
    worth.sort(key=lambda one: -one[1] * (1.0 + NEWEST * one[0] / max(newest, 1)))
    return [place for place, _ in worth]


def coverage(asked: Collection[str], text: Collection[str]) -> float:
    """The share of the asked words that a text has, from 0 to 1: how far a best hit by words is trusted."""
    wanted = set(asked)
    return len(wanted & set(text)) / len(wanted) if wanted else 0.0


def twins_last(items: Sequence[T], words_of: Callable[[T], Collection[str]], most: int) -> list[T]:
    """The first ``most``; what says much the same as an earlier one is behind, so those shown differ."""
    kept: list[tuple[T, set[str]]] = []
    late: list[T] = []
    for item in items:
        if len(kept) == most:
            break
        words = set(words_of(item))
        if any(_alike(words, other) for _, other in kept):
            late.append(item)
        else:
            kept.append((item, words))
    return ([item for item, _ in kept] + late)[:most]


def _alike(one: set[str], other: set[str]) -> bool:
    both = len(one & other)
    either = len(one) + len(other) - both
    return either > 0 and both / either >= TWINS
