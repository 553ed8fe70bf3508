"""Which tools a session offers, and where each call goes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.args import CallToolArgs, ClockArgs, FindToolArgs, canonical_json
from bxcore.mcp_tools import McpTool
from bxcore.mcp_view import McpKnown
from bxcore.records import ToolCall
from bxcore.tool_registry import NotRun, Own, Route, ToBroker, ToolRegistry, all_reads

REGISTRY = ToolRegistry()


def routed(name: str, arguments: str) -> Route:
    return REGISTRY.route(ToolCall(id="t1c1", name=name, arguments=arguments))


def test_the_tools_array_has_the_contracts_order() -> None:
    names = [tool["name"] for tool in REGISTRY.array()]
    assert names == ["clock", "recall", "memory", "ask_memory", "find_tool", "call_tool"]


def test_the_look_up_tools_are_last_whatever_is_core() -> None:
    registry = ToolRegistry(core=("call_tool", "find_tool", "clock"))
    assert [tool["name"] for tool in registry.array()] == ["clock", "find_tool", "call_tool"]


def test_the_loop_answers_its_own_tools() -> None:
    assert routed("clock", "{}") == Own("clock", ClockArgs())
    assert routed("find_tool", '{"query":"x"}') == Own("find_tool", FindToolArgs(query="x"))


@pytest.mark.parametrize("name", ["recall", "memory", "ask_memory", "read_file", "shell"])
def test_every_other_tool_is_the_brokers_with_the_text_as_it_was_written(name: str) -> None:
    assert routed(name, "not even JSON") == ToBroker(name, "not even JSON")


@pytest.mark.parametrize(
    ("inner", "route"),
    [
        ('{"name":"clock"}', Own("clock", ClockArgs())),
        ('{"name":"recall","arguments":{"query":"ü"}}', ToBroker("recall", '{"query":"ü"}')),
        ('{"name":"read_file","arguments":{"path":"a"}}', ToBroker("read_file", '{"path":"a"}')),
    ],
)
def test_call_tool_is_unwrapped_for_core_tools_and_others(inner: str, route: Route) -> None:
    assert routed("call_tool", inner) == route


@pytest.mark.parametrize("name", ["find_tool", "call_tool"])
def test_call_tool_cannot_call_the_look_up_tools(name: str) -> None:
    route = routed("call_tool", json.dumps({"name": name, "arguments": {"query": "x"}}))
    assert isinstance(route, NotRun)
    assert (
        route.sentence
        == f"invalid argument shape: call_tool cannot call {name}; write the name of the tool itself"
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ask_memmory", "no tool is named ask_memmory; did you mean ask_memory?; look one up with find_tool"),
        ("xyzzy", "no tool is named xyzzy; look one up with find_tool"),
        ("a\nb\x00", "no tool is named a?b?; look one up with find_tool"),
    ],
)
def test_an_unknown_tool_is_not_run(name: str, sentence: str) -> None:
    assert routed(name, "{}") == NotRun(name, "{}", sentence)
    inner = routed("call_tool", json.dumps({"name": name, "arguments": {}}))
    assert isinstance(inner, NotRun)


def test_bad_arguments_of_an_own_tool_are_not_run() -> None:
    route = routed("find_tool", '{"query":5}')
    assert isinstance(route, NotRun)
    assert route.sentence.startswith("invalid argument shape: ")


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_call_goes_somewhere(name: str, arguments: str) -> None:
    for each in (name, "clock", "find_tool", "call_tool"):
        assert isinstance(routed(each, arguments), Own | ToBroker | NotRun)


@given(st.text(alphabet='{}[]":,callnamergsutoi_0 ', max_size=60))
def test_call_tool_never_raises(arguments: str) -> None:
    routed("call_tool", arguments)


def test_find_tool_answers_up_to_three_schemas_the_best_first() -> None:
    found = [json.loads(line)["name"] for line in REGISTRY.find("read a file").splitlines()]
    assert found[0] == "read_file"
    assert len(found) <= 3
    many = REGISTRY.find("file files command url search memory question session web path")
    assert len(many.splitlines()) == 3


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("open a document", "read_file"),
        ("save a document", "write_file"),
        ("edit text file", "write_file"),
        ("list a folder", "shell"),
        ("execute python", "shell"),
        ("run a command in the terminal", "shell"),
        ("browse a website", "http_fetch"),
        ("download from the internet", "http_fetch"),
        ("fetch a web page", "http_fetch"),
    ],
)
def test_find_tool_knows_the_granted_tools_by_the_words_that_people_use(query: str, name: str) -> None:
    found = [json.loads(line)["name"] for line in REGISTRY.find(query).splitlines()]
    assert name in found[:2]


def test_find_tool_says_what_there_is_when_nothing_matches() -> None:
    assert REGISTRY.find("zzz") == (
        "no tool matches; you have read_file, write_file, shell, http_fetch, clock, recall, memory, "
        "ask_memory: use one of these, or answer without"
    )


def test_only_reads_run_side_by_side() -> None:
    def calls(*names: str) -> list[ToolCall]:
        return [ToolCall(id="1", name=name, arguments="{}") for name in names]

    assert all_reads(calls("clock", "recall", "ask_memory", "find_tool", "read_file"))
    for name in ("memory", "call_tool", "shell", "write_file", "http_fetch", "nonsense"):
        assert not all_reads(calls("recall", name))


def test_canonical_forms_are_those_of_the_contract() -> None:
    assert canonical_json(ClockArgs()) == "{}"
    assert canonical_json(CallToolArgs(name="x")) == '{"name":"x","arguments":{}}'


def test_an_epoch_keeps_the_tools_that_it_began_with() -> None:
    before = tuple(name for name in REGISTRY.names if name != "shell")
    kept = REGISTRY.kept(before, [tool["name"] for tool in REGISTRY.array()])
    assert kept.core == REGISTRY.core
    assert kept.others == tuple(name for name in REGISTRY.others if name != "shell")
    assert '"shell"' not in kept.find("run a shell command")
    assert '"shell"' in REGISTRY.find("run a shell command")
    assert kept.gone == frozenset()


def test_an_epoch_of_before_there_were_names_has_the_tools_of_now() -> None:
    assert REGISTRY.kept((), [tool["name"] for tool in REGISTRY.array()]) == REGISTRY


def test_a_tool_that_is_gone_answers_plainly() -> None:
    kept = REGISTRY.kept((*REGISTRY.names, "telegraph"), [*REGISTRY.core, "abacus"])
    for name in ("telegraph", "abacus"):
        says = f"the tool {name} is gone since this session began; use another one, find_tool shows them"
        direct = ToolCall(id="a", name=name, arguments="{}")
        inner = ToolCall(id="a", name="call_tool", arguments=f'{{"name":"{name}","args":{{}}}}')
        for call in (direct, inner):
            assert kept.route(call) == NotRun(name, call.arguments, says)
    for arguments in ("", "[]", "null", '{"name": {}}', "[" * 100_000):
        assert isinstance(kept.route(ToolCall(id="a", name="call_tool", arguments=arguments)), NotRun)
    assert "no tool is named telegraph" in str(
        REGISTRY.route(ToolCall(id="a", name="telegraph", arguments="{}"))
    )


MCP = (
    McpTool(name="mcp.time.convert", description="of the MCP server time: Convert a time", schema="{}"),
    McpTool(name="mcp.time.get", description="of the MCP server time: Tell the time", schema="{}"),
)


def test_tools_of_mcp_servers_are_found_and_called_and_stand_in_no_array() -> None:
    registry = ToolRegistry(mcp=McpKnown(tools=MCP))
    assert registry.find("convert between timezones, time").splitlines()[0] == MCP[0].line()
    assert registry.array() == ToolRegistry().array()
    assert "mcp" not in str(registry.names)
    wanted = json.dumps({"name": "mcp.time.get", "arguments": {"zone": "UTC"}})
    assert registry.route(ToolCall(id="1", name="call_tool", arguments=wanted)) == ToBroker(
        "mcp.time.get", '{"zone":"UTC"}'
    )
    assert registry.route(ToolCall(id="1", name="mcp.time.get", arguments="{}")) == ToBroker(
        "mcp.time.get", "{}"
    )


def test_a_tool_that_no_mcp_server_has_is_named_with_the_nearest_one() -> None:
    route = ToolRegistry(mcp=McpKnown(tools=MCP)).route(ToolCall(id="1", name="mcp.time.got", arguments="{}"))
    assert isinstance(route, NotRun)
    assert "did you mean mcp.time.get" in route.sentence


def test_where_nobody_knows_the_servers_such_a_call_goes_to_the_broker() -> None:
    call = ToolCall(id="1", name="mcp.any.tool", arguments="{}")
    assert ToolRegistry().route(call) == ToBroker("mcp.any.tool", "{}")
    assert isinstance(ToolRegistry(mcp=McpKnown()).route(call), NotRun)


def test_a_call_of_a_server_that_has_listed_nothing_goes_on_to_be_told_so() -> None:
    registry = ToolRegistry(mcp=McpKnown(tools=MCP, silent=frozenset({"down"})))
    assert registry.route(ToolCall(id="1", name="mcp.down.tool", arguments="{}")) == ToBroker(
        "mcp.down.tool", "{}"
    )
    assert isinstance(registry.route(ToolCall(id="1", name="mcp.time.tool", arguments="{}")), NotRun)


def test_what_is_not_found_is_told_with_the_names_of_mcp_tools() -> None:
    assert "mcp.time.get" in ToolRegistry(mcp=McpKnown(tools=MCP)).find("zzz")
