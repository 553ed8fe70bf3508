"""Calls of MCP servers' tools, decided (spec 2.2, 2.3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bxcore.grants import Grant, Mode, WhenUntrusted
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.policy import Call, Ruling, Verdict, decide
from bxcore.policy.mcp_server import McpServer
from bxcore.repeats import TurnCalls

NOW = datetime(2026, 11, 2, tzinfo=UTC)
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


def grant(tool: str, name: str = "g", mode: Mode = Mode.AUTO, **fields: object) -> Grant:
    return Grant(id=name, tool=tool, mode=mode, text=name, **fields)  # type: ignore[arg-type]  # any field


def decided(
    *grants: Grant,
    tool: str = "mcp.time.get",
    arguments: str = '{"b":1,"a":2}',
    state: Label = NEW_SESSION,
    said: str | None = None,
) -> Verdict:
    call = Call(tool=tool, arguments=arguments, state=state, calls=TurnCalls(turn=1), said=said)
    return decide(call, grants, NOW)


@pytest.mark.parametrize("tool", ["mcp.time.get", "mcp.time.*"])
def test_a_grant_for_the_tool_or_its_server_allows_it(tool: str) -> None:
    verdict = decided(grant(tool))
    assert (verdict.outcome, verdict.canonical) == (Ruling.ALLOW, '{"a":2,"b":1}')
    assert verdict.floor == UNTRUSTED


@pytest.mark.parametrize("tool", ["mcp.time.other", "mcp.tim.*", "mcp.times.*", "http_fetch"])
def test_no_other_grant_does(tool: str) -> None:
    verdict = decided(grant(tool))
    assert verdict.outcome is Ruling.REFUSE
    assert verdict.sentence == "no grant allows mcp.time.get; tell the owner that it needs one"


def test_of_two_grants_the_stricter_counts_and_both_floors() -> None:
    verdict = decided(
        grant("mcp.time.*", "all", untrusted=False, result_class=Level.PUBLIC),
        grant("mcp.time.get", "one", Mode.ASK, untrusted=False, result_class=Level.PRIVATE),
    )
    assert (verdict.outcome, verdict.floor) == (Ruling.ASK, Label(Level.PRIVATE, untrusted=False))
    denied = decided(grant("mcp.time.get", "a"), grant("mcp.time.*", "no", Mode.DENY))
    assert denied.outcome is Ruling.REFUSE
    assert denied.grant is not None
    assert denied.grant.id == "no"


def test_what_a_session_holds_may_flow_to_the_server_up_to_the_grants_class() -> None:
    assert decided(grant("mcp.time.*"), state=SECRET).outcome is Ruling.REFUSE
    assert decided(grant("mcp.time.*", max_taint=Level.SECRET), state=SECRET).outcome is Ruling.ALLOW
    assert decided(grant("mcp.time.*", max_taint=Level.PUBLIC), state=UNTRUSTED).outcome is Ruling.REFUSE


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("ask `time` for it", Ruling.ALLOW), ("what time is it?", Ruling.ASK), (None, Ruling.ASK)],
)
def test_after_strangers_words_the_owner_names_the_server_in_quotes_or_is_asked(
    said: str | None, outcome: Ruling
) -> None:
    named = grant("mcp.time.*", when_untrusted=WhenUntrusted.NAMED)
    assert decided(named, state=UNTRUSTED, said=said).outcome is outcome


@pytest.mark.parametrize("tool", ["mcp.time", "mcp.Time.get", "mcp.time.*", "mcp..get", "mcp.time.a b"])
def test_what_is_no_name_is_no_tool(tool: str) -> None:
    verdict = decided(grant("mcp.time.*"), tool=tool)
    assert verdict.sentence == "no tool has this name; look one up with find_tool"


@pytest.mark.parametrize("arguments", ["[]", "", "{", '{"a":1,"a":2}', '{"a":NaN}'])
def test_arguments_that_are_no_object_are_refused(arguments: str) -> None:
    verdict = decided(grant("mcp.time.*"), arguments=arguments)
    assert (verdict.outcome, verdict.reasons[-1]) == (Ruling.REFUSE, "arguments")


def test_the_owner_is_told_which_server_it_is() -> None:
    assert McpServer("time").about == "the MCP server time"
    assert any("the MCP server time" in step for step in decided(grant("mcp.time.*")).steps)
