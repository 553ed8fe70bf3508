from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.usage import MOST_TOKENS, ROOM_TOKENS, believable, read_usage
from bxcore.model.values import ModelUsage

COUNTS = st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.booleans()


def test_nothing_said_is_nothing_known() -> None:
    assert read_usage({}) is None
    assert read_usage({"usage": None, "timings": []}) is None


def test_what_openai_leaves_out_timings_tell() -> None:
    found = read_usage({"usage": {"prompt_tokens": 9}, "timings": {"cache_n": 5, "predicted_n": 2}})
    assert found == ModelUsage(prompt=9, cached=5, completion=2)


@pytest.mark.parametrize(("prompt", "kept"), [(100 + ROOM_TOKENS, True), (101 + ROOM_TOKENS, False)])
def test_more_tokens_than_bytes_are_not_believed(prompt: int, *, kept: bool) -> None:
    usage = ModelUsage(prompt=prompt, cached=1, completion=2)
    assert believable(usage, 100) == (usage if kept else ModelUsage(completion=2))


@pytest.mark.parametrize(("cached", "kept"), [(9, 9), (10, None), (0, 0)])
def test_more_cached_than_there_was_is_not_believed(cached: int, kept: int | None) -> None:
    assert believable(ModelUsage(prompt=9, cached=cached), 100) == ModelUsage(prompt=9, cached=kept)


@given(st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens"]), COUNTS), COUNTS, COUNTS)
def test_whatever_a_server_counts_is_a_count_or_left_out(
    usage: dict[str, Any], cached: Any, cache_n: Any
) -> None:
    event = {
        "usage": {**usage, "prompt_tokens_details": {"cached_tokens": cached}},
        "timings": {"cache_n": cache_n},
    }
    found = read_usage(event)
    assert found is not None
    for count in (found.prompt, found.completion, found.cached or 0):
        assert isinstance(count, int)
        assert 0 <= count <= MOST_TOKENS
