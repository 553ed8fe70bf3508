from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.retry_after import MOST_S, retry_after_s

NOW = datetime(2026, 10, 21, 7, 28, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("3601", MOST_S),
        ("9" * 400, MOST_S),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2026 07:28:30 -0000", 30.0),
        ("Wed, 21 Oct 2026 09:28:30 +0200", 30.0),
        ("Wed, 21 Oct 2026 07:20:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:20:00 GMT", MOST_S),
    ],
)
def test_seconds_and_dates_are_read(value: str, seconds: float) -> None:
    assert retry_after_s(value, NOW) == seconds


@pytest.mark.parametrize(
    "value", [None, "", "soon", "-5", "1.5", "٣", "1e3", "Wed, 99 Oct 2026 07:28:00 GMT"]
)
def test_what_says_nothing_is_nothing(value: str | None) -> None:
    assert retry_after_s(value, NOW) is None


@given(st.text())
def test_any_text_is_nothing_or_a_time_within_the_cap(value: str) -> None:
    seconds = retry_after_s(value, NOW)
    assert seconds is None or 0 <= seconds <= MOST_S
