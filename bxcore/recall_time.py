"""The time that a question names, as a span of days (spec 4.3): "last week", "in May", "on 3 October".

English only. A month or a day without a year is the last one that has begun. A week is Monday to Sunday.
"on Monday" is no time here, since it asks as often for a habit; "last Monday" is.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTED = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_NUMBERS = {"a": 1, "an": 1, "couple of": 2, "few": 3} | {word: n for n, word in enumerate(_COUNTED, 1)}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?:of\s+)?(?P<year>(?:19|20)\d{2})\b)?"
_NUMBER = r"(?P<number>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNIT = r"(?P<unit>day|week|month|year)"
_LEAD = r"\b(?:(?P<since>since|after)\s+|(?:on|in|during|from|of|for|over)\s+)?"
_IN = r"\b(?:(?P<since>since)|in|during|last|this|of|from)\s+(?:early\s+|late\s+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Days from ``first`` to ``last``, both within; ``rest`` is the question without its words of time."""

    first: date
    last: date
    rest: str

    def holds(self, at: str) -> bool:
        """Whether a time (ISO 8601, or empty for none) lies in it."""
        return self.first.isoformat() <= at[:10] <= self.last.isoformat()

    def bounds(self) -> tuple[str, str]:
        """The same as texts: a time of the span is at least the first and less than the second."""
        return self.first.isoformat(), f"{self.last.isoformat()}~"


Days = tuple[date, date]
Found = re.Match[str]
_Reading = Callable[[Found, date], Days | None]


def span(query: str, today: date) -> Span | None:
    """The time that the question names; None when it names none, or one that is no date or not yet."""
    for pattern, days in _RULES:
        found = pattern.search(query)
        if found is None:
            continue
        first, last = days(found, today) or (date.max, date.max)
        if found.groupdict().get("since"):
            last = today
        if first <= min(last, today):
            rest = " ".join((query[: found.start()] + " " + query[found.end() :]).split())
            return Span(first=first, last=last, rest=rest)
    return None


def _iso(found: Found, _today: date) -> Days | None:
    return _one(_date(int(found["year"]), int(found["number"]), int(found["day"])))


def _day_of_month(found: Found, today: date) -> Days | None:
    month, day = _month_number(found), int(found["day"])
    if found["year"]:
        return _one(_date(int(found["year"]), month, day))
    this = _date(today.year, month, day)
    return _one(this if this and this <= today else _date(today.year - 1, month, day))


def _month(found: Found, today: date) -> Days | None:
    month = _month_number(found)
    year = int(found["year"] or 0) or (today.year if month <= today.month else today.year - 1)
    return _whole_month(year, month)


def _whole_year(found: Found, _today: date) -> Days:
    return date(int(found["year"]), 1, 1), date(int(found["year"]), 12, 31)


def _word(found: Found, today: date) -> Days:
    back = {"today": 0, "this": 0, "tonight": 0, "yesterday": 1, "last": 1, "the": 2}[found["word"].lower()]
    day = today - timedelta(back)
    return day, day


def _this(found: Found, today: date) -> Days:
    return _unit_back(found["unit"].lower(), 0, today)


def _last(found: Found, today: date) -> Days:
    return _unit_back(found["unit"].lower(), 1, today)


def _ago(found: Found, today: date) -> Days | None:
    return _unit_back(found["unit"].lower(), _number(found), today)


def _in_the_last(found: Found, today: date) -> Days | None:
    first, _ = _unit_back(found["unit"].lower(), _number(found), today)
    if found["unit"].lower() == "week":
        first = today - timedelta(weeks=_number(found))
    return first, today


def _weekend(found: Found, today: date) -> Days:
    monday = today - timedelta(today.weekday())
    saturday = monday - timedelta(2) if found["which"].lower() == "last" else monday + timedelta(5)
    return saturday, saturday + timedelta(1)


def _weekday(found: Found, today: date) -> Days:
    back = (today.weekday() - _DAYS.index(found["weekday"].lower())) % 7 or 7
    return today - timedelta(back), today - timedelta(back)


def _unit_back(unit: str, number: int, today: date) -> Days:
    """The whole day, week, month or year that lies ``number`` of them back."""
    if unit == "day":
        return today - timedelta(number), today - timedelta(number)
    if unit == "week":
        monday = today - timedelta(today.weekday()) - timedelta(weeks=number)
        return monday, monday + timedelta(6)
    if unit == "year":
        year = max(today.year - number, 1)
        return date(year, 1, 1), date(year, 12, 31)
    years, month = divmod(today.year * 12 + today.month - 1 - number, 12)
    return _whole_month(max(years, 1), month + 1)


def _whole_month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _month_number(found: Found) -> int:
    return _MONTHS.index(found["month"][:3].lower()) + 1


def _number(found: Found) -> int:
    text = " ".join(found["number"].lower().split())
    return int(text) if text.isdigit() else _NUMBERS[text]


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _one(day: date | None) -> Days | None:
    return None if day is None else (day, day)


def _rule(pattern: str, days: _Reading) -> tuple[re.Pattern[str], _Reading]:
    return re.compile(pattern, re.IGNORECASE), days


_RULES = (
    # The first that fits is taken, so the exact ones come first.
    _rule(_LEAD + r"(?P<year>(?:19|20)\d{2})-(?P<number>\d{2})-(?P<day>\d{2})\b", _iso),
    _rule(_LEAD + rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", _day_of_month),
    _rule(_LEAD + rf"{_MONTH}\s+(?:the\s+)?{_DAY}\b{_YEAR}", _day_of_month),
    _rule(_LEAD + r"(?P<word>the)\s+day\s+before\s+yesterday\b", _word),
    _rule(_LEAD + r"(?P<word>today|tonight|yesterday)\b(?:\s+(?:morning|evening|afternoon|night))?", _word),
    _rule(_LEAD + r"(?P<word>this)\s+(?:morning|afternoon|evening)\b", _word),
    _rule(_LEAD + r"(?P<word>last)\s+(?:night|evening)\b", _word),
    _rule(_LEAD + rf"(?:about\s+)?(?:a\s+)?{_NUMBER}\s+{_UNIT}s?\s+ago\b", _ago),
    _rule(_LEAD + rf"(?:the\s+)?(?:last|past)\s+{_NUMBER}\s+{_UNIT}s?\b", _in_the_last),
    _rule(_LEAD + r"(?P<which>last|this)\s+weekend\b", _weekend),
    _rule(_LEAD + rf"this\s+{_UNIT}\b", _this),
    _rule(_LEAD + rf"(?:last|the\s+previous)\s+{_UNIT}\b", _last),
    _rule(_LEAD + rf"last\s+(?P<weekday>{'|'.join(_DAYS)})\b", _weekday),
    _rule(_IN + _MONTH + _YEAR, _month),
    _rule(rf"\b(?:(?P<since>since)\s+)?{_MONTH},?\s+(?P<year>(?:19|20)\d{{2}})\b", _month),
    _rule(r"\b(?:(?P<since>since)|in|during)\s+(?P<year>(?:19|20)\d{2})\b", _whole_year),
)
