from __future__ import annotations

import json

from bxcore.args import ArgsError, parse
from bxcore.model.examples import EXAMPLES, Example, example_messages
from bxcore.schemas import CORE_TOOLS, TOOLS

EVERY = {*CORE_TOOLS}


def test_every_example_call_is_one_that_the_argument_reader_takes() -> None:
    for example in EXAMPLES:
        if example.call is not None:
            try:
                parse(example.call[0], json.dumps(example.call[1]))
            except ArgsError as error:
                raise AssertionError(f"{example.user}: {error.sentence}") from None


def test_every_core_tool_is_shown_and_replies_without_a_tool_too() -> None:
    assert {example.call[0] for example in EXAMPLES if example.call} == EVERY <= set(TOOLS)
    assert any(example.call is None for example in EXAMPLES)


def test_an_example_of_a_tool_that_is_not_offered_is_left_out() -> None:
    called = [
        each["content"] for each in example_messages(EXAMPLES, {"clock"}) if each["role"] == "assistant"
    ]
    tools = {json.loads(content).get("tool") for content in called}
    assert tools == {"clock", None}


def test_a_call_is_followed_by_its_result_and_the_reply() -> None:
    example = Example(user="time?", call=("clock", {}), result="four", reply="It is four.")
    assert example_messages([example], EVERY) == (
        {"role": "user", "content": "time?"},
        {"role": "assistant", "content": '{"tool":"clock","args":{}}'},
        {"role": "tool", "tool_call_id": "example", "content": "four"},
        {"role": "assistant", "content": '{"reply":"It is four."}'},
    )


def test_what_was_recalled_stands_before_the_words() -> None:
    found = example_messages([Example(user="time?", recalled="[1] x", reply="four")], EVERY)
    assert [each["role"] for each in found] == ["tool", "user", "assistant"]
    assert found[0]["content"] == "Recalled, perhaps of use:\n[1] x"
