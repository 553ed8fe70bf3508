from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.quality.whens import phrases
from bxcore.recall_time import Span, span

TODAY = date(2026, 11, 18)
"""A Wednesday."""


def days(query: str, today: date = TODAY) -> tuple[str, str] | None:
    found = span(query, today)
    return None if found is None else (found.first.isoformat(), found.last.isoformat())


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what did I say yesterday?", "2026-11-17", "2026-11-17"),
        ("what about today", "2026-11-18", "2026-11-18"),
        ("the day before yesterday", "2026-11-16", "2026-11-16"),
        ("where was I last night", "2026-11-17", "2026-11-17"),
        ("Last week, who rang?", "2026-11-09", "2026-11-15"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last weekend", "2026-11-14", "2026-11-15"),
        ("last Tuesday", "2026-11-17", "2026-11-17"),
        ("last Wednesday", "2026-11-11", "2026-11-11"),
        ("two days ago", "2026-11-16", "2026-11-16"),
        ("a week ago", "2026-11-09", "2026-11-15"),
        ("three weeks ago", "2026-10-26", "2026-11-01"),
        ("two months ago", "2026-09-01", "2026-09-30"),
        ("12 months ago", "2025-11-01", "2025-11-30"),
        ("a couple of weeks ago", "2026-11-02", "2026-11-08"),
        ("in the last three days", "2026-11-15", "2026-11-18"),
        ("over the past two weeks", "2026-11-04", "2026-11-18"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in November", "2026-11-01", "2026-11-30"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("in May 2025", "2025-05-01", "2025-05-31"),
        ("February 2024", "2024-02-01", "2024-02-29"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("since June", "2026-06-01", "2026-11-18"),
        ("since 3 October", "2026-10-03", "2026-11-18"),
        ("since last week", "2026-11-09", "2026-11-18"),
        ("on 3 October", "2026-10-03", "2026-10-03"),
        ("on the 3rd of October", "2026-10-03", "2026-10-03"),
        ("on October 3rd, 2025", "2025-10-03", "2025-10-03"),
        ("on 25 December", "2025-12-25", "2025-12-25"),
        ("2026-10-03", "2026-10-03", "2026-10-03"),
    ],
)
def test_a_time_is_a_span_of_days(query: str, first: str, last: str) -> None:
    assert days(query) == (first, last)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "where is the spare key?",
        "may I march on?",
        "when does Kofi train on Mondays?",
        "which shop is closed on Monday?",
        "what was on 31 February?",
        "in the year 2026-13-45",
        "what comes in May 2027?",
        "a second helping",
    ],
)
def test_what_names_no_past_time_has_no_span(query: str) -> None:
    assert span(query, TODAY) is None


def test_the_words_of_time_are_no_words_to_look_for() -> None:
    found = span("what did I say last week about the boiler?", TODAY)
    assert found is not None
    assert found.rest == "what did I say about the boiler?"


def test_the_leading_day_of_a_leap_year_is_found_in_the_year_before() -> None:
    assert days("on 29 February", date(2024, 2, 28)) is None
    assert days("on 29 February", date(2024, 3, 1)) == ("2024-02-29", "2024-02-29")


def test_a_span_holds_its_first_and_last_day_and_no_other() -> None:
    found = Span(first=date(2026, 5, 1), last=date(2026, 5, 31), rest="")
    days_and_nights = ("2026-04-30T23:59:59Z", "2026-05-01T00:00:00Z", "2026-05-31T23:59:59Z", "2026-06-01")
    held = [at for at in days_and_nights if found.holds(at)]
    assert held == ["2026-05-01T00:00:00Z", "2026-05-31T23:59:59Z"]
    assert not found.holds("")


@given(st.dates(date(2020, 1, 1), date(2026, 11, 18)), st.sampled_from(["", "T00:00:00Z", "T23:59:59Z"]))
def test_the_bounds_say_the_same_as_holds(day: date, time: str) -> None:
    found = span("in May", TODAY)
    assert found is not None
    first, behind = found.bounds()
    at = day.isoformat() + time
    assert (first <= at < behind) == found.holds(at)


@given(st.dates(date(2000, 1, 1), date(2040, 1, 1)), st.integers(1, 364))
def test_every_way_to_name_a_day_covers_just_the_days_that_it_means(today: date, back: int) -> None:
    """By the quality set's own reckoning, which shares no code with this one."""
    day = today - timedelta(back)
    for phrase, meant in phrases(day, today):
        found = span(f"what was it {phrase}?", today)
        assert found is not None, phrase
        assert (found.first, found.last) == (min(meant), max(meant)), phrase
        assert found.rest == "what was it ?"


@given(st.text(), st.dates(date(1970, 1, 1), date(9990, 12, 31)))
def test_no_question_is_too_odd(query: str, today: date) -> None:
    found = span(query, today)
    assert found is None or found.first <= min(found.last, today)


@given(
    st.sampled_from(
        ["{} days ago", "{} weeks ago", "{} months ago", "{} years ago", "in the last {} months"]
    ),
    st.integers(0, 999),
    st.dates(date(1970, 1, 1), date(9990, 12, 31)),
)
def test_no_number_is_too_high(form: str, number: int, today: date) -> None:
    span(form.format(number), today)
