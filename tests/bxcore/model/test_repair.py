from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore.model.lenient_json import MAX_TEXT
from bxcore.model.repair import MARKS, Written, calls_in_text, sound_arguments

TOOLS = ("clock", "recall")
PIECES = [*MARKS, "{", "}", '"name"', ":", '"clock"', ",", "</tool_call>", "```", "\n", "x"]
CLOCK = Written("clock", "{}")
RECALL = Written("recall", '{"query": "tea"}')


@pytest.mark.parametrize(
    ("given_arguments", "text"),
    [
        (None, "{}"),
        ("", "{}"),
        ({"query": "tea"}, '{"query": "tea"}'),
        ('{"query":"tea"}', '{"query":"tea"}'),
        ('"{\\"query\\": \\"tea\\"}"', '{"query": "tea"}'),
        ('{"query": "tea",}', '{"query": "tea"}'),
        ("{'query': 'tea'}", '{"query": "tea"}'),
        (
            "{'query': 'it is true', 'k': null, 'all': true, 'none': False}",
            '{"query": "it is true", "k": null, "all": true, "none": false}',
        ),
        ('```json\n{"query": "tea"}\n```', '{"query": "tea"}'),
        ("tea", "tea"),
        ("[1]", "[1]"),
        (["x"], '["x"]'),
    ],
)
def test_arguments_become_the_text_of_an_object_where_that_is_plain(
    given_arguments: object, text: str
) -> None:
    assert sound_arguments(given_arguments) == text


def test_a_key_given_twice_is_left_for_the_reader_to_refuse() -> None:
    assert sound_arguments('{"a":1,"a":2}') == '{"a":1,"a":2}'


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "recall", "arguments": {"query": "tea"}}</tool_call>',
        '<tool_call>\n{"name": "recall", "arguments": "{\\"query\\": \\"tea\\"}"}\n</tool_call>',
        '<tool_call>{"name": "recall", "arguments": {"query": "tea"}',
        '[TOOL_CALLS][{"name": "recall", "arguments": {"query": "tea"}}]',
        '[TOOL_CALLS]recall{"query": "tea"}',
        '[TOOL_CALLS]recall[ARGS]{"query": "tea"}',
        '<|python_tag|>{"name": "recall", "parameters": {"query": "tea"}}',
        '<function=recall>{"query": "tea"}</function>',
        "<function=recall>\n<parameter=query>\ntea\n</parameter>\n</function>",
        "<tool_call>\n<function=recall>\n<parameter=query>\ntea\n</parameter>\n</function>\n</tool_call>",
        '```json\n{"name": "recall", "arguments": {"query": "tea"}}\n```',
        '```\n{"name": "recall", "arguments": {"query": "tea"}}\n```',
        '{"name": "recall", "arguments": {"query": "tea"}}',
        "{'name': 'recall', 'arguments': {'query': 'tea'}}",
        '```\n<tool_call>{"name": "recall", "arguments": {"query": "tea"}}</tool_call>\n```',
        '<|tool_call|>[{"name": "recall", "arguments": {"query": "tea"}}]<|/tool_call|>',
        '<tool_call>{"name": "recall", "arguments": {"query": "tea"}}</tool_call>\nIt is black.',
        '{"name": "recall", "parameters": {"query": "tea"}}',
        '{"tool": "recall", "args": {"query": "tea"}}',
        '{"type": "function", "function": {"name": "recall", "arguments": {"query": "tea"}}}',
        '[{"name": "recall", "arguments": {"query": "tea"}}]',
    ],
)
def test_a_call_written_as_text_is_found_in_each_family_s_form(text: str) -> None:
    assert calls_in_text(text, TOOLS) == ("", (RECALL,))


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "clock"}</tool_call><tool_call>{"name":"recall","arguments":{"query":"tea"}}',
        '[TOOL_CALLS]clock{}[TOOL_CALLS]recall{"query": "tea"}',
        '[{"name": "clock", "arguments": {}}, {"name": "recall", "arguments": {"query": "tea"}}]',
        '{"name": "clock", "arguments": {}}\n{"name": "recall", "arguments": {"query": "tea"}}',
        '<function=clock></function><function=recall>{"query": "tea"}</function>',
        '{"name": "clock", "parameters": {}}; {"name": "recall", "parameters": {"query": "tea"}}',
        '<|tool_call|>[{"name": "clock"}, {"name":"recall","arguments":{"query":"tea"}}]',
    ],
)
def test_several_calls_keep_their_order(text: str) -> None:
    assert calls_in_text(text, TOOLS) == ("", (CLOCK, RECALL))


