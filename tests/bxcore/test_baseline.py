"""The baseline: the same bytes each time, limited, its parts named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.baseline import (
    MAX_TOKENS,
    Baseline,
    BaselineError,
    BaselineLostError,
    load,
    make,
    problem,
    sha256,
    sizes,
)
from bxcore.messages.loop import PromptSizes
from bxcore.model.values import Profile
from bxcore.tool_registry import ToolRegistry

TOOLS = ToolRegistry().array()
PROFILES: tuple[Profile, ...] = ("native", "json")


def made(profile: Profile, system: str = "Be brief.", block: str = "- Anna") -> Baseline:
    return make(profile, system=system, memory_block=block, tools=TOOLS, workspaces=("own", "fleet"))


@given(st.sampled_from(PROFILES), st.text(max_size=50), st.text(max_size=50))
def test_a_saved_baseline_comes_back_byte_for_byte(profile: Profile, system: str, block: str) -> None:
    baseline = made(profile, system, block)
    saved = baseline.dump()
    again = load(saved, sha256(saved))
    assert again == baseline
    assert again.dump() == saved
    assert json.dumps(again.messages) == json.dumps(baseline.messages)
    assert json.dumps(again.tools) == json.dumps(TOOLS)


def test_another_baseline_than_the_logs_is_refused() -> None:
    saved = made("native").dump()
    with pytest.raises(BaselineLostError, match="was changed since it started"):
        load(saved.replace(b"brief", b"loud!"), sha256(saved))
    with pytest.raises(BaselineLostError, match="is missing"):
        load(None, sha256(saved))
    with pytest.raises(BaselineError, match="it was imported, to be remembered; start another session"):
        load(None, "")


def test_parts_are_counted_by_the_tokenizer_where_there_is_one() -> None:
    found = sizes(
        "native", system="a b c", memory_block="", tools=TOOLS, count=lambda text: len(text.split())
    )
    assert dict(found.parts)["system.md"] == 3
    assert dict(found.parts)["memory"] == 0
    assert (found.estimated, found.total) == (False, sum(tokens for _, tokens in found.parts))


def test_one_part_that_cannot_be_counted_makes_all_an_estimate() -> None:
    counts = iter([1, None, 1])
    found = sizes(
        "native", system="abcdef", memory_block="xyz", tools=TOOLS, count=lambda _text: next(counts)
    )
    assert found.estimated
    assert dict(found.parts)["system.md"] == 2


@pytest.mark.parametrize("profile", PROFILES)
def test_the_baseline_as_it_ships_is_within_its_limit(profile: Profile) -> None:
    found = sizes(
        profile, system="word " * 200, memory_block="x" * 2000, tools=TOOLS, count=lambda _text: None
    )
    assert found.limit == MAX_TOKENS == 3000
    assert problem(found) is None, found


def test_over_the_limit_the_largest_parts_are_named() -> None:
    parts = (("system.md", 400), ("memory", 1900), ("tools", 701))
    over = PromptSizes(parts=parts, total=3001, limit=3000, estimated=False)
    assert problem(over) == (
        "the session cannot start: its prompt has 3001 tokens, over the limit of 3000; "
        "the largest parts are memory 1900 and tools 701; memory is user.md and memory.md together: "
        "shorten these, or have `bxctl memory consolidate` do it"
    )
    guessed = PromptSizes(parts=parts, total=3001, limit=3000, estimated=True)
    assert "its prompt has by estimate 3001 tokens" in str(problem(guessed))
    assert problem(PromptSizes(parts=parts, total=3000, limit=3000, estimated=False)) is None


def test_where_memory_is_not_the_largest_part_the_parts_are_to_be_shortened() -> None:
    parts = (("tools", 2900), ("memory", 200))
    assert str(problem(PromptSizes(parts=parts, total=3100, limit=3000, estimated=False))).endswith(
        "the largest parts are tools 2900 and memory 200; shorten them"
    )
