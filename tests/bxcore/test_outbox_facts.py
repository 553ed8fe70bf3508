from __future__ import annotations

import pytest

from bxcore.outbox_facts import OutboxFacts
from bxcore.outbox_parking import FAILS_ALONE, reasons

FAILS = "the server fails on what they hold"


@pytest.mark.parametrize(
    ("facts", "text", "ok"),
    [
        (OutboxFacts(waiting=0, parked=0), "every turn is delivered", True),
        (OutboxFacts(waiting=1, parked=0, oldest_s=3), "1 turn waits, the oldest for 3 s", True),
        (OutboxFacts(waiting=1200, parked=0, oldest_s=7300), "1,200 turns wait, the oldest for 2 h", True),
        (
            OutboxFacts(waiting=2, parked=1, oldest_s=200_000, reasons=reasons(["422, refused"])),
            "2 turns wait, the oldest for 2 d; 1 turn parked, Honcho refuses what they hold",
            False,
        ),
        (
            OutboxFacts(waiting=2, parked=0, failing="the connection was refused", failing_s=200),
            "2 turns wait; failing for 3 min: the connection was refused",
            True,
        ),
        (
            OutboxFacts(waiting=0, parked=3, reasons=reasons([FAILS_ALONE, "422, x", FAILS_ALONE])),
            f"no turn waits; 2 turns parked, {FAILS}; 1 turn parked, Honcho refuses what they hold",
            False,
        ),
        (
            OutboxFacts(waiting=0, parked=3, refuses_all=True),
            "no turn waits; 3 turns parked; Honcho refuses every turn, it has taken none since",
            False,
        ),
        (OutboxFacts(waiting=0, parked=0, saves=False), "[honcho] save is false, nothing is sent", True),
        (
            OutboxFacts(waiting=0, parked=0, queue=(("trusted", "Honcho thinks about 3"),)),
            "every turn is delivered; trusted: Honcho thinks about 3",
            True,
        ),
    ],
)
def test_a_line_says_how_it_is(facts: OutboxFacts, text: str, *, ok: bool) -> None:
    assert (facts.text, facts.ok) == (text, ok)


def test_a_long_outage_is_a_persons_matter() -> None:
    failing = OutboxFacts(waiting=1, parked=0, failing="500", failing_s=301)
    assert not failing.ok


def test_what_does_not_mend_itself_is_a_persons_matter_at_once() -> None:
    failing = OutboxFacts(waiting=1, parked=0, failing="401, no", failing_s=1, lasting=True)
    assert not failing.ok
    assert OutboxFacts(waiting=1, parked=0, failing="503", failing_s=1).ok


def test_a_server_that_refuses_every_turn_is_one_too_when_all_were_dropped() -> None:
    assert not OutboxFacts(waiting=0, parked=0, refuses_all=True).ok
