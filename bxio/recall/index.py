"""The index as memory uses it: a store of texts, the words of most of them, and a tail of the newest (4.3).

A turn is in the tail the moment it is there, which costs no sync. When the tail has grown, it is put into the
words in one go. Only redacted text is handed to it. One thread uses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Self, TypeAlias

from bxcore import recall_query
from bxcore.errors import system_reason
from bxcore.finished_turns import FinishedTurn
from bxcore.recall_hits import Hit, Note
from bxcore.recall_snippet import around
from bxcore.recall_tail import Elsewhere, Tail
from bxio.folders import sync_folder
from bxio.recall import store as stores
from bxio.recall.errors import RecallIndexError
from bxio.recall.looking import Looking
from bxio.recall.meaning import Among
from bxio.recall.meaning_kept import MeaningKept
from bxio.recall.store import Doc, Store
from bxio.recall.words import Words, analyzer, drop_words

WHOLE = 560
"""A longer text is shown as the part around its best words."""
TAIL = 256
"""Turns that the tail holds before they are put into the words."""
CHARACTERS = 6.0
"""Of a word and what parts it from the next, about."""
LEFT_OUT = 2_000
"""Turns that are left out at once when the files take too much."""
SPARE = 0.02
"""The share of all turns that is left out beyond what is needed, so that it is not needed at each turn."""
BATCH = 5_000
"""Turns that are put into the words at once, which takes a tenth of a second."""


Gone: TypeAlias = tuple[str, Collection[int] | None, int]
"""Turns of a session that go, all for None, and the bytes that its log has now."""


class RecallIndex:
    """``made_anew`` says why the index is empty and wants to be filled, or None."""

    def __init__(self, path: Path, store: Store, made_anew: str | None, *, semantic: bool) -> None:
        self._path = path
        self._store = store
        self.made_anew = made_anew
        self._tail: Tail | None = None
        """None until something is looked for, or the words are: a start reads no text."""
        self._words: Words | None = None
        self._analyze: Callable[[str], list[str]] | None = None
        self._meaning = MeaningKept(store, wanted=semantic)
        self._fresh = self._unmerged()

    @classmethod
    def open(cls, path: Path, *, semantic: bool = False) -> Self:
        """Open the index, or make it anew when it is missing, damaged or of another version.

        With ``semantic`` it looks by meaning too, if the libraries for that are installed. Raises
        ``RecallIndexError`` when no file can be made there.
        """
        store, made_anew = Store.open(path)
        if made_anew is not None:
            drop_words(_folder(path))
        try:
            return cls(path, store, made_anew, semantic=semantic)
        except RecallIndexError as error:
            store.close()
            if not error.damaged or made_anew is not None:
                raise
        stores.remove(path)
        opened = cls.open(path, semantic=semantic)
        opened.made_anew = "damaged"
        return opened

    # Taking in.

    def add_turns(
        self, session: str, turns: Iterable[FinishedTurn], *, size: int, upto: int, log: str = ""
    ) -> None:
        """Take in finished turns of a session; its ``log`` of ``size`` bytes is in up to turn ``upto`` then.

        What it had of another log of that name goes.
        """
        added = list(turns)
        with self._store.writing():
            gone: list[int] = []
            if self._store.log_of(session)[0] not in {log, ""}:
                gone = self._store.remove(session)
            gone += self._store.remove(session, [turn.turn for turn in added])
            rows = [(turn.turn, turn.at, turn.label, turn.user, turn.reply) for turn in added]
            places = self._store.add(session, rows)
            self._store.note_log(session, log, size, upto)
        self._fresh += len(places)
        self._meaning.drop(gone)
        if self._tail is not None:
            self._tail.drop(gone)
            self._take(
                Doc(place, session, turn.user, turn.reply, int(not turn.label.is_plain))
                for place, turn in zip(places, added, strict=True)
            )

    def settle(self, least: int = TAIL) -> bool:
        """Put a tail of ``least`` turns where it is found quickest, a batch; whether there is more to do."""
        more = self._meaning.settle(least, BATCH)
        return self._settle_words(least) or more

    def _settle_words(self, least: int) -> bool:
        if self._fresh < least:
            return False
        words = self._opened_words()
        merged = self._store.merged()
        docs = self._store.turns_from(merged.upto, BATCH)
        if docs:
            words.add(docs)
            with self._store.writing():
                self._store.note_merged(merged.more(docs))
        self._fresh = self._unmerged()
        self._tail = None
        return self._fresh >= least

    def set_notes(self, notes: Iterable[Note]) -> None:
        """Hold these notes, and no others."""
        with self._store.writing():
            gone = self._store.remove(stores.NOTES)
            self._store.add_notes(notes)
        self._meaning.drop(gone)
        if self._tail is not None:
            self._tail.drop(gone)
            self._take(self._store.notes())

    def forget(self, session: str, turns: Collection[int] | None, *, size: int) -> None:
        """Drop a session's turns, all for None, so that their words are in no file of the index.

        ``size`` is what its log has now, in bytes. The words are made anew from the store.
        """
        self.forget_each([(session, turns, size)])

    def forget_each(self, gone: Iterable[Gone], *, again: bool = False) -> None:
        """The same for turns of several sessions: session, turns, size. The words are made anew once.

        With ``again`` a crash may have come between store and words; then the words are made anew when
        something is looked for next.
        """
        places: list[int] = []
        with self._store.forgetting():
            for session, turns, size in gone:
                if turns is None:
                    self._store.forget_log(session)
                else:
                    self._store.resize_log(session, size)
                places += self._store.remove(session, turns)
            in_words = any(place <= self._store.merged().upto for place in places)
        self._meaning.drop(places)
        if again:
            self._words = self._tail = None
            drop_words(_folder(self._path))
        elif in_words:
            self._make_words_anew()
        elif self._tail is not None:
            self._tail.drop(places)
        self._fresh = self._unmerged()
        try:
            sync_folder(self._path.parent)
        except OSError as error:
            sentence = f"what the recall index forgot is not on disk yet: {system_reason(error)}"
            raise RecallIndexError(sentence) from None

    def bound(self, most_bytes: int) -> int:
        """Leave out the oldest turns when the files take more, some at a time; how many went."""
        disk = self.disk_bytes()
        if disk <= most_bytes:
            return 0
        turns, _ = self.counts()
        wanted = min(LEFT_OUT, math.ceil(turns * ((disk - most_bytes) / disk + SPARE)))
        with self._store.writing():
            sessions = self._store.oldest(wanted)
            gone = [place for session in sessions for place in self._store.remove(session)]
            self._store.note_left_out(len(gone))
        self._store.shrink()
        self._leave_out_words(sessions, gone)
        return len(gone)

    def _leave_out_words(self, sessions: Sequence[str], gone: list[int]) -> None:
        self._meaning.drop(gone)
        if self._tail is not None:
            self._tail.drop(gone)
        words = self._ready_words() if gone else None
        if words is not None:
            words.leave_out(sessions)
            with self._store.writing():
                self._store.note_merged(self._store.merged().of_them(words.number))
            if words.dead > words.number:
                self._make_words_anew()
        self._fresh = self._unmerged()

    def left_out(self) -> int:
        """How many turns were left out so that its files stay within their bound."""
        with self._store.reading():
            return self._store.left_out()

    # What is in.

    def sizes(self) -> dict[str, int]:
        """The bytes that each session's log had when it was taken in."""
        with self._store.reading():
            return self._store.sizes()

    def turns_in(self, session: str, log: str = "") -> int:
        """Up to which turn this log of a session is taken in, 0 for none."""
        with self._store.reading():
            known, turns = self._store.log_of(session)
            return turns if known == log else 0

    def counts(self) -> tuple[int, int]:
        """How many turns and how many notes it holds."""
        with self._store.reading():
            return self._store.counts()

    def disk_bytes(self) -> int:
        """What its files take."""
        files = [*self._path.parent.glob(f"{self._path.name}*"), *_folder(self._path).glob("*")]
        return sum(path.stat().st_size for path in files if path.is_file())

    # Looking.

    def search(  # noqa: PLR0913 (all but the query are by name)
        self,
        query: str,
        *,
        k: int,
        without: str,
        but_upto: int = 0,
        trusted_only: bool = False,
        today: date | None = None,
    ) -> list[Hit]:
        """The ``k`` best hits, never of the session ``without``; with ``trusted_only`` none that would taint.

        Its turns up to ``but_upto`` are found all the same: the model no longer sees them (spec 3.4).
        A time that the query names is meant from ``today``, by default this machine's date. A long text is
        cut to the part around its best words.
        """
        terms = recall_query.terms(query)
        if not terms:
            return []
        with self._store.reading():
            among = self._among(without, but_upto, trusted_only=trusted_only)
            looking = Looking(self._store, self._scores, self._stems, self._meaning.ready())
            best = looking.best(query, k, among, today or datetime.now().astimezone().date())
        return [_shortened(hit, terms) for hit in best]

    def _among(self, without: str, but_upto: int, *, trusted_only: bool) -> Among:
        if not but_upto:
            return Among(without=without, trusted_only=trusted_only)
        return Among(hidden=self._store.places_behind(without, but_upto), trusted_only=trusted_only)

    @property
    def meaning_problem(self) -> str | None:
        """Why it does not look by meaning though it should and could; None until it has tried."""
        return self._meaning.problem

    def _scores(self, terms: tuple[str, ...], among: Among, most: int) -> list[tuple[int, float]]:
        """Places and scores of the best candidates, each place once."""
        words = self._ready_words()  # first: words that are made anew leave more to the tail
        tail = self._ready_tail()
        stems = list(dict.fromkeys(stem for term in terms for stem in self._stems(term)))
        without, trusted_only, hidden = among.without, among.trusted_only, among.hidden
        many = most + len(hidden)
        found = words.best(stems, many, without=without, trusted_only=trusted_only) if words else []
        newest = tail.best(stems, self._elsewhere(words), without=without, trusted_only=trusted_only)
        seen = ([one for one in some if one[0] not in hidden][:most] for some in (found, newest))
        return list({place: score for some in seen for place, score in some}.items())

    def _elsewhere(self, words: Words | None) -> Elsewhere:
        if words is None:
            return Elsewhere()
        length = self._store.merged().characters / CHARACTERS
        return Elsewhere(words.number, length, words.frequency)

    def _stems(self, text: str) -> list[str]:
        if self._analyze is None:
            self._analyze = analyzer()
        return self._analyze(text)

    def _take(self, docs: Iterable[Doc]) -> None:
        assert self._tail is not None
        for doc in docs:
            words = self._stems(f"{doc.said}\n{doc.reply}")
            self._tail.add(doc.place, doc.session, words, shy=bool(doc.shy))

    def _ready_tail(self) -> Tail:
        if self._tail is None:
            self._tail = Tail()
            self._take(self._store.notes())
            self._take(self._store.turns_from(self._store.merged().upto, self._fresh))
        return self._tail

    def _ready_words(self) -> Words | None:
        """The words, when something is in them; made anew when they do not hold what they should."""
        merged = self._store.merged()
        if not merged.number:
            return None
        words = self._opened_words()
        if words.number != merged.number:
            self._make_words_anew()
            return self._words if self._store.merged().number else None
        return words

    def _opened_words(self) -> Words:
        if self._words is None:
            try:
                self._words = Words(_folder(self._path))
            except RecallIndexError:
                self._make_words_anew()
        assert self._words is not None
        return self._words

    def _make_words_anew(self) -> None:
        """From the store, which has every text; it takes some seconds for a million."""
        self._words = self._tail = None
        drop_words(_folder(self._path))
        with self._store.writing():
            self._store.note_merged(stores.NOTHING)
        self._words = Words(_folder(self._path))
        self._fresh = self._unmerged()
        while self.settle():
            pass

    def _unmerged(self) -> int:
        """How many turns are not in the words."""
        with self._store.reading():
            return self._store.count_from(self._store.merged().upto)

    def close(self) -> None:
        """Close the files; a second call does nothing."""
        self._words = None
        self._store.close()


def drop(path: Path) -> None:
    """Remove the index with all that belongs to it. It may not be open."""
    stores.remove(path)
    drop_words(_folder(path))


def _folder(path: Path) -> Path:
    return path.with_suffix(".words")


def _shortened(hit: Hit, terms: tuple[str, ...]) -> Hit:
    if len(hit.said) + len(hit.reply) <= WHOLE:
        return hit
    return replace(hit, said=around(hit.said, terms), reply=around(hit.reply, terms))
