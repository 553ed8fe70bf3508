"""The meanings of an index, made when first wanted and kept up with its docs (spec 4.3).

Docs are taken in some at a time: a few when something is looked for, many when the index settles.
"""

from __future__ import annotations

from loguru import logger

from bxio.recall.errors import RecallIndexError
from bxio.recall.meaning import Meaning, installed
from bxio.recall.store import Store

AT_A_SEARCH = 1_000
"""Docs that are taken in before a search; it takes some milliseconds."""


class MeaningKept:
    """``wanted`` is whether recall by meaning is switched on. ``problem`` says why there is none, or None."""

    def __init__(self, store: Store, *, wanted: bool) -> None:
        self._store = store
        self._on = wanted and installed()
        self._meaning: Meaning | None = None
        self._upto: int | None = None
        self.problem: str | None = None

    def ready(self) -> Meaning | None:
        """The meanings with the newest docs in, unless very many are missing; None when there are none."""
        if self._on and (self._meaning is None or self._behind() > 0):
            self._take_in(AT_A_SEARCH)
        return self._meaning

    def settle(self, least: int, most: int) -> bool:
        """Take in up to ``most`` docs when ``least`` are missing; whether as many still are."""
        if not self._on:
            return False
        if self._behind() < least:
            return False
        self._take_in(most)
        return self._behind() >= least and self.problem is None

    def drop(self, places: list[int]) -> None:
        """Let go of docs that are gone from the store."""
        if self._meaning is not None:
            self._meaning.remove(places)

    def _behind(self) -> int:
        if self._upto is None:
            self._upto = Meaning.taken_in(self._store.connection)
        return self._store.newest() - self._upto

    def _take_in(self, most: int) -> None:
        """In a transaction of its own; after a failure the meanings are read again from the file."""
        from bxio.recall.meaning_table import TableError

        try:
            with self._store.writing():
                if self._meaning is None:
                    self._meaning = Meaning.open(self._store.connection)
                docs = self._store.docs_from(self._meaning.upto, most)
                if docs:
                    given = [(doc.place, doc.said, doc.reply) for doc in docs]
                    self._meaning.add(given)
            self._upto = self._meaning.upto
        except TableError as error:
            self._on, self.problem = False, error.sentence
            logger.warning("recall: {}; it looks by words alone", error.sentence)
        except RecallIndexError:
            self._meaning = self._upto = None
            raise
