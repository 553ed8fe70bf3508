from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import policy
from bxcore.grants import BUILT_IN
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.policy import Call, decide
from bxcore.repeats import TurnCalls

RECALL = Call(tool="recall", arguments='{"query":"key"}', state=NEW_SESSION, calls=TurnCalls(turn=1))
NOW = datetime(2027, 1, 1, tzinfo=UTC)
CANONICAL = '{"query":"key","k":5}'


def test_a_memory_tool_runs_under_its_built_in_grant() -> None:
    verdict = decide(RECALL, BUILT_IN, NOW)
    assert verdict.sentence is None
    assert verdict.decision == "allowed"
    assert verdict.canonical == CANONICAL
    assert verdict.grant is not None
    assert verdict.grant.id == "builtin-recall"
    assert verdict.reasons == tuple(name for name, _ in policy.TABLE)


@pytest.mark.parametrize("tool", ["Recall", "recall ", "", "browse", "functions.recall"])
def test_a_name_that_is_not_exactly_a_tools_is_refused(tool: str) -> None:
    verdict = decide(replace(RECALL, tool=tool), BUILT_IN, NOW)
    assert verdict.sentence == "no tool has this name; look one up with find_tool"
    assert verdict.decision == "refused: tool"
    assert verdict.grant is None


def test_arguments_are_refused_in_the_words_of_the_contract() -> None:
    verdict = decide(replace(RECALL, arguments='{"query":""}'), BUILT_IN, NOW)
    assert verdict.sentence == "invalid argument shape: query is empty; write the words to look for"
    assert verdict.decision == "refused: arguments"
    assert verdict.canonical is None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", '{"path":"a"}'),
        ("write_file", '{"path":"a","content":"b"}'),
        ("shell", '{"command":"ls"}'),
        ("http_fetch", '{"url":"http://example.org/"}'),
        ("clock", "{}"),
    ],
)
def test_a_tool_without_a_grant_is_refused_and_told_what_is_missing(tool: str, arguments: str) -> None:
    verdict = decide(replace(RECALL, tool=tool, arguments=arguments), BUILT_IN, NOW)
    assert verdict.sentence == f"no grant allows {tool}; tell the owner that it needs one"
    assert verdict.decision == "refused: grant"


def test_a_grant_ends_at_its_class() -> None:
    grants = tuple(replace(grant, max_taint=Level.PRIVATE) for grant in BUILT_IN)
    assert decide(RECALL, grants, NOW).sentence is None
    verdict = decide(replace(RECALL, state=Label(Level.SECRET, untrusted=False)), grants, NOW)
    assert verdict.sentence == (
        "no grant allows recall in a secret session; do not try another way, tell the owner"
    )
    assert verdict.decision == "refused: class"


@given(st.sampled_from(Level), st.booleans())
def test_the_built_in_grants_apply_in_every_session(level: Level, untrusted: bool) -> None:  # noqa: FBT001
    assert decide(replace(RECALL, state=Label(level, untrusted)), BUILT_IN, NOW).sentence is None


def test_the_same_call_in_other_words_is_the_same_call() -> None:
    key = policy.call_key("recall", CANONICAL)
    calls = TurnCalls(turn=1).finished(key, "a").finished(key, "a")
    verdict = decide(replace(RECALL, arguments='{ "k": 5, "query": "key" }', calls=calls), BUILT_IN, NOW)
    assert verdict.decision == "refused: same call again"
    assert decide(replace(RECALL, arguments='{"query":"keys"}', calls=calls), BUILT_IN, NOW).sentence is None


def test_the_number_of_calls_decides_before_all_else() -> None:
    verdict = decide(replace(RECALL, tool="nonsense", calls=TurnCalls(turn=1, made=30)), BUILT_IN, NOW)
    assert verdict.decision == "refused: calls of the turn"


@given(st.text(), st.text())
def test_no_text_of_a_model_is_more_than_refused(tool: str, arguments: str) -> None:
    verdict = decide(replace(RECALL, tool=tool, arguments=arguments), BUILT_IN, NOW)
    assert verdict.sentence is not None


def test_half_a_character_has_a_sha256_too() -> None:
    assert len(policy.sha256("\ud800")) == 64
