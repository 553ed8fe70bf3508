"""What a session goes on without is said in one sentence, and keeps its places."""

from __future__ import annotations

from bxcore.labels import TOP
from bxcore.records import User
from bxcore.session_loss import Loss, in_their_place
from bxcore.turn_decisions import ended_turns

LOST = Loss(baseline="its baseline.json is missing", turns=2, label=TOP)


def test_both_losses_are_in_one_sentence() -> None:
    assert LOST.sentence("main", 1, TOP) == (
        "session main: its baseline.json is missing; it goes on with a new one, made of what memory holds "
        "now; its log has 1 turn, and the ledger knows 2 more: these are lost, unless a backup has them; "
        "its label is secret, untrusted now, the highest that is known of it"
    )
    assert (
        Loss(turns=1).sentence("main", 3, TOP).startswith("session main: its log has 3 turns, and the ledger")
    )
    assert "ledger" not in Loss(baseline="x").sentence("main", 3, TOP)


def test_a_session_in_the_place_of_one_that_is_gone_says_so() -> None:
    assert Loss(turns=1, label=TOP).of_one_that_is_gone("main") == (
        "session main had 1 turn, and its log is gone: this is a new one of that name, "
        "with the highest label that is known of it; bxctl memory forget main ends that"
    )


def test_each_lost_turn_is_over_and_has_its_place() -> None:
    records = (User(text="one"), *in_their_place(3))
    assert ended_turns(records) == 4
