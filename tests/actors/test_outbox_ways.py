"""Which way is open: one workspace's trouble is not another's, nor one session's another's."""

from __future__ import annotations

import pytest

from actors.outbox_ways import Ways
from bxcore.backoff import Backoff


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ways(clock: Clock) -> Ways:
    return Ways(backoff=Backoff(first_s=2.0, most_s=8.0), now=clock, chance=lambda: 0.0)


def test_a_failure_holds_up_its_workspace_alone(ways: Ways) -> None:
    assert ways.failed("trusted", "503", None)
    assert not ways.failed("trusted", "503", None)
    assert ways.due_s("a", ["trusted"]) == 102.0
    assert ways.due_s("a", ["untrusted"]) < 100.0
    assert ways.due_s("a", ["trusted", "untrusted"]) == 102.0
    assert (ways.why("a", "trusted"), ways.why("a", "untrusted")) == ("503", "")


def test_an_answer_ends_the_rest_and_only_an_append_ends_the_trouble(ways: Ways) -> None:
    ways.failed("trusted", "500", None)
    ways.answers("trusted")
    assert ways.due_s("a", ["trusted"]) < 100.0
    assert ways.worst.why == "500"
    assert ways.stores("trusted")
    assert not ways.stores("trusted")
    assert ways.worst.why == ""


def test_a_session_rests_by_itself_longer_each_time(ways: Ways) -> None:
    ways.rest("a", "its log is damaged")
    ways.rest("a", "its log is damaged")
    assert ways.due_s("a", ["trusted"]) == 102.0
    assert ways.due_s("b", ["trusted"]) < 100.0
    ways.goes("a")
    assert ways.due_s("a", ["trusted"]) < 100.0


def test_an_append_that_may_be_under_way_is_left_so_long_each_time(ways: Ways) -> None:
    for _ in range(3):
        ways.settle("a", "no answer", 5.0)
        assert ways.due_s("a", ["trusted"]) == 105.0


def test_a_later_beginning_is_no_trouble(ways: Ways) -> None:
    ways.begin_later(["a"], 5.0)
    assert ways.due_s("a", ["trusted"]) == 105.0
    assert ways.worst.failures == 0


def test_the_worst_is_what_has_failed_for_longest(ways: Ways, clock: Clock) -> None:
    ways.failed("trusted", "401", None)
    clock.now_s = 130.0
    ways.failed("untrusted", "503", None)
    assert (ways.worst.why, ways.worst.failing_s(160.0)) == ("401", 60.0)


def test_at_once_ends_every_rest(ways: Ways) -> None:
    ways.failed("trusted", "429", 3000.0)
    ways.rest("a", "x")
    ways.at_once()
    assert ways.due_s("a", ["trusted"]) < 100.0


def test_what_no_session_waits_for_is_no_trouble(ways: Ways) -> None:
    ways.failed("trusted", "401", None)
    ways.rest("a", "x")
    ways.tidy(["b"])
    assert ways.why("a", "trusted") == "401"
    ways.tidy([])
    assert ways.worst.failures == 0


def test_what_does_not_mend_itself_is_told_before_what_has_failed_for_longer(
    ways: Ways, clock: Clock
) -> None:
    ways.failed("trusted", "503")
    clock.now_s += 60.0
    ways.failed("untrusted", "401", lasting=True)
    assert (ways.worst.why, ways.worst.lasting) == ("401", True)
    ways.failed("untrusted", "503")
    assert (ways.worst.why, ways.worst.failing_s(clock()), ways.worst.lasting) == ("503", 60.0, False)
    ways.rest("a", "its log is damaged", lasting=True)
    assert ways.worst.why == "its log is damaged"
