"""How a person names a day from another one, and which days each phrase covers.

Written apart from ``bxcore.recall_time``, which is measured with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}


def phrases(day: date, today: date) -> Iterator[tuple[str, frozenset[date]]]:
    """Each way to name ``day`` on ``today``, with all the days that it may mean."""
    yield f"on {day.day} {day:%B}", frozenset({day})
    yield f"on {day:%B} {day.day}, {day.year}", frozenset({day})
    yield f"on {day.isoformat()}", frozenset({day})
    if day == today - timedelta(1):
        yield "yesterday", frozenset({day})
    if today - timedelta(7) <= day < today:
        yield f"last {day:%A}", frozenset({day})
    monday = today - timedelta(today.weekday())
    weeks = (monday - (day - timedelta(day.weekday()))).days // 7
    week = frozenset(day - timedelta(day.weekday()) + timedelta(n) for n in range(7))
    if weeks == 1:
        yield "last week", week
    if weeks in COUNTS:
        yield f"{COUNTS[weeks]} weeks ago", week
    yield from by_month(day, today)


def by_month(day: date, today: date) -> Iterator[tuple[str, frozenset[date]]]:
    first = day.replace(day=1)
    month = frozenset(first + timedelta(n) for n in range(31) if (first + timedelta(n)).month == day.month)
    months = (today.year - day.year) * 12 + today.month - day.month
    if months == 0:
        yield "this month", month
    if months == 1:
        yield "last month", month
    if months in COUNTS:
        yield f"{COUNTS[months]} months ago", month
    if 0 < months < 12:
        yield f"in {day:%B}", month
    yield f"in {day:%B} {day.year}", month
