"""Vectors as a bit a dimension, all in memory: which few of very many are worth a closer look.

A code has 16 bytes and its place 4, so a million of them take 20 MB. All are compared by their different
bits; of the nearest, the bits are weighed by the question's own numbers, which tells them apart far better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint64]
    Places = NDArray[np.uint32]
    Vector = NDArray[np.float32]

BITS = 64
"""Of a number that holds a part of a code; the parts of all codes lie side by side, a row a part."""
BYTES = BITS // 8
BLOCK = 65_536
"""Codes that lie together."""
WEIGHED = 20_000
"""Codes that are weighed by the question's numbers, about."""


class Codes:
    """Codes by place. Places are added in rising order."""

    def __init__(self, dimensions: int) -> None:
        self._parts = dimensions // BITS
        self._blocks: list[_Block] = []

    def add(self, places: Sequence[int], vectors: NDArray[np.float32] | NDArray[np.int8]) -> None:
        """Take in a vector a row; ``places`` are higher than all before."""
        parts = _parts(vectors)
        given = np.array(places, np.uint32)
        start = 0
        while start < len(given):
            if not self._blocks or self._blocks[-1].full:
                self._blocks.append(_Block(self._parts))
            start += self._blocks[-1].take(given[start:], parts[:, start:])

    def remove(self, places: Sequence[int]) -> None:
        """Let go of the codes at some places; a place that has none is passed over."""
        gone = np.array(sorted(places), np.uint32)
        for block in self._blocks:
            block.drop(gone)
        self._blocks = [block for block in self._blocks if block.used]

    def __len__(self) -> int:
        return sum(block.used for block in self._blocks)

    def nearest(self, vector: Vector, most: int, among: Sequence[int] | None = None) -> list[int]:
        """The places of the ``most`` codes that fit best, in no order; ``among`` some places, when given."""
        if among is not None:
            chosen = [block.at(np.array(sorted(among), np.uint32)) for block in self._blocks]
        else:
            chosen = self._near(vector)
        places = [block.places[at] for block, at in zip(self._blocks, chosen, strict=True)]
        sums = _sums(vector)
        scores = [block.weighed(at, sums) for block, at in zip(self._blocks, chosen, strict=True)]
        if not places:
            return []
        every, score = np.concatenate(places), np.concatenate(scores)
        if len(every) > most:
            every = every[np.argpartition(-score, most)[:most]]
        return [int(place) for place in every]

    def _near(self, vector: Vector) -> list[NDArray[np.intp]]:
        """In each block, the codes with the fewest different bits: ``WEIGHED`` in all and their ties."""
        wanted = _parts(vector[None, :])[:, 0]
        apart = [block.apart(wanted) for block in self._blocks]
        counts = sum(
            (np.bincount(one, minlength=BITS * self._parts + 1) for one in apart), np.zeros(1, np.intp)
        )
        furthest = int(np.searchsorted(np.cumsum(counts), min(WEIGHED, len(self))))
        return [np.flatnonzero(one <= furthest) for one in apart]


class _Block:
    """Up to ``BLOCK`` codes."""

    def __init__(self, parts: int) -> None:
        self.places: Places = np.empty(BLOCK, np.uint32)
        self.used = 0
        self._parts: Bits = np.empty((parts, BLOCK), np.uint64)

    @property
    def full(self) -> bool:
        return self.used == BLOCK

    def take(self, places: Places, parts: Bits) -> int:
        """Take in as many as there is room for; gives how many."""
        count = min(BLOCK - self.used, len(places))
        self.places[self.used : self.used + count] = places[:count]
        self._parts[:, self.used : self.used + count] = parts[:, :count]
        self.used += count
        return count

    def drop(self, gone: Places) -> None:
        found = self.at(gone)
        if not len(found):
            return
        kept = np.ones(self.used, np.bool_)
        kept[found] = False
        left = int(kept.sum())
        self.places[:left] = self.places[: self.used][kept]
        self._parts[:, :left] = self._parts[:, : self.used][:, kept]
        self.used = left

    def at(self, places: Places) -> NDArray[np.intp]:
        """Where the codes of these places are, of those that are here; both rise."""
        held = self.places[: self.used]
        found = np.searchsorted(held, places)
        inside = found < self.used
        inside[inside] = held[found[inside]] == places[inside]
        return found[inside]

    def apart(self, wanted: Bits) -> NDArray[np.uint8]:
        """How many bits of each code differ."""
        count: NDArray[np.uint8] = np.zeros(self.used, np.uint8)
        for part, bits in zip(self._parts, wanted, strict=True):
            count += np.bitwise_count(part[: self.used] ^ bits)
        return count

    def weighed(self, at: NDArray[np.intp], sums: Vector) -> Vector:
        """The sum of the question's numbers where a code has a one, byte by byte of the code."""
        codes = [part[at].view(np.uint8).reshape(len(at), BYTES) for part in self._parts]
        score: Vector = np.zeros(len(at), np.float32)
        for byte, of_byte in enumerate(sums):
            score += of_byte[codes[byte // BYTES][:, byte % BYTES]]
        return score


def _sums(vector: Vector) -> Vector:
    """For each byte of a code and each value that it may have, the sum of the numbers of its ones."""
    values = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    sums: Vector = vector.reshape(-1, 8) @ values.T
    return sums


def _parts(vectors: NDArray[np.float32] | NDArray[np.int8]) -> Bits:
    """The codes of vectors, a row each, with a row a part."""
    bits = np.packbits(vectors > 0, axis=1)
    return np.ascontiguousarray(bits).view(np.uint64).T
