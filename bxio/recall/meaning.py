"""What texts mean, beside their words: vectors in the index's own file, the nearest to a question (spec 4.3).

It is there when the extra ``semantic`` is installed; without it recall works by words alone. numpy and the
table are imported when something is looked for first, not when the box starts. The vectors go with their
docs by a trigger, so that a forgotten turn leaves none even while this is off.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from bxcore import recall_query
from bxcore.recall_time import Span

if TYPE_CHECKING:
    from bxio.recall.meaning_codes import Codes
    from bxio.recall.meaning_table import Table

RESCORED = 300
"""Vectors that are read from the file for one question."""
SHORT = 25
"""Characters of what was said from which it says itself what the turn is of; below, the reply does too."""
AT_ONCE = 4_000
"""Vectors that are read at once when the codes are made."""
OF_A_TIME = 50_000
"""Docs of a named time that are looked at one by one; of a longer time only the nearest of all are."""
_TABLES = (
    "DROP TRIGGER IF EXISTS meaning_gone",
    "DROP TABLE IF EXISTS meanings",
    "DROP TABLE IF EXISTS meant",
    "CREATE TABLE meanings (place INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE TABLE meant (made_by TEXT NOT NULL, upto INTEGER NOT NULL)",
    "CREATE TRIGGER meaning_gone AFTER DELETE ON docs BEGIN DELETE FROM meanings WHERE place = old.id; END",
)
_NEAR = "SELECT place, vector FROM meanings WHERE place IN (SELECT value FROM json_each(?))"
_NOT_SHY = " AND place IN (SELECT id FROM docs WHERE id = place AND NOT (untrusted OR level > 1))"
_OF_A_TIME = " AND place IN (SELECT id FROM docs WHERE id = place AND at >= ? AND at < ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Which items may be found: none of the session ``without``, none that would taint, those of a time.

    None of the places that are ``hidden`` either.
    """

    without: str = ""
    hidden: frozenset[int] = frozenset()
    trusted_only: bool = False
    span: Span | None = None


def installed() -> bool:
    """Whether the libraries of the extra ``semantic`` are there; none of them is imported."""
    return all(find_spec(name) is not None for name in ("numpy", "wordllama"))


class Meaning:
    """Made from the index's own connection, which one thread uses. ``upto`` is the last place taken in."""

    def __init__(self, db: sqlite3.Connection, table: Table, upto: int) -> None:
        self._db = db
        self._table = table
        self._codes: Codes | None = None
        self.upto = upto

    @classmethod
    def open(cls, db: sqlite3.Connection) -> Self:
        """Read the table, and make the tables of the file where they are missing or another table's.

        Wants a transaction. Raises ``TableError`` when the library's files cannot be used.
        """
        from bxio.recall.meaning_table import MADE_BY, Table, TableError, package_folder

        folder = package_folder()
        if folder is None:
            raise TableError("the table of meanings is not installed")
        table = Table.read(folder)
        there = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meant'").fetchone()[0]
        found = db.execute("SELECT made_by, upto FROM meant").fetchone() if there else None
        if found is not None and found[0] == MADE_BY:
            return cls(db, table, int(found[1]))
        for statement in _TABLES:
            db.execute(statement)
        db.execute("INSERT INTO meant VALUES (?, 0)", (MADE_BY,))
        return cls(db, table, 0)

    @staticmethod
    def taken_in(db: sqlite3.Connection) -> int:
        """The last place taken in, without a library; 0 when none is."""
        there = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meant'").fetchone()[0]
        found = db.execute("SELECT upto FROM meant").fetchone() if there else None
        return int(found[0]) if found else 0

    def add(self, docs: Sequence[tuple[int, str, str]]) -> None:
        """Take in some docs as (place, said, reply), each behind all before.

        Wants a transaction; when that fails, this object is of no more use.
        """
        import numpy as np

        places = [place for place, _, _ in docs]
        vectors = self._table.vectors([_text(said, reply) for _, said, reply in docs])
        rows = np.rint(vectors * np.float32(127)).astype(np.int8)
        given = ((place, row.tobytes()) for place, row in zip(places, rows, strict=True))
        self._db.executemany("INSERT INTO meanings VALUES (?, ?)", given)
        self.upto = max(places, default=self.upto)
        self._db.execute("UPDATE meant SET upto = ?", (self.upto,))
        if self._codes is not None:
            self._codes.add(places, rows)

    def remove(self, places: Sequence[int]) -> None:
        """Forget the codes at some places; their rows went with the docs."""
        if self._codes is not None:
            self._codes.remove(places)

    def nearest(self, query: str, n: int, among: Among) -> list[tuple[int, float]]:
        """The ``n`` places nearest in meaning with their cosines, the nearest first."""
        import numpy as np

        if not self._table.knows(recall_query.terms(query)):
            return []
        vector = self._table.vectors([query])[0]
        own = self._own(among.without) | among.hidden
        near = self._ready_codes().nearest(vector, RESCORED + len(own), self._of_the_time(among))
        rows = self._rows([place for place in near if place not in own], among)
        if not rows:
            return []
        wide = np.frombuffer(b"".join(row for _, row in rows), np.int8).reshape(len(rows), -1)
        wide = wide.astype(np.float32)
        lengths = np.maximum(np.linalg.norm(wide, axis=1), np.float32(1))
        scores = (wide @ vector) / lengths
        best = np.argsort(-scores, kind="stable")[:n]
        return [(rows[at][0], float(scores[at])) for at in best]

    def _own(self, session: str) -> set[int]:
        """The places of a session that is left out."""
        if not session:
            return set()
        return {place for (place,) in self._db.execute("SELECT id FROM docs WHERE session = ?", (session,))}

    def _rows(self, places: Sequence[int], among: Among) -> list[tuple[int, bytes]]:
        statement, values = _NEAR, [json.dumps(places)]
        if among.trusted_only:
            statement += _NOT_SHY
        if among.span is not None:
            statement += _OF_A_TIME
            values += among.span.bounds()
        return self._db.execute(statement, values).fetchall()

    def _of_the_time(self, among: Among) -> list[int] | None:
        """The places of the named time; None for all, or for more than are looked at one by one."""
        if among.span is None:
            return None
        statement = f"SELECT id FROM docs WHERE at >= ? AND at < ? LIMIT {OF_A_TIME + 1}"  # noqa: S608 - our number
        found = self._db.execute(statement, among.span.bounds()).fetchall()
        return None if len(found) > OF_A_TIME else [place for (place,) in found]

    def _ready_codes(self) -> Codes:
        if self._codes is None:
            import numpy as np

            from bxio.recall.meaning_codes import Codes
            from bxio.recall.meaning_table import DIMENSIONS

            self._codes = Codes(DIMENSIONS)
            found = self._db.execute("SELECT place, vector FROM meanings ORDER BY place")
            while rows := found.fetchmany(AT_ONCE):
                vectors = np.frombuffer(b"".join(row for _, row in rows), np.int8).reshape(len(rows), -1)
                self._codes.add([place for place, _ in rows], vectors)
        return self._codes


def _text(said: str, reply: str) -> str:
    """What of a turn is given a meaning: a reply is mostly about what was said, and would blur it."""
    return said if len(said) >= SHORT else f"{said} {reply}"
