from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import policy
from bxcore.grants import BUILT_IN, Grant, GrantSet, Mode, WhenUntrusted
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.policy import Call, Ruling, Verdict, decide
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
    assert (verdict.outcome, verdict.why, verdict.floor) == (Ruling.ALLOW, None, BUILT_IN[1].floor)


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


READ = Call(tool="read_file", arguments='{"path":"/n/a"}', state=NEW_SESSION, calls=TurnCalls(turn=1))
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


def grant(name: str, mode: Mode = Mode.AUTO, **more: object) -> Grant:
    made = {
        "tool": "read_file",
        "text": name,
        "paths": ("/n",),
        "when_untrusted": WhenUntrusted.ALLOW,
        **more,
    }
    return Grant(id=name, mode=mode, **made)  # type: ignore[arg-type]


def read(*grants: Grant, **more: object) -> Verdict:
    return decide(replace(READ, **more), grants, NOW)  # type: ignore[arg-type]


def test_a_call_that_the_owner_denied_in_this_turn_is_not_asked_about_again() -> None:
    denied = frozenset({policy.call_key("read_file", '{"path":"/n/a","offset":0,"limit":65536}')})
    verdict = read(grant("a", Mode.ASK), denied=denied)
    assert verdict.decision == "refused: denied before"
    assert verdict.sentence == (
        "the owner has denied this same call in this turn; do not try another way, go on without it"
    )
    assert read(grant("a", Mode.ASK), denied=denied, arguments='{"path":"/n/b"}').outcome is Ruling.ASK


def test_an_expired_grant_is_no_grant_whatever_it_says() -> None:
    verdict = read(grant("a", expires=NOW))
    assert verdict.sentence == "no grant allows read_file; tell the owner that it needs one"
    assert verdict.steps[-1] == "grant: for read_file there is none, and expired a"
    assert read(grant("a"), grant("b", Mode.DENY, expires=NOW)).outcome is Ruling.ALLOW
    assert read(grant("a", expires=NOW + timedelta(microseconds=1))).outcome is Ruling.ALLOW


def test_deny_beats_ask_beats_auto() -> None:
    auto, ask, deny = grant("a"), grant("b", Mode.ASK), grant("c", Mode.DENY)
    assert read(auto).decision == "allowed"
    asked = read(auto, ask)
    assert (asked.outcome, asked.grant, asked.sentence) == (Ruling.ASK, ask, None)
    assert asked.why == "the grant b asks each time"
    assert asked.decision == "asks: the grant b asks each time"
    denied = read(auto, ask, deny)
    assert (denied.outcome, denied.grant, denied.why) == (Ruling.REFUSE, deny, None)
    assert denied.decision == "refused: explicit no"
    assert denied.sentence == (
        "the owner's grants deny this read_file call; do not try another way, tell the owner"
    )


def test_an_explicit_no_holds_above_its_class_too() -> None:
    low = grant("z", Mode.DENY, max_taint=Level.PUBLIC)
    assert read(grant("a", max_taint=Level.SECRET), low, state=SECRET).decision == "refused: explicit no"


def test_an_explicit_no_without_a_yes_is_still_told_as_one() -> None:
    assert read(grant("z", Mode.DENY)).decision == "refused: explicit no"
    elsewhere = read(grant("z", Mode.DENY, paths=("/m",)))
    assert elsewhere.decision == "refused: destination"
    assert elsewhere.sentence == "no grant allows read_file; tell the owner that it needs one"


def test_an_explicit_no_for_a_folder_says_nothing_of_the_work_folder() -> None:
    inside = {"arguments": '{"path":"a"}'}
    assert read(grant("a"), grant("z", Mode.DENY), **inside).outcome is Ruling.ALLOW
    assert read(grant("a"), grant("z", Mode.DENY, paths=()), **inside).decision == "refused: explicit no"


def test_of_grants_alike_the_first_by_id_is_chosen() -> None:
    assert read(grant("b"), grant("a"), grant("c")).grant == grant("a")


