"""The words of past turns, in a search index that finds the best few without looking at all (spec 4.3).

``tantivy`` is imported when something is looked for first, not when the box starts. What it says is only ever
a place in the store and a score; a damaged or lost index is made anew from the store.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bxio.recall.errors import RecallIndexError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bxio.recall.store import Doc

HEAP = 16_000_000
"""Bytes that a writer may hold before it puts a segment on disk."""
LONGEST = 40
"""Letters of a word; a longer one is no word."""
_ANALYZER = "boxmaker_en"
_SYSTEM = re.compile(r"(?:os error |code: )([0-9]{1,3})")


def analyzer() -> Callable[[str], list[str]]:
    """What makes a text's words: parted, in lower case, without marks, stemmed for English."""
    import tantivy

    analyze: Callable[[str], list[str]] = _analyzer(tantivy).analyze
    return analyze


def _analyzer(tantivy: Any) -> Any:
    steps = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(LONGEST),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        steps = steps.filter(step)
    return steps.build()


class Words:
    """One folder of segments. Used by one thread; a writer is open only while something is put in."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._tantivy = tantivy
        self._folder = folder
        self._schema = _schema(tantivy)
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            self._index = tantivy.Index(self._schema, path=str(folder))
        except ValueError as error:
            raise _unusable(error) from None
        self._index.register_tokenizer(_ANALYZER, _analyzer(tantivy))
        self._searcher = self._index.searcher()

    def add(self, docs: Iterable[Doc]) -> None:
        """Put turns in; on disk when this returns."""
        try:
            writer = self._index.writer(heap_size=HEAP, num_threads=1)
            for doc in docs:
                writer.add_document(self._document(doc))
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()
        except ValueError as error:
            sentence = f"the words of the recall index cannot be written: {_reason(error)}"
            raise RecallIndexError(sentence) from None
        self._searcher = self._index.searcher()
        del writer
        _give_back_memory()

    def leave_out(self, sessions: Iterable[str]) -> None:
        """Drop every turn of some sessions; on disk when this returns, though the words go later."""
        try:
            writer = self._index.writer(heap_size=HEAP, num_threads=1)
            for session in sessions:
                writer.delete_documents_by_term("session", session)
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()
        except ValueError as error:
            sentence = f"the words of the recall index cannot be written: {_reason(error)}"
            raise RecallIndexError(sentence) from None
        self._searcher = self._index.searcher()

    def _document(self, doc: Doc) -> Any:
        made = self._tantivy.Document()
        made.add_unsigned("place", doc.place)
        made.add_text("session", doc.session)
        made.add_unsigned("shy", doc.shy)
        made.add_text("body", f"{doc.said}\n{doc.reply}")
        return made

    @property
    def number(self) -> int:
        """How many turns are in."""
        return int(self._searcher.num_docs)

    @property
    def dead(self) -> int:
        """How many were left out whose words are still on disk; 0 when the library does not say."""
        try:
            segments = json.loads((self._folder / "meta.json").read_bytes())["segments"]
            return sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return 0

    def frequency(self, word: str) -> int:
        """In how many turns a word stands."""
        return int(self._searcher.doc_freq("body", word))

    def best(
        self, words: Sequence[str], most: int, *, without: str, trusted_only: bool
    ) -> list[tuple[int, float]]:
        """The best places and their BM25 scores, the best first, never of the session ``without``."""
        query = self._query(words, without=without, trusted_only=trusted_only)
        try:
            found = self._searcher.search(query, most, count=False).hits
            places = self._searcher.fast_field_values("place", [address for _, address in found])
        except ValueError as error:
            raise _unusable(error) from None
        scored = zip(places, found, strict=True)
        return [(int(place), float(score)) for place, (score, _) in scored if place is not None]

    def _query(self, words: Sequence[str], *, without: str, trusted_only: bool) -> Any:
        tantivy = self._tantivy
        query, occur = tantivy.Query, tantivy.Occur
        any_of = query.boolean_query(
            [(occur.Should, query.term_query(self._schema, "body", word, "freq")) for word in words]
        )
        parts = [(occur.Must, any_of)]
        if without:
            parts.append((occur.MustNot, query.term_query(self._schema, "session", without, "basic")))
        if trusted_only:
            parts.append((occur.MustNot, query.term_query(self._schema, "shy", 1, "basic")))
        return query.boolean_query(parts)


def _give_back_memory() -> None:
    """The writer's threads leave tens of megabytes of free memory in the process, which glibc keeps."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _unusable(error: ValueError) -> RecallIndexError:
    return RecallIndexError(f"the words of the recall index cannot be used: {_reason(error)}", damaged=True)


def _reason(error: ValueError) -> str:
    """The system's own words for an error that the library wraps; a damage has none."""
    found = _SYSTEM.search(str(error))
    return "they are damaged" if found is None else os.strerror(int(found[1])).lower()


def _schema(tantivy: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("place", indexed=False, stored=False, fast=True)
    builder.add_text_field("session", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("shy", indexed=True, stored=False, fast=False)
    builder.add_text_field("body", stored=False, tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


def drop_words(folder: Path) -> None:
    """Remove the folder. Nothing of it may be open."""
    shutil.rmtree(folder, ignore_errors=True)
