"""What every request of a session starts with (spec 3.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bxcore.model.examples import EXAMPLES, example_messages
from bxcore.model.json_profile import instructions, response_format
from bxcore.model.native import tool_entries
from bxcore.model.values import Profile, Wire

BYTES_A_TOKEN = 3
"""The stated estimate where no tokenizer is at hand: English has about four bytes a token, JSON three."""


def baseline_messages(
    profile: Profile, *, system: str, memory_block: str, tools: tuple[Wire, ...]
) -> tuple[Wire, ...]:
    """The wire messages that a session saves at its start and sends the same each time.

    The ``json`` profile adds how to write a message, a line a tool, and example turns for the tools offered.
    There the memory block comes last, so that all before it is the same for every session: the embedded
    model reads that part once and keeps it.
    """
    memory = memory_block.strip()
    if profile == "native":
        return (_system(system.strip(), memory),)
    start = (_system(system.strip(), instructions(tools)), *_examples(tools))
    return (*start, _system(memory)) if memory else start


def _system(*parts: str) -> Wire:
    return {"role": "system", "content": "\n\n".join(part for part in parts if part)}


def _examples(tools: tuple[Wire, ...]) -> tuple[Wire, ...]:
    return example_messages(EXAMPLES, {tool["name"] for tool in tools})


def prompt_parts(
    profile: Profile, *, system: str, memory_block: str, tools: tuple[Wire, ...]
) -> tuple[tuple[str, str], ...]:
    """Each part of the baseline by name, as text to count tokens of; what ``bxctl prompt-size`` shows."""
    parts = [("system.md", system.strip()), ("memory", memory_block.strip())]
    if profile == "native":
        parts.append(("tools", json.dumps(tool_entries(tools), ensure_ascii=False, separators=(",", ":"))))
    else:
        texts = (f"{each['role']}\n{each['content']}\n" for each in _examples(tools))
        parts.append(("tools", instructions(tools)))
        parts.append(("examples", "\n".join(texts)))
    return tuple(parts)


def estimate_tokens(texts: Iterable[str]) -> int:
    """Tokens by the stated estimate, ``BYTES_A_TOKEN``, rounded up for each text."""
    return sum(-(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN) for text in texts)


__all__ = ["BYTES_A_TOKEN", "baseline_messages", "estimate_tokens", "prompt_parts", "response_format"]
