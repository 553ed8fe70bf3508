"""The full-text index of past turns and notes: a cache in SQLite, made anew when it is not sound (spec 4.3).

One connection, used by one thread. Only redacted text is handed to it. Rows are numbered as they come, so a
higher number is a newer item.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from bxcore import recall_query
from bxcore.errors import SentenceError
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import Label, Level
from bxcore.recall_hits import Hit, Note
from bxio.sqlite_journal import journal_mode

VERSION = 1
"""Of the tables below; an index of another version is made anew."""
CANDIDATES = 50
"""How many of the most relevant are put in order by age too."""
WHOLE = 560
"""A longer text is shown as the part around its best words."""
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite's primary codes for a file that is not what it should be; the first is for a table that is gone."""
_NOTES = ""
"""The session of a note's row; no session is called so."""
_TABLES = f"""
CREATE TABLE logs (session TEXT PRIMARY KEY, size INTEGER NOT NULL, turns INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE docs (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, turn INTEGER NOT NULL, at TEXT NOT NULL,
    level INTEGER NOT NULL, untrusted INTEGER NOT NULL, said TEXT NOT NULL, reply TEXT NOT NULL,
    UNIQUE (session, turn)
);
CREATE INDEX docs_shy ON docs (id) WHERE untrusted OR level > 1;
CREATE VIRTUAL TABLE words USING fts5 (
    said, reply, content='docs', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
PRAGMA user_version = {VERSION};
"""
_ADD = "INSERT INTO docs (session, turn, at, level, untrusted, said, reply) VALUES (?,?,?,?,?,?,?)"
_FIND = """
SELECT docs.id, found.score, session, turn, at, level, untrusted, said, reply
FROM (
    SELECT rowid, bm25(words) AS score FROM words
    WHERE words MATCH ? AND rowid NOT IN (SELECT id FROM docs WHERE session = ?) {shy}
    ORDER BY rank LIMIT ?
) AS found JOIN docs ON docs.id = found.rowid
"""
_NOT_SHY = "AND rowid NOT IN (SELECT id FROM docs WHERE untrusted OR level > 1)"


class RecallIndexError(SentenceError):
    """The index cannot be used; ``sentence`` says why. A ``damaged`` one is to be dropped and made anew."""

    def __init__(self, sentence: str, *, damaged: bool = False) -> None:
        super().__init__(sentence)
        self.damaged = damaged


