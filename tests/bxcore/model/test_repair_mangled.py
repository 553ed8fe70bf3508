"""Calls mangled in any way are repaired, answered or shown; nothing is an exception (spec 3.3)."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from bxcore.args import ArgsError, parse
from bxcore.model.assembly import Assembly
from bxcore.model.chunk import CallPiece, Chunk
from bxcore.model.repair import calls_in_text, sound_arguments
from bxcore.model.values import ModelRequest
from bxcore.records import ToolCall
from bxcore.tool_registry import NotRun, Own, ToBroker, ToolRegistry

ARGUMENTS = '{"query": "tea\\n\\u00fc", "k": 5}'
CALL = f'{{"name": "recall", "arguments": {ARGUMENTS}}}'
TEXTS = [
    CALL,
    f"<tool_call>{CALL}</tool_call>",
    f"<think>hm</think><tool_call>{CALL}</tool_call><tool_call>{CALL}",
    f"[TOOL_CALLS][{CALL}]",
    f"[TOOL_CALLS]recall[ARGS]{ARGUMENTS}",
    f"<|python_tag|>{CALL}",
    f"<function=recall>{ARGUMENTS}</function>",
    "<function=recall><parameter=query>tea</parameter></function>",
    f"```json\n{CALL}\n```",
    json.dumps({"tool": "recall", "args": {"query": "tea"}}),
    json.dumps({"name": "recall", "arguments": ARGUMENTS}),
    str({"name": "recall", "arguments": {"query": "tea", "k": None}}),
    json.dumps({"reply": "tea"}),
]
JUNK = [
    "",
    "\\",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "<",
    ">",
    "\n",
    "`",
    "null",
    "9" * 5000,
    "\ud800",
    "é",
    "\0",
]
REGISTRY = ToolRegistry()


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """A call in one of the forms, with pieces taken out and put in."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(0, 6))):
        at, size = draw(st.integers(0, len(text))), draw(st.integers(0, 4))
        text = text[:at] + draw(st.sampled_from(JUNK)) + text[at + size :]
    return text


def check(name: str, arguments: str) -> None:
    """What the loop does with a call: it goes somewhere, and its arguments are read or refused."""
    route = REGISTRY.route(ToolCall(id="x", name=name, arguments=arguments))
    assert isinstance(route, NotRun | Own | ToBroker)
    if isinstance(route, ToBroker):
        with suppress(ArgsError):
            parse(route.tool, route.arguments)


@given(mangled())
def test_a_mangled_call_in_a_text_is_a_call_or_a_text(text: str) -> None:
    remark, calls = calls_in_text(text, [tool["name"] for tool in REGISTRY.array()])
    assert calls or remark == text
    for call in calls:
        check(call.name, call.arguments)


@given(
    mangled(), st.sampled_from(["native", "json"]), st.sampled_from(["stop", "length"]), st.integers(1, 30)
)
def test_a_mangled_answer_is_a_reply_or_calls_in_both_profiles(
    text: str, profile: str, finish: str, size: int
) -> None:
    request = ModelRequest(profile=profile, baseline=(), history=(), tools=REGISTRY.array())  # type: ignore[arg-type]
    assembly = Assembly(request)
    shown = "".join(assembly.add(Chunk(text=text[at : at + size])) for at in range(0, len(text), size))
    assembly.add(Chunk(finish=finish))
    rest, reply = assembly.end()
    assert reply.tool_calls or shown + rest == reply.text
    for call in reply.tool_calls:
        check(call.name, call.arguments)


@given(mangled(), mangled())
def test_a_mangled_structured_call_is_one_whatever_its_parts(name: str, arguments: str) -> None:
    assembly = Assembly(ModelRequest(profile="native", baseline=(), history=(), tools=REGISTRY.array()))
    assembly.add(Chunk(calls=(CallPiece(index=0, id="x", name=name, arguments=arguments),), finish="stop"))
    (call,) = assembly.end()[1].tool_calls
    check(call.name, call.arguments)
    assert isinstance(sound_arguments(arguments), str)