@pytest.mark.parametrize(
    ("when", "said", "outcome"),
    [
        (WhenUntrusted.ALLOW, None, Ruling.ALLOW),
        (WhenUntrusted.ASK, "read /n/a", Ruling.ASK),
        (WhenUntrusted.NAMED, None, Ruling.ASK),
        (WhenUntrusted.NAMED, "read /n/ab", Ruling.ASK),
        (WhenUntrusted.NAMED, "read /n/a", Ruling.ALLOW),
        (WhenUntrusted.DENY, "read /n/a", Ruling.REFUSE),
    ],
)
def test_what_a_grant_says_of_an_untrusted_session_holds_there_alone(
    when: WhenUntrusted, said: str | None, outcome: Ruling
) -> None:
    one = grant("a", when_untrusted=when)
    assert read(one, state=UNTRUSTED, said=said).outcome is outcome
    assert read(one, said=said).outcome is Ruling.ALLOW


def test_why_the_owner_is_asked_is_told() -> None:
    strangers = "this session holds strangers' words"
    asks = grant("a", when_untrusted=WhenUntrusted.ASK)
    assert read(asks, state=UNTRUSTED).why == f"{strangers}, and the grant a asks then"
    named = grant("a", when_untrusted=WhenUntrusted.NAMED)
    assert read(named, state=UNTRUSTED).why == (
        f"{strangers}, and your message does not name where this goes (a)"
    )
    always = grant("a", Mode.ASK, when_untrusted=WhenUntrusted.NAMED)
    assert read(always, state=UNTRUSTED, said="/n/a").why == "the grant a asks each time"


def test_a_grant_that_refuses_an_untrusted_session_refuses_what_others_allow() -> None:
    verdict = read(grant("a"), grant("b", when_untrusted=WhenUntrusted.DENY), state=UNTRUSTED)
    assert verdict.decision == "refused: strangers' words"
    assert verdict.sentence == (
        "this session holds strangers' words, and this read_file call is not allowed then; "
        "do not try another way, tell the owner"
    )


def test_the_caution_of_a_grant_outlives_its_class() -> None:
    """A session that rises to secret must not lose the question that was asked below it."""
    careful = grant("careful", Mode.ASK, max_taint=Level.PUBLIC)
    wide = grant("wide", max_taint=Level.SECRET)
    verdict = read(careful, wide, state=SECRET)
    assert (verdict.outcome, verdict.grant) == (Ruling.ASK, wide)
    assert verdict.why == "the grant careful asks each time"


def test_the_floor_is_that_of_all_grants_that_reach_the_call() -> None:
    low = grant("a", result_class=Level.PUBLIC, untrusted=False)
    high = grant("b", result_class=Level.SECRET, untrusted=False)
    strange = grant("c", result_class=Level.PUBLIC, untrusted=True)
    elsewhere = grant("d", result_class=Level.SECRET, paths=("/m",))
    assert read(low, elsewhere).floor == Label(Level.PUBLIC, untrusted=False)
    assert read(low, high).floor == Label(Level.SECRET, untrusted=False)
    assert read(low, high, strange).floor == Label(Level.SECRET, untrusted=True)


def test_each_rule_that_was_asked_tells_what_it_found() -> None:
    many = [grant(f"g{n}") for n in range(8)]
    verdict = read(*many, grant("late", expires=NOW), state=UNTRUSTED)
    assert verdict.steps == (
        "calls of the turn: 0 of 30 were made",
        "tool: read_file is one",
        "arguments: well formed, the path /n/a",
        "same call again: not made in vain before",
        "denied before: not denied in this turn",
        "grant: for read_file there is g0, g1, g2, g3, g4 and 3 more",
        "destination: the path /n/a is covered by g0, g1, g2, g3, g4 and 3 more",
        "explicit no: no grant says no",
        "class: the session is private, there apply g0, g1, g2, g3, g4 and 3 more",
        "strangers' words: the session holds strangers' words, no grant refuses then",
        "mode: runs without a question, under g0",
    )
    refused = read(grant("a", paths=("/m",)))
    assert refused.steps[-1] == "destination: the path /n/a is covered by none"
    assert (
        read(grant("a", max_taint=Level.PUBLIC)).steps[-1]
        == "class: the session is private, there applies none"
    )


def test_a_set_that_was_sorted_before_decides_alike() -> None:
    grants = (grant("b", Mode.ASK), grant("a"))
    assert decide(READ, GrantSet.of(grants), NOW) == decide(READ, grants, NOW)
