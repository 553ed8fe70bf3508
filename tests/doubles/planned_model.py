"""A model that does what the message says, step by step: ``WORD STEP STEP …``; it remembers nothing.

The steps are calls with effects and without; each effect is named ``WORD.N``, where N is the round that it is
made in. When all are done it replies. What it is sent must be a conversation: each call with its one result.
"""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.model_server import ModelServer, Step

LONG_WORDS = 45_000
"""Pieces of a long reply; only records of that length are torn by a kill."""
SUMMARY = "They spoke of this and that."
Call = list[Any]


def said_in(body: Mapping[str, Any]) -> tuple[str, int, Sequence[Mapping[str, Any]]]:
    """The last message of the person, and what came behind it: how many rounds, and all of it."""
    messages = body["messages"]
    at = max(place for place, message in enumerate(messages) if message["role"] == "user")
    behind = messages[at + 1 :]
    calls = (message["tool_calls"][0]["id"] for message in behind if message.get("tool_calls"))
    rounds = sum(not call.startswith("e") for call in calls)  # the summary of an epoch is no round of a turn
    return str(messages[at]["content"]).splitlines()[-1], rounds, behind


@dataclass
class PlannedModel:
    """``effects`` is where a page takes the POSTs of ``post`` and, asked for, of ``asked``; ``file`` is what
    ``shell`` appends to. ``more`` adds steps of a test's own: an answer for a step's word.
    """

    port: int = 0
    file: str = ""
    more: Mapping[str, Callable[[str], Step]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    baselines: dict[str, set[str]] = field(default_factory=dict)
    """By the word's session: hashes of what stood before the first message."""

    def __call__(self, body: Mapping[str, Any]) -> Step:
        """The next step of the message; a reply when there is none left."""
        said, rounds, _ = said_in(body)
        word, *steps = said.split()
        if "_" not in word:  # no message of ours: the box asks for a summary
            return {"say": SUMMARY}
        self._check(word, body)
        if rounds >= len(steps):
            return {"say": f"done {word}"}
        return self._step(steps[rounds], f"{word}.{rounds}")

    def _step(self, step: str, effect: str) -> Step:
        if step in self.more:
            return self.more[step](effect)
        calls: dict[str, list[Call]] = {
            "clock": [["clock", {}]],
            "restart": [["clock", {}]],
            "clocks": [["clock", {}], ["clock", {}]],
            "find": [["find_tool", {"query": "send a page"}]],
            "recall": [["recall", {"query": effect}]],
            "note": [["memory", {"action": "add", "file": "notes", "text": effect}]],
            "post": [self._post("effects.example", effect)],
            "posts": [self._post("effects.example", effect), self._post("effects.example", f"{effect}b")],
            "asked": [self._post("asked.example", effect)],
            "shell": [_inner("shell", {"command": f"echo {effect} >> {self.file}"})],
        }
        if step == "long":
            return {"say": "la" * LONG_WORDS, "piece": LONG_WORDS}
        return {"call": calls[step]}

    def _post(self, host: str, effect: str) -> Call:
        url = f"http://{host}:{self.port}/{effect}"
        return _inner("http_fetch", {"url": url, "method": "POST", "body": effect})

    def _check(self, word: str, body: Mapping[str, Any]) -> None:
        """Each call has its one result right behind it, nothing was said twice, the baseline stays."""
        messages = body["messages"]
        said = Counter(str(message["content"]) for message in messages if message["role"] == "user")
        self.wrong += [
            f"{word}: the model saw {text[:40]!r} twice" for text, count in said.items() if count > 1
        ]
        waiting: list[str] = []
        for message in messages:
            if message["role"] == "tool":
                if message["tool_call_id"] not in waiting:
                    self.wrong.append(f"{word}: a result without its call")
                else:
                    waiting.remove(message["tool_call_id"])
                continue
            if waiting:
                self.wrong.append(f"{word}: a call without its result")
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
        head = json.dumps([body.get("tools"), [one for one in messages if one["role"] == "system"][:1]])
        session = word.rpartition("_")[0]
        self.baselines.setdefault(session, set()).add(hashlib.sha256(head.encode()).hexdigest())


def _inner(tool: str, arguments: Mapping[str, Any]) -> Call:
    return ["call_tool", {"name": tool, "arguments": arguments}]


def main(wait_s: float) -> None:
    """Serve until a signal comes. The base URL is the first line; each answer comes after ``wait_s``."""
    planned = PlannedModel()
    with ModelServer(lambda body: {**planned(body), "wait_s": wait_s}) as server:
        print(server.url, flush=True)  # noqa: T201 - the one line that a caller waits for
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main(float(sys.argv[1]))
