"""Why turns were parked."""

from __future__ import annotations

import pytest

from bxcore.outbox_parking import FAILS_ALONE, reasons


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("422, what was sent is refused", "Honcho refuses what they hold"),
        ("a name that Honcho does not take", "Honcho refuses what they hold"),
        ("", "Honcho refuses what they hold"),
        (FAILS_ALONE, "the server fails on what they hold"),
        ("500 again and again, while others came through", "the server fails on what they hold"),
        ("413, so large a request", "too large for the server or a proxy before it"),
        ("414, so large a request", "too large for the server or a proxy before it"),
        ("431, so large a request", "too large for the server or a proxy before it"),
    ],
)
def test_the_status_in_a_mark_says_who_did_it(why: str, reason: str) -> None:
    assert reasons([why]) == ((reason, 1),)


def test_the_most_frequent_reason_comes_first() -> None:
    assert [count for _, count in reasons(["422", FAILS_ALONE, FAILS_ALONE])] == [2, 1]
    assert reasons([]) == ()
