"""Lists in pages: ``{"items", "total", "page", "size", "pages"}``, 50 an item page, at most 100."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bxio.embedded_honcho.bodies import Page
from bxio.embedded_honcho.filters import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What to list: a table (or a join), its conditions, its order, and how a row is shown."""

    table: str
    where: tuple[Condition, ...]
    order: str
    show: Callable[[sqlite3.Row], dict[str, Any]]


def page_of(tx: sqlite3.Connection, listing: Listing, page: Page) -> dict[str, Any]:
    """One page; beyond the end it is empty."""
    where = " AND ".join(f"({each.sql})" for each in listing.where) or "1"
    values = tuple(value for each in listing.where for value in each.values)
    total = tx.execute(f"SELECT count(*) FROM {listing.table} WHERE {where}", values).fetchone()[0]  # noqa: S608 - our own names
    rows = tx.execute(
        f"SELECT * FROM {listing.table} WHERE {where} ORDER BY {listing.order}"  # noqa: S608 - our own names
        f" {'DESC' if page.reverse else 'ASC'} LIMIT ? OFFSET ?",
        (*values, page.size, (page.page - 1) * page.size),
    )
    return {
        "items": [listing.show(row) for row in rows],
        "total": total,
        "page": page.page,
        "size": page.size,
        "pages": -(-total // page.size),
    }
