from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.assembly import MAX_ANSWER, MAX_THOUGHT, UNNAMED, Assembly
from bxcore.model.chunk import CallPiece, Chunk
from bxcore.model.nonsense import Nonsense
from bxcore.model.values import AssistantMessage, ModelReply, ModelRequest, ModelUsage, Profile
from bxcore.records import ToolCall

TOOLS = ({"name": "clock", "description": "", "parameters": {}},)


def request(profile: Profile = "native", *taken: str) -> ModelRequest:
    calls = tuple(ToolCall(id=name, name="clock", arguments="{}") for name in taken)
    history = (AssistantMessage(tool_calls=calls),) if taken else ()
    return ModelRequest(profile=profile, baseline=(), history=history, tools=TOOLS)


def said(*chunks: Chunk, wanted: ModelRequest | None = None) -> tuple[str, ModelReply]:
    assembly = Assembly(wanted or request())
    shown = "".join(assembly.add(chunk) for chunk in chunks)
    rest, reply = assembly.end()
    return shown + rest, reply


def text(whole: str, profile: Profile = "native", finish: str = "stop") -> tuple[str, ModelReply]:
    pieces = [Chunk(text=whole[at : at + 3]) for at in range(0, len(whole), 3)]
    return said(*pieces, Chunk(finish=finish), wanted=request(profile))


def piece(index: int, name: str = "", arguments: Any = None, call_id: str = "") -> Chunk:
    return Chunk(calls=(CallPiece(index=index, id=call_id, name=name, arguments=arguments),))


def calls(reply: ModelReply) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in reply.tool_calls]


def test_a_native_answer_is_put_together() -> None:
    usage = ModelUsage(prompt=3, cached=1, completion=2)
    shown, reply = said(
        Chunk(reasoning="hm"),
        Chunk(text="It is "),
        Chunk(text="four."),
        Chunk(finish="stop"),
        Chunk(usage=usage),
    )
    assert shown == "It is four."
    assert reply == ModelReply(text="It is four.", reasoning="hm", usage=usage, finish="stop")


def test_calls_are_put_together_by_index_though_their_pieces_are_mixed() -> None:
    _, reply = said(
        piece(0, "clock", "", "x"),
        piece(1, "recall", "", "y"),
        piece(1, arguments='{"query":'),
        piece(0, arguments="{}"),
        piece(1, arguments='"tea"}'),
        Chunk(finish="tool_calls"),
    )
    assert calls(reply) == [("x", "clock", "{}"), ("y", "recall", '{"query":"tea"}')]
    assert reply.structured


def test_calls_that_share_an_index_are_told_apart_by_id() -> None:
    _, reply = said(piece(0, "clock", "{}", "x"), piece(0, "recall", "{}", "y"), Chunk(finish="stop"))
    assert [call.name for call in reply.tool_calls] == ["clock", "recall"]
    assert reply.finish == "tool_calls"


def test_an_argument_object_becomes_text() -> None:
    _, reply = said(piece(0, "recall", {"query": "tea"}, "x"), Chunk(finish="stop"))
    assert calls(reply) == [("x", "recall", '{"query": "tea"}')]


@pytest.mark.parametrize("text_beside", ["", "Let me see."])
def test_a_call_without_a_name_is_one_that_the_model_hears_of(text_beside: str) -> None:
    _, reply = said(piece(0, "", '{"a": 1}', "x"), Chunk(text=text_beside, finish="stop"))
    assert calls(reply) == [("x", UNNAMED, '{"a": 1}')]
    assert not reply.structured


def test_a_call_of_which_nothing_is_said_is_left_out_beside_a_reply_or_another_call() -> None:
    _, reply = said(piece(0, arguments=""), Chunk(text="hi", finish="stop"))
    assert (reply.text, reply.tool_calls) == ("hi", ())
    _, reply = said(piece(0, "clock", "{}", "x"), piece(1), Chunk(finish="stop"))
    assert calls(reply) == [("x", "clock", "{}")]
    assert [call.name for call in said(piece(0), Chunk(finish="stop"))[1].tool_calls] == [UNNAMED]


@pytest.mark.parametrize(("name", "called"), [("17", "17"), ("null", UNNAMED), ('{"a": 1}', '{"a": 1}')])
def test_a_json_call_whose_name_is_no_text_is_one_that_the_model_hears_of(name: str, called: str) -> None:
    shown, reply = text(f'{{"tool": {name}, "args": {{}}}}', "json")
    assert (shown, reply.text, calls(reply)) == ("", "", [("call_1", called, "{}")])


