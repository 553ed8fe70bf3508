"""Texts, labels and what of which log is in: the part of the index that is SQLite (spec 4.3).

One connection, used by one thread. It is a cache, so a write is not synced: what a power cut damages is seen
at the next start and made anew. Rows are numbered as they come, so a higher number is a newer item.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from bxcore.labels import Label, Level
from bxcore.recall_hits import Hit, Note
from bxcore.recall_time import Span
from bxio.recall.errors import RecallIndexError
from bxio.sqlite_journal import journal_mode

VERSION = 4
"""Of the tables below and of the words; an index of another version is made anew."""
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite's primary codes for a file that is not what it should be; the first is for a table that is gone."""
LOOKED_THROUGH = 500_000_000
"""Bytes of the largest file whose every page a start looks at, in less than a second; damage in a larger one
shows when it is read."""
FREED = 1_000
"""Pages that are given back to the disk at once."""
NOTES = ""
"""The session of a note's row; no session is called so."""
_TABLES = f"""
CREATE TABLE logs (
    session TEXT PRIMARY KEY, log TEXT NOT NULL, size INTEGER NOT NULL, turns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE docs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, turn INTEGER NOT NULL, at TEXT NOT NULL,
    level INTEGER NOT NULL, untrusted INTEGER NOT NULL, said TEXT NOT NULL, reply TEXT NOT NULL,
    UNIQUE (session, turn)
);
CREATE INDEX docs_at ON docs (at);
CREATE TABLE merged (upto INTEGER NOT NULL, number INTEGER NOT NULL, characters INTEGER NOT NULL);
INSERT INTO merged VALUES (0, 0, 0);
CREATE TABLE left_out (turns INTEGER NOT NULL);
INSERT INTO left_out VALUES (0);
PRAGMA user_version = {VERSION};
"""  # noqa: S608 - our own number
_ADD = "INSERT INTO docs (session, turn, at, level, untrusted, said, reply) VALUES (?,?,?,?,?,?,?)"


class Doc(NamedTuple):
    """A row as the words take it in; ``shy`` is 1 when a trusted session is not to be shown it unasked."""

    place: int
    session: str
    said: str
    reply: str
    shy: int


