"""What every request of a session starts with: saved once, sent the same each time, limited (spec 3.2)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bxcore.messages.loop import PromptSizes
from bxcore.model.baseline import baseline_messages, estimate_tokens, prompt_parts
from bxcore.model.values import Profile, Wire

MAX_TOKENS = 3000
NAMED_PARTS = 2
"""Parts that the sentence over the limit names, the largest first."""


class BaselineError(ValueError):
    """A session has no baseline to go on with; ``.args[0]`` says why."""


class BaselineLostError(BaselineError):
    """The file is not what was saved, or there is none; the session may go on with another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The wire messages and tools that a session was started with; ``workspaces`` are those it may ask."""

    profile: Profile
    messages: tuple[Wire, ...]
    tools: tuple[Wire, ...]
    workspaces: tuple[str, ...]

    def dump(self) -> bytes:
        """The saved form; ``load`` gives the same value back, keys in the same order."""
        saved = {
            "profile": self.profile,
            "workspaces": self.workspaces,
            "messages": self.messages,
            "tools": self.tools,
        }
        return (json.dumps(saved, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def make(
    profile: Profile, *, system: str, memory_block: str, tools: tuple[Wire, ...], workspaces: tuple[str, ...]
) -> Baseline:
    """The baseline of a new session: ``system.md``, the frozen memory block, the tools array."""
    messages = baseline_messages(profile, system=system, memory_block=memory_block, tools=tools)
    return Baseline(profile=profile, messages=messages, tools=tools, workspaces=workspaces)


def sha256(saved: bytes) -> str:
    """The hash that the session's first record names, in hex."""
    return hashlib.sha256(saved).hexdigest()


def load(saved: bytes | None, expected_sha256: str) -> Baseline:
    """Read a saved baseline back; raises ``BaselineLostError`` when it is missing or another one.

    A log without the hash of one was brought by an import, and nobody ever talked with this box in it: that
    is a ``BaselineError``.
    """
    if not expected_sha256:
        raise BaselineError("it was imported, to be remembered; start another session and ask about it there")
    if saved is None:
        raise BaselineLostError("its baseline.json is missing")
    if sha256(saved) != expected_sha256:
        raise BaselineLostError("its baseline.json was changed since it started")
    found: dict[str, Any] = json.loads(saved)
    return Baseline(
        profile=found["profile"],
        messages=tuple(found["messages"]),
        tools=tuple(found["tools"]),
        workspaces=tuple(found["workspaces"]),
    )


def sizes(
    profile: Profile,
    *,
    system: str,
    memory_block: str,
    tools: tuple[Wire, ...],
    count: Callable[[str], int | None],
) -> PromptSizes:
    """Tokens of each part; by the stated estimate for all when ``count`` knows one of them not."""
    texts = prompt_parts(profile, system=system, memory_block=memory_block, tools=tools)
    counted = [(name, count(text) if text else 0) for name, text in texts]
    exact = [(name, tokens) for name, tokens in counted if tokens is not None]
    estimated = len(exact) < len(counted)
    parts = [(name, estimate_tokens([text])) for name, text in texts] if estimated else exact
    total = sum(tokens for _, tokens in parts)
    return PromptSizes(parts=tuple(parts), total=total, limit=MAX_TOKENS, estimated=estimated)


def _shorter(largest: Sequence[tuple[str, int]]) -> str:
    """What to do: the memory block is the owner's to shorten, by its two files."""
    if largest[0][0] != "memory":
        return "shorten them"
    return "memory is user.md and memory.md together: shorten these, or have `bxctl memory consolidate` do it"


def problem(found: PromptSizes) -> str | None:
    """One sentence when a baseline is over the limit, naming its largest parts; else None."""
    if found.total <= found.limit:
        return None
    largest = sorted(found.parts, key=lambda part: -part[1])[:NAMED_PARTS]
    named = " and ".join(f"{name} {tokens}" for name, tokens in largest)
    about = "by estimate " if found.estimated else ""
    return (
        f"the session cannot start: its prompt has {about}{found.total} tokens, over the limit of "
        f"{found.limit}; the largest parts are {named}; {_shorter(largest)}"
    )