def test_missing_repeated_and_taken_ids_are_replaced_by_free_ones() -> None:
    chunks = (
        piece(0, "a", "{}"),
        piece(1, "b", "{}", "x"),
        piece(2, "c", "{}", "x"),
        piece(3, "d", "{}", "old"),
    )
    _, reply = said(*chunks, wanted=request("native", "old", "call_2"))
    ids = [call.id for call in reply.tool_calls]
    assert len({*ids, "old", "call_2"}) == 6
    assert ids[1] == "x"


def test_a_call_written_as_text_is_a_call_and_is_not_shown() -> None:
    shown, reply = text('Let me see. <tool_call>{"name": "clock", "arguments": {}}</tool_call>')
    assert (shown.strip(), reply.text) == ("Let me see.", "Let me see.")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("clock", "{}")]
    assert not reply.structured


def test_a_text_that_was_held_back_for_nothing_is_shown_at_the_end() -> None:
    shown, reply = text('{"a": 1}')
    assert shown == reply.text == '{"a": 1}'


def test_a_json_reply_is_its_text_and_a_json_call_a_call() -> None:
    assert text('{"reply": "It is\\nfour."}', "json")[1].text == "It is\nfour."
    shown, reply = text('{"tool": "clock", "args": {"a": 1}}', "json")
    assert (shown, reply.text, calls(reply)) == ("", "", [("call_1", "clock", '{"a": 1}')])


def test_json_ids_go_on_counting_behind_the_taken_ones() -> None:
    _, reply = said(Chunk(text='{"tool":"clock","args":{}}', finish="stop"), wanted=request("json", "call_1"))
    assert calls(reply) == [("call_2", "clock", "{}")]


def test_both_profiles_end_in_the_same_call() -> None:
    native = said(piece(0, "clock", '{"a": 1}', "call_1"), Chunk(finish="stop"))[1]
    as_json = said(Chunk(text='{"tool":"clock","args":{"a": 1}}', finish="stop"), wanted=request("json"))[1]
    assert native.tool_calls == as_json.tool_calls


def test_a_json_model_that_writes_another_form_is_understood() -> None:
    assert calls(text('{"name": "clock", "arguments": {}}', "json")[1]) == [("call_1", "clock", "{}")]
    assert text("It is four.", "json")[1].text == "It is four."
    assert text('{"reply": "x",}', "json")[1].text == "x"


@pytest.mark.parametrize("written", ['{"tool":"memory","args":{"text":"the spa', '{"tool":"memory","args":'])
def test_a_json_call_cut_by_the_token_limit_is_a_malformed_call_never_half_a_one(written: str) -> None:
    shown, reply = text(written, "json", "length")
    assert shown == ""
    assert reply.tool_calls[0].name == "memory"
    with pytest.raises(ValueError, match=r".*"):
        json.loads(reply.tool_calls[0].arguments)
    assert reply.finish == "length"


def test_a_json_reply_cut_by_the_token_limit_is_what_was_shown() -> None:
    shown, reply = text('{"reply": "It is fo', "json", "length")
    assert (shown, reply.text, reply.finish, reply.tool_calls) == ("It is fo", "It is fo", "length", ())


def test_a_native_call_cut_by_the_token_limit_is_not_mended() -> None:
    _, reply = said(piece(0, "memory", '{"text": "the spa', "x"), Chunk(finish="length"))
    assert calls(reply) == [("x", "memory", '{"text": "the spa')]


def test_a_text_call_cut_by_the_token_limit_is_no_call() -> None:
    _, reply = text('<tool_call>{"name": "clock", "arguments": {"a": "b', finish="length")
    assert reply.tool_calls == ()


def test_an_answer_is_whole_only_when_the_server_said_so() -> None:
    assembly = Assembly(request())
    assembly.add(Chunk(text="a"))
    assert not assembly.is_whole
    assembly.add(Chunk(done=True))
    assert assembly.is_whole