def test_the_words_before_a_marked_call_stay() -> None:
    text = 'Let me see.\n<tool_call>{"name": "clock", "arguments": {}}</tool_call>'
    assert calls_in_text(text, TOOLS) == ("Let me see.", (CLOCK,))


@pytest.mark.parametrize(
    "text",
    [
        "It is four.",
        '{"name": "Robin", "arguments": "none"}',
        'Write it so: {"name": "clock", "arguments": {}}',
        '```json\n{"name": "clock", "age": 4}\n```',
        '```python\n{"name": "clock", "arguments": {}}\n```',
        "<tool_call>not at all</tool_call>",
        'Models write <tool_call>{"name": "clock", "arguments": {}}</tool_call> when they call.',
        '<tool_call>{"name": "clock", "arguments": {}}</tool_call> is how Hermes calls.',
        'Say `<tool_call>{"name": "clock", "arguments": {}}</tool_call>`',
        'As in "<function=clock></function>"',
        'So:\n```\n<tool_call>{"name": "clock", "arguments": {}}</tool_call>\n```\nand no more.',
        'So:\n```json\n{"name": "clock", "arguments": {}}\n```',
        '```json\n{"name": "clock"}\n```\nor\n```json\n{"name": "clock"}\n```',
        "Mistral writes [TOOL_CALLS]clock{} for it",
        "The tag <|python_tag|> begins a call.",
        "vector<function=void> is no type",
        "[TOOL_CALLS]",
        "",
    ],
)
def test_a_text_without_a_call_stays_whole(text: str) -> None:
    assert calls_in_text(text, TOOLS) == (text, ())


def test_a_marked_call_of_an_unknown_tool_is_a_call_for_the_loop_to_refuse() -> None:
    found = calls_in_text('<tool_call>{"name": "rm", "arguments": {}}</tool_call>', TOOLS)
    assert found == ("", (Written("rm", "{}"),))


@pytest.mark.parametrize("name", ["clocks", "Recall", "read_file", "web_fetch", "http_fetch"])
def test_bare_json_of_nearly_a_tool_is_a_call_that_the_model_hears_of(name: str) -> None:
    assert calls_in_text(f'{{"name": "{name}", "arguments": {{}}}}', TOOLS) == ("", (Written(name, "{}"),))
    assert calls_in_text(f'{{"name": "{name}x", "arguments": "none"}}', TOOLS)[1] == ()


def test_a_mention_before_a_call_hides_it_not() -> None:
    text = 'I use `<tool_call>` now:\n<tool_call>{"name": "clock", "arguments": {}}</tool_call>'
    assert calls_in_text(text, TOOLS) == ("I use `<tool_call>` now:", (CLOCK,))


def test_bare_json_of_an_unknown_tool_is_a_reply() -> None:
    text = '{"name": "rm", "arguments": {}}'
    assert calls_in_text(text, TOOLS) == (text, ())


@pytest.mark.parametrize(
    "piece",
    [*MARKS, "```json\n", "\n", " ", "{", "[", "<tool_call>{", "<function=a>", "<function=a><parameter=b>"],
)
def test_the_longest_text_of_one_piece_takes_little_time(piece: str) -> None:
    began = time.process_time()
    calls_in_text(piece * (MAX_TEXT // len(piece)), TOOLS)
    calls_in_text("```json\n" + piece * (MAX_TEXT // len(piece) - 9) + "```", TOOLS)
    assert time.process_time() - began < 4


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_gives_calls_whose_arguments_are_text(text: str) -> None:
    remark, calls = calls_in_text(text, TOOLS)
    assert text.startswith(remark)
    assert all(call.name and not call.name.isspace() for call in calls)


@example({"text": "<function="})
@given(st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_hermes_call_comes_back_with_its_arguments(arguments: dict[str, str]) -> None:
    if any("</tool_call>" in text or "<tool_call>" in text for pair in arguments.items() for text in pair):
        return
    written = json.dumps({"name": "clock", "arguments": arguments})
    _, calls = calls_in_text(f"<tool_call>{written}</tool_call>", TOOLS)
    assert [json.loads(call.arguments) for call in calls] == [arguments]
