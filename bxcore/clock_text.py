"""Dates and times as the model reads them; pure, the time comes from the caller."""

from __future__ import annotations

from datetime import datetime, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def clock_answer(now: datetime) -> str:
    """The answer of ``clock``: weekday, date, time, zone; ``now`` carries its zone.

    Such as ``Monday 2026-11-30 19:16:35 CET (UTC+01:00)``.
    """
    name = now.tzname() or ""
    offset = _offset(now)
    zone = offset if name in {"", offset} else f"{name} ({offset})"
    return f"{WEEKDAYS[now.weekday()]} {now:%Y-%m-%d %H:%M:%S} {zone}"


def stamp(now: datetime) -> str:
    """ISO 8601 to the second with its offset, as a ``User`` record keeps it."""
    return now.isoformat(timespec="seconds")


def spoken(at: str) -> str:
    """A record's stamp as a turn shows it, ``Monday 2026-11-30 19:16 UTC+01:00``; empty when unreadable."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return ""
    return f"{WEEKDAYS[moment.weekday()]} {moment:%Y-%m-%d %H:%M} {_offset(moment)}".rstrip()


def _offset(moment: datetime) -> str:
    found = moment.utcoffset()
    if found is None:
        return ""
    if not found:
        return "UTC"
    minutes = abs(found) // timedelta(minutes=1)
    return f"UTC{'-' if found < timedelta(0) else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
