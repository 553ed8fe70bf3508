from __future__ import annotations

from typing import Literal

import pytest

from bxcore.model.baseline import baseline_messages, estimate_tokens, prompt_parts
from bxcore.schemas import CORE_TOOLS, TOOLS

OFFERED = tuple(TOOLS[name] for name in (*CORE_TOOLS, "find_tool", "call_tool"))


def messages(profile: Literal["native", "json"], memory: str = "") -> tuple[dict[str, str], ...]:
    found = baseline_messages(profile, system="You are x.\n", memory_block=memory, tools=OFFERED)
    return tuple(dict(each) for each in found)


def test_a_native_baseline_is_one_system_message() -> None:
    assert messages("native", "Knows tea.") == ({"role": "system", "content": "You are x.\n\nKnows tea."},)
    assert messages("native") == ({"role": "system", "content": "You are x."},)


def test_a_json_baseline_says_how_to_write_and_shows_examples() -> None:
    system, *examples = messages("json")
    assert system["content"].startswith("You are x.\n\nEach of your messages is one JSON object")
    assert {each["role"] for each in examples} == {"user", "assistant", "tool"}


def test_the_memory_comes_last_in_a_json_baseline_so_that_the_start_is_every_session_s() -> None:
    with_memory = messages("json", "Knows tea.")
    assert with_memory[:-1] == messages("json")
    assert with_memory[-1] == {"role": "system", "content": "Knows tea."}


@pytest.mark.parametrize("profile", ["native", "json"])
def test_it_is_the_same_each_time(profile: Literal["native", "json"]) -> None:
    assert messages(profile, "Knows tea.") == messages(profile, "Knows tea.")


@pytest.mark.parametrize("profile", ["native", "json"])
def test_the_parts_hold_all_that_is_sent(profile: Literal["native", "json"]) -> None:
    parts = dict(prompt_parts(profile, system="You are x.", memory_block="Knows tea.", tools=OFFERED))
    assert parts["system.md"] == "You are x."
    assert parts["memory"] == "Knows tea."
    assert "ask_memory" in parts["tools"]
    whole = "\n".join(parts.values())
    for each in messages(profile, "Knows tea."):
        assert all(line in whole for line in each["content"].split("\n"))


def test_the_estimate_is_a_token_for_three_bytes_rounded_up() -> None:
    assert estimate_tokens(["abc", "abcd", "", "é"]) == 1 + 2 + 0 + 1
