"""The circuit: it opens with a failure, rests longer each time, and closes by itself."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bxcore.backoff import Backoff
from bxcore.circuit import LONGEST_S, Circuit

BACKOFF = Backoff(first_s=1.0, most_s=8.0)


class Life(RuleBasedStateMachine):
    """Any sequence of failures, successes and waits."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.circuit = Circuit()
        self.row: list[float] = []
        """When it failed, since it was well last."""
        self.asked_s = 0.0

    @rule(chance=st.floats(0, 0.999), asked_s=st.none() | st.floats(0, 1e6))
    def fails(self, chance: float, asked_s: float | None) -> None:
        before = self.circuit
        self.circuit = before.failed("503", self.now_s, backoff=BACKOFF, chance=chance, asked_s=asked_s)
        self.row.append(self.now_s)
        self.asked_s = asked_s or 0.0
        doubled = min(2.0 ** (len(self.row) - 1), BACKOFF.most_s)
        rest_s = self.circuit.until_s - self.now_s
        assert rest_s >= min(self.asked_s, LONGEST_S) - 1e-6
        assert rest_s >= doubled / 2 - 1e-6
        assert rest_s <= max(doubled, min(self.asked_s, LONGEST_S)) + 1e-6

    @rule()
    def comes_through(self) -> None:
        self.circuit = self.circuit.well()
        self.row = []

    @rule()
    def is_wanted_now(self) -> None:
        self.circuit = self.circuit.at_once()
        assert self.circuit.until_s <= self.now_s

    @rule(seconds=st.floats(0, 100))
    def waits(self, seconds: float) -> None:
        self.now_s += seconds

    @invariant()
    def says_for_how_long_it_has_failed(self) -> None:
        assert self.circuit.failures == len(self.row)
        assert self.circuit.failing_s(self.now_s) == (self.now_s - self.row[0] if self.row else 0.0)
        assert bool(self.circuit.why) == bool(self.row)

    @invariant()
    def closes_by_itself(self) -> None:
        assert self.circuit.until_s <= self.now_s + max(LONGEST_S, BACKOFF.most_s)
        assert self.row or self.circuit.until_s <= self.now_s


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


def test_retry_after_is_kept_but_not_for_ever() -> None:
    rest = Circuit().failed("429", 10.0, backoff=BACKOFF, chance=0.0, asked_s=30.0)
    assert rest.until_s == 40.0
    assert Circuit().failed("429", 0.0, backoff=BACKOFF, chance=0.0, asked_s=1e9).until_s == LONGEST_S
