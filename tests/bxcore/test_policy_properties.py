from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bxcore.grants import BUILT_IN, Grant, Mode, WhenUntrusted
from bxcore.labels import Label, Level, join
from bxcore.policy import Call, Ruling, decide
from bxcore.repeats import TurnCalls

NOW = datetime(2027, 1, 1, tzinfo=UTC)
STRICTNESS = {Ruling.ALLOW: 0, Ruling.ASK: 1, Ruling.REFUSE: 2}
ARGUMENTS = [
    *(("read_file", {"path": path}) for path in ("a", "/n/a", "/n/k/a", "/nn/a", "/m", "../a")),
    *(("write_file", {"path": path, "content": "x"}) for path in ("a", "/n/a", "/n/k/a", "/m")),
    *(("shell", {"command": line}) for line in ("ls", "ls; wc", "wc | git x", "ls $(git)", "/bin/ls", "#")),
    *(("http_fetch", {"url": url}) for url in ("http://a.org/", "https://b.a.org", "http://a.org:81/", "x")),
    ("http_fetch", {"url": "http://a.org/", "method": "POST"}),
    ("recall", {"query": "x"}),
]
SAID = st.sampled_from([None, "", "read /n/a and a.org", "run `ls`", "fetch http://a.org/ now"])
LABELS = st.builds(Label, st.sampled_from(Level), st.booleans())
PATHS = st.lists(st.sampled_from(["/n", "/n/k", "/m"]), unique=True, max_size=2).map(tuple)
HOSTS = st.lists(st.sampled_from(["a.org", "*.a.org", "a.org:81"]), unique=True, max_size=2).map(tuple)
COMMANDS = st.lists(st.sampled_from(["ls", "wc", "git"]), unique=True, max_size=2).map(tuple)
METHODS = st.sampled_from([(), ("GET",), ("POST",)])

GRANTS = st.builds(
    Grant,
    id=st.sampled_from([f"g{n}" for n in range(20)]),
    tool=st.sampled_from(["read_file", "write_file", "shell", "http_fetch"]),
    mode=st.sampled_from(Mode),
    text=st.text(max_size=3),
    max_taint=st.sampled_from(Level),
    result_class=st.sampled_from(Level),
    untrusted=st.booleans(),
    when_untrusted=st.sampled_from(WhenUntrusted),
    expires=st.sampled_from([None, NOW, NOW + timedelta(1), NOW - timedelta(1)]),
    paths=PATHS,
    read_only=st.booleans(),
    hosts=HOSTS,
    methods=METHODS,
    commands=COMMANDS,
)
SETS = st.lists(GRANTS, max_size=6, unique_by=lambda grant: grant.id)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    tool, arguments = draw(st.sampled_from(ARGUMENTS))
    return Call(
        tool=tool,
        arguments=json.dumps(arguments),
        state=draw(LABELS),
        calls=TurnCalls(turn=1),
        said=draw(SAID),
    )


def strictness(call: Call, grants: list[Grant]) -> int:
    return STRICTNESS[decide(call, grants, NOW).outcome]


@given(calls(), SETS)
def test_no_call_runs_but_under_a_grant_in_force_for_its_tool_and_class(
    call: Call, grants: list[Grant]
) -> None:
    verdict = decide(call, [*BUILT_IN, *grants], NOW)
    if verdict.outcome is Ruling.REFUSE:
        assert verdict.sentence
        return
    assert verdict.grant is not None
    assert verdict.grant.tool == call.tool
    assert call.state.level <= verdict.grant.max_taint
    assert not verdict.grant.expired(NOW)
    assert verdict.grant.mode is not Mode.DENY
    assert (verdict.why is None) is (verdict.outcome is Ruling.ALLOW)


@given(calls(), SETS)
def test_no_call_runs_or_is_asked_about_above_the_class_of_every_grant(
    call: Call, grants: list[Grant]
) -> None:
    lowered = [replace(grant, max_taint=Level.PUBLIC) for grant in grants]
    secret = replace(call, state=Label(Level.SECRET, call.state.untrusted))
    assert strictness(secret, lowered) == STRICTNESS[Ruling.REFUSE]


@given(calls(), SETS)
def test_the_floor_is_never_below_that_of_a_grant_that_permits_alone(call: Call, grants: list[Grant]) -> None:
    verdict = decide(call, grants, NOW)
    if verdict.outcome is Ruling.REFUSE:
        return
    assert verdict.grant is not None
    alone = [each for each in grants if decide(call, [each], NOW).outcome is not Ruling.REFUSE]
    for each in (verdict.grant, *alone):
        assert join(verdict.floor, each.floor) == verdict.floor


@given(calls(), SETS, GRANTS)
def test_one_explicit_no_more_never_allows_more(call: Call, grants: list[Grant], more: Grant) -> None:
    denying = replace(more, mode=Mode.DENY, id="no")
    assert strictness(call, [*grants, denying]) >= strictness(call, grants)


@given(calls(), SETS)
def test_an_explicit_no_for_all_of_a_tool_always_wins(call: Call, grants: list[Grant]) -> None:
    no = Grant(id="no", tool=call.tool, mode=Mode.DENY, text="")
    assert strictness(call, [*grants, no]) == STRICTNESS[Ruling.REFUSE]


@given(calls(), SETS, LABELS)
def test_a_session_that_rises_is_never_allowed_more(call: Call, grants: list[Grant], more: Label) -> None:
    risen = replace(call, state=join(call.state, more))
    assert strictness(risen, grants) >= strictness(call, grants)


@given(calls(), SETS, LABELS)
def test_the_built_in_tools_run_in_every_session(call: Call, grants: list[Grant], state: Label) -> None:
    recall = replace(call, tool="recall", arguments='{"query":"x"}', state=state)
    assert decide(recall, [*BUILT_IN, *grants], NOW).outcome is Ruling.ALLOW


@given(calls(), SETS, st.randoms(use_true_random=False))
def test_the_order_of_the_grants_decides_nothing(call: Call, grants: list[Grant], random: Random) -> None:
    shuffled = [*grants]
    random.shuffle(shuffled)
    assert decide(call, shuffled, NOW) == decide(call, grants, NOW)


@given(calls(), SETS, GRANTS)
def test_a_grant_for_another_tool_decides_nothing(call: Call, grants: list[Grant], more: Grant) -> None:
    """It may hide folders from a command, which reads and writes files too."""
    other = replace(more, id="other", tool="read_file" if call.tool != "read_file" else "shell")
    with_it, without = decide(call, [*grants, other], NOW), decide(call, grants, NOW)
    assert replace(with_it, masked=()) == replace(without, masked=())
    assert set(with_it.masked) >= set(without.masked)


@given(calls(), SETS)
def test_a_call_that_the_owner_denied_in_this_turn_is_refused(call: Call, grants: list[Grant]) -> None:
    verdict = decide(call, grants, NOW)
    denied = frozenset({f"{call.tool} {verdict.canonical}"})
    assert strictness(replace(call, denied=denied), grants) == STRICTNESS[Ruling.REFUSE]
