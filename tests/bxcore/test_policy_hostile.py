from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bxcore.labels import NEW_SESSION
from bxcore.policy import Call, Ruling, Verdict, decide
from bxcore.repeats import TurnCalls
from tests.bxcore.harmless_calls import HARMLESS
from tests.bxcore.hostile_calls import GRANTS, HOSTILE

NOW = datetime(2027, 1, 1, tzinfo=UTC)
ADVICE = ("; ", "write", "use", "tell the owner", "takes")


def decided(call: tuple[str, str]) -> Verdict:
    tool, arguments = call
    return decide(
        Call(tool=tool, arguments=arguments, state=NEW_SESSION, calls=TurnCalls(turn=1)), GRANTS, NOW
    )


def shown(call: tuple[str, str]) -> str:
    return ascii(" ".join(call))[:70]


@pytest.mark.parametrize("call", HOSTILE, ids=shown)
def test_a_hostile_call_is_refused_with_a_sentence_that_says_what_to_do(call: tuple[str, str]) -> None:
    verdict = decided(call)
    assert verdict.outcome is Ruling.REFUSE
    assert verdict.sentence
    assert verdict.sentence[0].islower()
    assert verdict.sentence[-1] != "."
    assert len(verdict.sentence) <= 350
    assert any(words in verdict.sentence for words in ADVICE)
    assert verdict.sentence.isprintable()


@pytest.mark.parametrize("call", HARMLESS, ids=shown)
def test_a_harmless_call_is_allowed(call: tuple[str, str]) -> None:
    verdict = decided(call)
    assert (verdict.outcome, verdict.sentence) == (Ruling.ALLOW, None)


def test_the_lists_are_long_and_name_no_call_twice() -> None:
    assert len(HOSTILE) >= 70
    assert len(HARMLESS) >= 70
    assert len({*HOSTILE, *HARMLESS}) == len(HOSTILE) + len(HARMLESS)


def test_no_refusal_tells_what_other_grants_hold() -> None:
    held = ("/home/me", "/srv", "example.net", "192.0.2.7", "read-notes", "read-keys", "no-ads", "sort")
    told = [verdict.sentence or "" for verdict in map(decided, HOSTILE)]
    assert [sentence for sentence in told for word in held if word in sentence] == []