class RecallIndex:
    """``made_anew`` says why the index is empty and wants to be filled, or None."""

    def __init__(self, connection: sqlite3.Connection, made_anew: str | None) -> None:
        self._db = connection
        self.made_anew = made_anew

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the index, or make it anew when it is missing, damaged or of another version.

        Raises ``RecallIndexError`` when no file can be made there.
        """
        try:
            why = _unsound(path)
            if why is not None:
                drop(path)
            fresh = not path.exists()
            connection = _connect(path)
            if fresh:
                path.chmod(0o600)
                connection.executescript(f"BEGIN;{_TABLES}COMMIT;")
        except (sqlite3.Error, OSError) as error:
            raise RecallIndexError(f"the recall index {path.name} cannot be made: {_reason(error)}") from None
        return cls(connection, why or ("missing" if fresh else None))

    def add_turns(self, session: str, turns: Iterable[FinishedTurn], *, size: int, upto: int) -> None:
        """Take in finished turns of a session; its log of ``size`` bytes is in up to turn ``upto`` then."""
        with self._writing():
            for turn in turns:
                row = (turn.at, turn.label.level, turn.label.untrusted, turn.user, turn.reply)
                self._remove("session = ? AND turn = ?", (session, turn.turn))
                self._add((session, turn.turn, *row))
            self._db.execute("INSERT OR REPLACE INTO logs VALUES (?, ?, ?)", (session, size, upto))

    def forget(self, session: str, turns: Collection[int] | None, *, size: int) -> None:
        """Drop a session's turns, all for None, so that their words are in no page of the file.

        ``size`` is what its log has now, in bytes.
        """
        with self._writing():
            if turns is None:
                self._remove("session = ?", (session,))
                self._db.execute("DELETE FROM logs WHERE session = ?", (session,))
            for turn in turns or ():
                self._remove("session = ? AND turn = ?", (session, turn))
            self._db.execute("UPDATE logs SET size = ? WHERE session = ?", (size, session))
            self._db.execute("INSERT INTO words (words) VALUES ('optimize')")

    def set_notes(self, notes: Iterable[Note]) -> None:
        """Hold these notes, and no others."""
        with self._writing():
            self._remove("session = ?", (_NOTES,))
            for number, note in enumerate(notes, 1):
                self._add((_NOTES, number, "", note.label.level, note.label.untrusted, note.text, ""))

    def _add(self, row: tuple[object, ...]) -> None:
        place = self._db.execute(_ADD, row).lastrowid
        self._db.execute("INSERT INTO words (rowid, said, reply) VALUES (?, ?, ?)", (place, *row[-2:]))

    def _remove(self, where: str, values: tuple[object, ...]) -> None:
        """The words go with the very text that brought them, as an external-content table wants it."""
        gone = f"SELECT 'delete', id, said, reply FROM docs WHERE {where}"  # noqa: S608 (our own two clauses)
        self._db.execute(f"INSERT INTO words (words, rowid, said, reply) {gone}", values)
        self._db.execute(f"DELETE FROM docs WHERE {where}", values)  # noqa: S608 (our own two clauses)

    def sizes(self) -> dict[str, int]:
        """The bytes that each session's log had when it was taken in."""
        with self._reading():
            return dict(self._db.execute("SELECT session, size FROM logs").fetchall())

    def turns_in(self, session: str) -> int:
        """Up to which turn a session is taken in, 0 for none."""
        with self._reading():
            found = self._db.execute("SELECT turns FROM logs WHERE session = ?", (session,)).fetchone()
            return int(found[0]) if found else 0

    def counts(self) -> tuple[int, int]:
        """How many turns and how many notes it holds."""
        with self._reading():
            total = self._db.execute("SELECT count(*), total(session = '') FROM docs").fetchone()
            return int(total[0] - total[1]), int(total[1])

    def search(self, query: str, *, k: int, without: str, trusted_only: bool = False) -> list[Hit]:
        """The ``k`` best hits, never of the session ``without``; with ``trusted_only`` none that would taint.

        A long text is cut to the part around its best words.
        """
        expression = recall_query.match_expression(query)
        if expression is None:
            return []
        statement = _FIND.format(shy=_NOT_SHY if trusted_only else "")
        with self._reading():
            rows = self._db.execute(statement, (expression, without or None, CANDIDATES)).fetchall()
            newest = self._db.execute("SELECT max(id) FROM docs").fetchone()[0] or 0
            best = recall_query.balanced((_hit(row) for row in rows), newest)[:k]
            return [self._shortened(hit, expression) for hit in best]

    def _shortened(self, hit: Hit, expression: str) -> Hit:
        if len(hit.said) + len(hit.reply) <= WHOLE:
            return hit
        parts = "snippet(words, 0, '', '', ' … ', 48), snippet(words, 1, '', '', ' … ', 48)"
        said, reply = self._db.execute(
            f"SELECT {parts} FROM words WHERE words MATCH ? AND rowid = ?",  # noqa: S608 (a constant)
            (expression, hit.place),
        ).fetchone()
        return replace(hit, said=said, reply=reply)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._reading():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            sentence = f"the recall index cannot be used: {error}"
            raise RecallIndexError(sentence, damaged=_is_damage(error)) from None

    def close(self) -> None:
        """Close the one connection; a second call does nothing."""
        self._db.close()


def drop(path: Path) -> None:
    """Remove the index and what SQLite keeps beside it. No connection may be open."""
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _unsound(path: Path) -> str | None:
    """Why the file that is there cannot be used; None when it can, or when there is none."""
    if not path.exists():
        return None
    connection = None
    try:
        connection = _connect(path)
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            return "of another version"
        checked = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if checked != "ok":
            return "damaged"
        connection.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise
        return "damaged"
    finally:
        if connection is not None:
            connection.close()
    return None


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, rather than the disk, its rights or another holder."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _reason(error: Exception) -> str:
    return (error.strerror or "") if isinstance(error, OSError) else str(error)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {journal_mode()}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what was forgotten is in no free page
    return connection


def _hit(row: tuple[int, float, str, int, str, int, int, str, str]) -> Hit:
    place, score, session, turn, at, level, untrusted, said, reply = row
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
