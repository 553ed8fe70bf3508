from __future__ import annotations

from bxcore.repeats import CALLS_PER_TURN, TurnCalls

CALL = 'recall {"query":"key","k":5}'


def test_the_thirty_first_call_of_a_turn_is_refused() -> None:
    calls = TurnCalls(turn=1)
    for _ in range(CALLS_PER_TURN):
        assert calls.refuse_more() is None
        calls = calls.counted()
    assert calls.refuse_more() == (
        "this turn has made 30 calls, the most a turn may; answer with what you have"
    )


def test_the_same_call_for_the_third_time_with_the_same_result_is_refused() -> None:
    once = TurnCalls(turn=1).finished(CALL, "a")
    assert once.refuse_again(CALL) is None
    twice = once.finished(CALL, "a")
    assert twice.refuse_again(CALL) == (
        "this same call gave the same result twice in this turn; use that result or ask differently"
    )
    assert twice.refuse_again(CALL + " ") is None


def test_a_call_whose_result_changed_may_run_again() -> None:
    calls = TurnCalls(turn=1).finished(CALL, "a").finished(CALL, "b")
    assert calls.refuse_again(CALL) is None
    assert calls.finished(CALL, "b").refuse_again(CALL) is not None


def test_a_value_is_not_changed_by_what_is_made_of_it() -> None:
    calls = TurnCalls(turn=1)
    calls.counted()
    calls.finished(CALL, "a")
    assert calls == TurnCalls(turn=1)
