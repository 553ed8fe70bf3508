"""Dates and times as the model reads them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.clock_text import clock_answer, spoken, stamp

CET = timezone(timedelta(hours=1), "CET")
EVENING = datetime(2026, 11, 30, 19, 16, 35, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "answer"),
    [
        (UTC, "Monday 2026-11-30 19:16:35 UTC"),
        (CET, "Monday 2026-11-30 20:16:35 CET (UTC+01:00)"),
        (timezone(timedelta(hours=-9, minutes=-30)), "Monday 2026-11-30 09:46:35 UTC-09:30"),
        (timezone(timedelta(hours=13)), "Tuesday 2026-12-01 08:16:35 UTC+13:00"),
    ],
)
def test_the_clock_says_weekday_date_time_and_zone(zone: timezone, answer: str) -> None:
    assert clock_answer(EVENING.astimezone(zone)) == answer


def test_a_stamp_keeps_the_offset_and_no_fraction() -> None:
    assert stamp(EVENING.astimezone(CET).replace(microsecond=5)) == "2026-11-30T20:16:35+01:00"


@given(st.datetimes(timezones=st.just(CET)))
def test_a_stamp_is_spoken_in_its_own_zone(moment: datetime) -> None:
    assert spoken(stamp(moment)).endswith(f"{moment:%Y-%m-%d %H:%M} UTC+01:00")


@pytest.mark.parametrize("at", ["", "yesterday", "2026-13-01"])
def test_an_unreadable_stamp_is_left_out(at: str) -> None:
    assert spoken(at) == ""


def test_a_stamp_without_a_zone_is_spoken_without_one() -> None:
    assert spoken("2026-11-30T19:16:35") == "Monday 2026-11-30 19:16"