def test_an_answer_without_end_is_nonsense() -> None:
    assembly = Assembly(request())
    half = Chunk(text="x" * (MAX_ANSWER // 2))
    assembly.add(half)
    assembly.add(half)
    with pytest.raises(Nonsense, match="more than"):
        assembly.add(half)


@given(st.text(), st.sampled_from(["native", "json"]), st.sampled_from(["stop", "length"]))
def test_any_text_ends_in_a_reply_that_was_shown_as_it_is(whole: str, profile: Profile, finish: str) -> None:
    shown, reply = text(whole, profile, finish)
    assert reply.tool_calls or shown == reply.text


@pytest.mark.parametrize("profile", ["native", "json"])
@pytest.mark.parametrize("close", ["</think>", ""])
def test_a_call_in_a_thought_is_none_and_the_thought_is_not_shown(profile: Profile, close: str) -> None:
    call = '<tool_call>{"name": "clock", "arguments": {}}</tool_call>{"tool": "clock", "args": {}}'
    shown, reply = text(f"<think>I could {call}{close}{'It is four.' if close else ''}", profile)
    assert shown == reply.text == ("It is four." if close else "")
    assert reply.tool_calls == ()
    assert reply.reasoning == f"I could {call}"


def test_a_call_behind_a_thought_is_one_in_both_profiles() -> None:
    thought = "<think>which?</think>\n"
    native = text(f'{thought}<tool_call>{{"name": "clock", "arguments": {{}}}}</tool_call>')[1]
    as_json = text(f'{thought}{{"tool": "clock", "args": {{}}}}', "json")[1]
    assert native.tool_calls == as_json.tool_calls
    assert [call.name for call in native.tool_calls] == ["clock"]


def test_thoughts_that_only_end_are_no_part_of_the_reply() -> None:
    _, reply = text("It may be four.\n</think>\n\nIt is four.")
    assert (reply.text, reply.reasoning) == ("It is four.", "It may be four.")


def over(*chunks: Chunk, profile: Profile = "native") -> tuple[int, ModelReply]:
    """How many chunks were taken until no more were wanted, and what came of it."""
    assembly = Assembly(request(profile))
    taken = 0
    while not assembly.over and taken < 10_000:
        assembly.add(chunks[taken % len(chunks)])
        taken += 1
    return taken, assembly.end()[1]


def test_a_text_that_goes_round_is_ended_and_kept() -> None:
    taken, reply = over(Chunk(text="I am "), Chunk(text="sorry. "))
    assert taken < 2000
    assert (reply.finish, reply.text[:24]) == ("repeats", "I am sorry. I am sorry. ")


def test_a_json_reply_that_goes_round_is_what_was_shown() -> None:
    assembly = Assembly(request("json"))
    shown = assembly.add(Chunk(text='{"reply": "'))
    while not assembly.over:
        shown += assembly.add(Chunk(text="la "))
    rest, reply = assembly.end()
    assert (shown + rest, reply.finish) == (reply.text, "repeats")


@pytest.mark.parametrize("chunk", [Chunk(reasoning="wait, "), Chunk(text="<think>")])
def test_a_thought_that_goes_round_is_ended_without_a_reply(chunk: Chunk) -> None:
    assembly = Assembly(request())
    while not assembly.over:
        assembly.add(chunk)
        assembly.add(Chunk(reasoning="no, "))
    reply = assembly.end()[1]
    assert (reply.finish, reply.text, reply.tool_calls) == ("thinking", "", ())


def test_a_thought_without_end_is_ended() -> None:
    assembly = Assembly(request())
    number = 0
    while not assembly.over:
        number += 1
        assembly.add(Chunk(reasoning=f"{number}, "))
    assert MAX_THOUGHT < sum(len(f"{each}, ") for each in range(1, number + 1)) <= MAX_THOUGHT + 10


def test_half_a_call_of_an_answer_that_was_ended_is_not_mended() -> None:
    assembly = Assembly(request())
    assembly.add(piece(0, "memory", '{"text": "the spa', "x"))
    while not assembly.over:
        assembly.add(Chunk(text="la "))
    reply = assembly.end()[1]
    assert calls(reply) == [("x", "memory", '{"text": "the spa')]
    assert reply.finish == "repeats"


VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=4)
ARGUMENTS = st.dictionaries(st.text(), VALUES, max_size=4)
NAMES = st.sampled_from(["clock", "recall", "mcp.a.b"])


@given(name=NAMES, given_arguments=ARGUMENTS, size=st.integers(1, 40))
def test_both_profiles_end_in_the_same_call_whatever_it_is(
    name: str, given_arguments: dict[str, Any], size: int
) -> None:
    written = json.dumps(given_arguments)
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    first = piece(0, name, "", "call_1")
    native = said(first, *(piece(0, arguments=each) for each in pieces), Chunk(finish="tool_calls"))[1]
    whole = json.dumps({"tool": name, "args": given_arguments}, ensure_ascii=size % 2 == 0)
    chunks = [Chunk(text=whole[at : at + size]) for at in range(0, len(whole), size)]
    shown, as_json = said(*chunks, Chunk(finish="stop"), wanted=request("json"))
    as_object = said(piece(0, name, given_arguments, "call_1"), Chunk(finish="stop"))[1]
    assert shown == ""
    for reply in (native, as_json, as_object):
        (call,) = reply.tool_calls
        assert (call.id, call.name, json.loads(call.arguments)) == ("call_1", name, given_arguments)
        assert reply.finish == "tool_calls"
