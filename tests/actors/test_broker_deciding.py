"""What the policy is asked: with this turn's calls, the owner's words and what was denied."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION
from bxcore.messages.broker import ExplainCall
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant
from tests.kit.kit import Kit


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[grant()], calls_per_turn=2)


def test_what_a_turn_has_called_is_not_explained(bench: BrokerBench) -> None:
    for _ in range(3):
        bench.ask("shell", "nonsense")
    bench.kit.settle()
    asked = ExplainCall(tool="shell", arguments=LS, label=NEW_SESSION)
    assert bench.box.call(asked, 1.0).decision == "ask"


def test_what_was_denied_is_refused_by_its_own_rule_before_any_grant(bench: BrokerBench) -> None:
    bench.ask("shell", LS)
    bench.say(bench.asked(), approve=False)
    bench.owners.clear()
    bench.restart()
    assert "has denied this same call" in bench.outcome(bench.ask("shell", LS)).content
    assert bench.lines()[-1]["decision"] == "refused: denied before"


def test_arguments_that_cannot_be_read_were_never_denied(bench: BrokerBench) -> None:
    assert "invalid argument shape" in bench.outcome(bench.ask("shell", "nonsense")).content
