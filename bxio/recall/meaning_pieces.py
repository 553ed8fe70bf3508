"""How a word is cut into the pieces that the table of meanings has a row for.

The cut is that of a byte-pair vocabulary in which an earlier row is an earlier merge, as SentencePiece writes
them: of all neighbours that make a piece together, the pair with the lowest row goes first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

WORD_BEGINS = "▁"
LONGEST = 40
"""Letters of a word; the rest of a longer one is not looked at."""
REAL = 3
"""Letters a piece of a word that means something, at least, on the average."""
REMEMBERED = 20_000
"""Words whose cut is kept in memory; the next one empties the store."""


class Pieces:
    """A vocabulary: text of a piece to its row."""

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self._cut: dict[str, tuple[int, ...]] = {}

    @classmethod
    def read(cls, path: Path) -> Pieces:
        """From a ``tokenizer.json``, of which only the vocabulary is parsed.

        Raises ``ValueError`` when there is none in it, ``OSError`` when the file cannot be read.
        """
        content = path.read_bytes()
        at = content.find(b'"vocab"')
        start, end = content.find(b"{", at), content.find(b'"merges"', at)
        if at < 0 or start < 0:
            raise ValueError("it has no vocabulary")
        # The merges behind it are most of the file, and are not needed.
        rows, _ = json.JSONDecoder().raw_decode(content[start : end if end > 0 else None].decode("utf-8"))
        if not (rows and all(isinstance(row, int) for row in rows.values())):
            raise ValueError("its vocabulary has no rows")
        return cls(rows)

    def rows(self, word: str) -> tuple[int, ...]:
        """The rows of a word's pieces, in order; a letter that has none gives those of its bytes."""
        known = self._cut.get(word)
        if known is None:
            known = self._rows_of(word[:LONGEST])
            if len(self._cut) >= REMEMBERED:
                self._cut.clear()
            self._cut[word] = known
        return known

    def knows(self, word: str) -> bool:
        """Whether a word is cut into long pieces, as real words are; a made-up one falls into bits."""
        return any(len(word) >= REAL * max(len(self.rows(form)), 1) for form in (word, word.capitalize()))

    def _rows_of(self, word: str) -> tuple[int, ...]:
        parts = [WORD_BEGINS, *word]
        while True:
            merges = ((self._rows.get(one + two), at) for at, (one, two) in enumerate(pairwise(parts)))
            best = min(((row, at) for row, at in merges if row is not None), default=None)
            if best is None:
                break
            at = best[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return tuple(row for part in parts for row in self._row_or_bytes(part))

    def _row_or_bytes(self, part: str) -> tuple[int, ...]:
        row = self._rows.get(part)
        if row is not None:
            return (row,)
        found = (self._rows.get(f"<0x{byte:02X}>") for byte in part.encode("utf-8", "replace"))
        return tuple(row for row in found if row is not None)
