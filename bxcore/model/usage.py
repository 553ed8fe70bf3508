"""What one request cost in tokens, as far as the server's numbers can be believed (spec 3.2, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bxcore.model.values import ModelUsage

MOST_TOKENS = 100_000_000
"""No prompt and no answer has more; a larger number is a slip of the server's."""
ROOM_TOKENS = 4096
"""What a chat template may add to a prompt, of its own words and of how it spells the tools."""


def read_usage(event: Mapping[str, Any]) -> ModelUsage | None:
    """Tokens as OpenAI counts them, with llama.cpp's ``timings`` for what it leaves out; None for neither."""
    usage, timings = event.get("usage"), event.get("timings")
    usage = usage if isinstance(usage, dict) else {}
    timings = timings if isinstance(timings, dict) else {}
    if not usage and not timings:
        return None
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    cached = _count(timings.get("cache_n")) if cached is None else cached
    prompt = _count(usage.get("prompt_tokens"))
    if prompt is None:
        prompt = (_count(timings.get("prompt_n")) or 0) + (cached or 0)
    completion = _count(usage.get("completion_tokens"))
    if completion is None:
        completion = _count(timings.get("predicted_n")) or 0
    return ModelUsage(prompt=prompt, cached=cached, completion=completion)


def believable(usage: ModelUsage, prompt_bytes: int) -> ModelUsage:
    """The numbers without those that cannot be, so that no wrong one looks like a lost cache.

    A token has a byte at least, so a prompt of more tokens than bytes was not counted; and no more can come
    from the cache than the prompt has.
    """
    if usage.prompt > prompt_bytes + ROOM_TOKENS:
        return ModelUsage(completion=usage.completion)
    if usage.cached is not None and usage.prompt and usage.cached > usage.prompt:
        return ModelUsage(prompt=usage.prompt, completion=usage.completion)
    return usage


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None
