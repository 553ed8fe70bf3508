"""Texts as vectors: the mean of their words' rows in a small table that a package brings.

Only two data files of the package ``wordllama`` are used. They are found without importing it, so no line of
its code runs and nothing is fetched. The table was trained so that its first dimensions are an embedding of
their own; half of them are kept, as whole numbers of one byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from bxcore.errors import SentenceError
from bxio.recall.meaning_pieces import Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 128
PACKAGE = "wordllama"
TABLE = "weights/l2_supercat_256.safetensors"
VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"
MADE_BY = f"{PACKAGE} {TABLE} {DIMENSIONS} 1"
"""What made a vector; those of another maker cannot be compared with ours."""
LOOKED_AT = 1_000
"""Characters of a text that count."""
AT_ONCE = 64
"""Texts, or rows of the table, that are in memory as wide numbers at the same time."""
_LONGEST_HEADER = 10_000
_WORD = re.compile(r"[^\W_]+")
_TALK = """
good morning|thanks a lot|that is not what I meant|can you help me with this|I will do it tomorrow|we had a
nice evening with friends|please remind me later|what do you think about it|the children are at home today|I
bought a few things in town|it was too expensive for me|she told me about her new job|he did not answer the
phone|I have to go to work now|we are going on a trip next month|the weather was bad all day|I do not like the
taste of it|my mother called this morning|the old one is broken|I put it in the box upstairs|they moved to
another house|I forgot where I left it|he wants to learn to play|there was a problem with the car|the doctor
says it is nothing|we need to pay by the end of the week|I read a good book about it|the dog was in the
garden|our neighbours are very kind|it takes about two hours by train|I am tired and want to sleep|let us cook
something simple|you can write to him on Monday|the shop closes at six|I met her at the party|this is the
third time it happened|it should be ready soon|I lost my key yesterday|the meeting was long and boring|we
painted the room white
"""
"""Plain talk: what its mean has, all talk has, so it tells nothing and is taken away from every vector."""


class TableError(SentenceError):
    """The table cannot be used; ``sentence`` says why."""


class Table:
    """Rows of one byte a dimension with a scale each; makes vectors of length 1."""

    def __init__(self, rows: NDArray[np.float16], pieces: Pieces) -> None:
        self._scales = np.empty(len(rows), np.float32)
        self._rows = np.empty((len(rows), DIMENSIONS), np.int8)
        for start in range(0, len(rows), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            wide = rows[some, :DIMENSIONS].astype(np.float32)
            self._scales[some] = np.maximum(np.abs(wide).max(axis=1), np.float32(1e-6)) / np.float32(127)
            self._rows[some] = np.rint(wide / self._scales[some, None])
        self._pieces = pieces
        self._common = self._means(_TALK.split("|")).mean(axis=0)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """From the package's folder. Raises ``TableError`` when its files are not what they should be."""
        try:
            pieces = Pieces.read(folder / VOCABULARY)
            return cls(_rows(folder / TABLE), pieces)
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise TableError(f"the table of meanings in {folder.name} cannot be used: {reason}") from None

    def knows(self, words: Iterable[str]) -> bool:
        """Whether any of the words is a real one, so that the whole may mean something."""
        return any(self._pieces.knows(word) for word in words)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length 1 for each text, or of zeros for one without a word."""
        parts = [
            self._means(texts[start : start + AT_ONCE], self._common)
            for start in range(0, len(texts), AT_ONCE)
        ]
        return unit(np.concatenate(parts)) if parts else np.zeros((0, DIMENSIONS), np.float32)

    def _means(self, texts: Sequence[str], less: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        made = np.zeros((len(texts), DIMENSIONS), np.float32)
        cut = [self._rows_of(text) for text in texts]
        full = [at for at, rows in enumerate(cut) if rows]
        if not full:
            return made
        lengths = np.array([len(cut[at]) for at in full])
        rows = np.array([row for at in full for row in cut[at]])
        wide = self._rows[rows] * self._scales[rows, None]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        made[full] = np.add.reduceat(wide, starts, axis=0) / lengths[:, None]
        if less is not None:
            made[full] -= less
        return made

    def _rows_of(self, text: str) -> list[int]:
        pieces = self._pieces.rows
        return [row for word in _WORD.findall(text[:LOOKED_AT]) for row in pieces(word)]


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length 1; one of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    scaled: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-9))[:, None]
    return scaled


def _rows(path: Path) -> NDArray[np.float16]:
    """The one table of a safetensors file: eight bytes of length, a header in JSON, the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _LONGEST_HEADER:
            raise ValueError("it is no safetensors file")
        header = json.loads(file.read(length))["embedding.weight"]
    rows, wide = header["shape"]
    if header["dtype"] != "F16" or wide < DIMENSIONS:
        raise ValueError("its table is of another kind")
    start = 8 + length + header["data_offsets"][0]
    table: NDArray[np.float16] = np.memmap(path, np.float16, "r", start, (rows, wide))
    return table


@cache
def package_folder() -> Path | None:
    """Where the package's files are; None when it is not installed."""
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