class Merged(NamedTuple):
    """Up to which place turns are in the words, how many those are, and how many characters they have."""

    upto: int
    number: int
    characters: int

    def more(self, docs: Sequence[Doc]) -> Merged:
        """With these turns put in too."""
        added = sum(len(doc.said) + len(doc.reply) for doc in docs)
        return Merged(docs[-1].place, self.number + len(docs), self.characters + added)

    def of_them(self, number: int) -> Merged:
        """With only so many of these turns left."""
        return Merged(self.upto, number, self.characters * number // max(self.number, 1))


NOTHING = Merged(0, 0, 0)


class Store:
    """The tables of one file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @classmethod
    def open(cls, path: Path) -> tuple[Self, str | None]:
        """Open it, or make it anew when it is missing, damaged or of another version, and say why.

        Raises ``RecallIndexError`` when no file can be made there.
        """
        try:
            why = unsound(path)
            if why is not None:
                remove(path)
            fresh = not path.exists()
            connection = _connect(path)
            if fresh:
                path.chmod(0o600)
                connection.executescript(f"BEGIN;{_TABLES}COMMIT;")
        except (sqlite3.Error, OSError) as error:
            reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
            raise RecallIndexError(f"the recall index {path.name} cannot be made: {reason}") from None
        return cls(connection), why or ("missing" if fresh else None)

    def add(self, session: str, rows: Iterable[tuple[int, str, Label, str, str]]) -> list[int]:
        """Add turns of a session: number, time, label, what was said, the reply. Gives their places."""
        places = []
        for turn, at, label, said, reply in rows:
            row = (session, turn, at, label.level, label.untrusted, said, reply)
            places.append(self._db.execute(_ADD, row).lastrowid or 0)
        return places

    def add_notes(self, notes: Iterable[Note]) -> None:
        """Add notes, numbered from 1."""
        rows = ((number, "", note.label, note.text, "") for number, note in enumerate(notes, 1))
        self.add(NOTES, rows)

    def remove(self, session: str, turns: Collection[int] | None = None) -> list[int]:
        """Drop turns of a session, all for None; gives the places that are free now."""
        if turns is None:
            found = self._db.execute("DELETE FROM docs WHERE session = ? RETURNING id", (session,)).fetchall()
            return [place for (place,) in found]
        gone: list[int] = []
        for turn in turns:
            statement = "DELETE FROM docs WHERE session = ? AND turn = ? RETURNING id"
            gone += [place for (place,) in self._db.execute(statement, (session, turn)).fetchall()]
        return gone

    def note_log(self, session: str, log: str, size: int, turns: int) -> None:
        """Note that a session's log is in up to turn ``turns``."""
        self._db.execute("INSERT OR REPLACE INTO logs VALUES (?, ?, ?, ?)", (session, log, size, turns))

    def forget_log(self, session: str) -> None:
        """Know nothing of a session's log any more."""
        self._db.execute("DELETE FROM logs WHERE session = ?", (session,))

    def resize_log(self, session: str, size: int) -> None:
        """Note that a log is of another size, with nothing new in it."""
        self._db.execute("UPDATE logs SET size = ? WHERE session = ?", (size, session))

    def log_of(self, session: str) -> tuple[str, int]:
        """The log of a session that is in, and up to which turn; an empty name and 0 for none."""
        found = self._db.execute("SELECT log, turns FROM logs WHERE session = ?", (session,)).fetchone()
        return (found[0], int(found[1])) if found else ("", 0)

    def sizes(self) -> dict[str, int]:
        """The bytes that each session's log had when it was taken in."""
        return dict(self._db.execute("SELECT session, size FROM logs").fetchall())

    def counts(self) -> tuple[int, int]:
        """How many turns and how many notes it holds."""
        every = self._count("SELECT count(*) FROM docs")  # two counts, each over an index and quick
        notes = self._count("SELECT count(*) FROM docs WHERE session = ''")
        return every - notes, notes

    def _count(self, statement: str) -> int:
        return int(self._db.execute(statement).fetchone()[0])

    def newest(self) -> int:
        """The highest place, 0 for none."""
        return int(self._db.execute("SELECT max(id) FROM docs").fetchone()[0] or 0)

    def hits(self, scores: Sequence[tuple[int, float]]) -> list[Hit]:
        """The rows at some places, each with its score; a place that is free is left out."""
        places = json.dumps([place for place, _ in scores])
        statement = "SELECT * FROM docs WHERE id IN (SELECT value FROM json_each(?))"
        # The cursor has no name: an error's traceback would keep it, and its lock on a damaged file.
        rows = {row[0]: row for row in self._db.execute(statement, (places,)).fetchall()}
        return [_hit(rows[place], score) for place, score in scores if place in rows]

    def within(self, places: Sequence[int], span: Span) -> set[int]:
        """Those of the places whose turn was in a time."""
        statement = "SELECT id FROM docs WHERE id IN (SELECT value FROM json_each(?)) AND at >= ? AND at < ?"
        return {place for (place,) in self._db.execute(statement, (json.dumps(places), *span.bounds()))}

    def places_behind(self, session: str, turn: int) -> frozenset[int]:
        """The places of a session's turns behind one of them."""
        found = self._db.execute("SELECT id FROM docs WHERE session = ? AND turn > ?", (session, turn))
        return frozenset(place for (place,) in found.fetchall())

    def of_a_time(self, span: Span, most: int, *, without: str, trusted_only: bool) -> list[int]:
        """The turns of a time, the newest first, never of ``without``; trusted ones alone on demand."""
        shy = " AND NOT (untrusted OR level > 1)" if trusted_only else ""
        where = f"at >= ? AND at < ? AND session <> ?{shy}"
        statement = f"SELECT id FROM docs WHERE {where} ORDER BY at DESC LIMIT ?"  # noqa: S608 - our own clauses
        found = self._db.execute(statement, (*span.bounds(), without, most))
        return [place for (place,) in found.fetchall()]

    def docs_from(self, place: int, most: int) -> list[Doc]:
        """The next turns and notes behind a place, at most ``most``."""
        rows = self._db.execute(
            "SELECT id, session, said, reply, untrusted OR level > 1 FROM docs"
            " WHERE id > ? ORDER BY id LIMIT ?",
            (place, most),
        )
        return [Doc._make(row) for row in rows.fetchall()]

    @property
    def connection(self) -> sqlite3.Connection:
        """The one connection, for what else lies in this file."""
        return self._db

    # What was left out, to stay within the disk's bound.

    def oldest(self, turns: int) -> list[str]:
        """The sessions that were quiet for longest, of so many turns together, but never the last one."""
        rows = self._db.execute(
            "SELECT session, count(*) FROM docs WHERE session <> '' GROUP BY session ORDER BY max(id)"
        ).fetchall()
        found: list[str] = []
        for session, count in rows[:-1]:
            if turns <= 0:
                break
            found.append(session)
            turns -= count
        return found

    def left_out(self) -> int:
        """How many turns were left out so far."""
        return self._count("SELECT turns FROM left_out")

    def note_left_out(self, turns: int) -> None:
        """Count so many more."""
        self._db.execute("UPDATE left_out SET turns = turns + ?", (turns,))

    def shrink(self) -> None:
        """Give some pages that are free back to the disk."""
        with self.reading():
            self._db.executescript(
                f"PRAGMA incremental_vacuum({FREED})"
            )  # a step a page, which execute is not

    # What of it is in the words.

    def merged(self) -> Merged:
        """What was put into the words since they were made."""
        return Merged._make(self._db.execute("SELECT upto, number, characters FROM merged").fetchone())

    def note_merged(self, merged: Merged) -> None:
        """Note it."""
        self._db.execute("UPDATE merged SET upto = ?, number = ?, characters = ?", merged)

    def turns_from(self, place: int, most: int) -> list[Doc]:
        """The next turns behind a place, at most ``most``."""
        rows = self._db.execute(
            "SELECT id, session, said, reply, untrusted OR level > 1 FROM docs"
            " WHERE id > ? AND session <> '' ORDER BY id LIMIT ?",
            (place, most),
        )
        return [Doc._make(row) for row in rows.fetchall()]

    def count_from(self, place: int) -> int:
        """How many turns are behind a place."""
        found = self._db.execute("SELECT count(*) FROM docs WHERE id > ? AND session <> ''", (place,))
        return int(found.fetchone()[0])

    def notes(self) -> list[Doc]:
        """Every note."""
        rows = self._db.execute(
            "SELECT id, session, said, reply, untrusted OR level > 1 FROM docs WHERE session = ''"
        )
        return [Doc._make(row) for row in rows.fetchall()]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All or nothing."""
        with self.reading():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """The same, on disk when it is over, and no text of what was there in SQLite's own journal."""
        with self.reading():
            self._db.execute("PRAGMA synchronous = FULL")
        try:
            with self.writing():
                yield
        finally:
            with self.reading():
                self._db.execute("PRAGMA synchronous = OFF")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Have what SQLite says as a ``RecallIndexError``."""
        try:
            yield
        except sqlite3.Error as error:
            reason = "a text in it is none" if _is_no_text(error) else error
            sentence = f"the recall index cannot be used: {reason}"
            raise RecallIndexError(sentence, damaged=_is_damage(error)) from None

    def close(self) -> None:
        """Close the one connection; a second call does nothing."""
        self._db.close()


def remove(path: Path) -> None:
    """Remove the file and what SQLite keeps beside it. No connection may be open."""
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def unsound(path: Path) -> str | None:
    """Why the file that is there cannot be used; None when it can, or when there is none."""
    if not path.exists():
        return None
    connection = None
    try:
        connection = _connect(path)
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            return "of another version"
        connection.execute("SELECT upto FROM merged").fetchone()
        if path.stat().st_size <= LOOKED_THROUGH and not _is_whole(connection):
            return "damaged"
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise
        return "damaged"
    finally:
        if connection is not None:
            connection.close()
    return None


def _is_whole(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, rather than the disk, its rights or another holder."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE or _is_no_text(error)


def _is_no_text(error: sqlite3.Error) -> bool:
    """Whether bytes were read that are no UTF-8. The error quotes them, so it may be shown to nobody."""
    return isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a file that is new; before all else
    connection.execute(f"PRAGMA journal_mode = {journal_mode()}")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what was forgotten is in no free page
    return connection


def _hit(row: tuple[int, str, int, str, int, int, str, str], score: float) -> Hit:
    place, session, turn, at, level, untrusted, said, reply = row
    return Hit(
        place=place,
        score=score,
        session=session,
        turn=turn,
        at=at,
        label=Label(Level(level), bool(untrusted)),
        said=said,
        reply=reply,
    )
