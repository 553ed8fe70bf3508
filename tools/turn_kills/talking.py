"""Who talks to the box while it lives, and when it is killed."""

from __future__ import annotations

import http.client
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.turn_kills.box import Box

STEPS = ("clock", "clocks", "find", "recall", "note", "post", "posts", "asked", "shell")
WEIGHTS = (3, 2, 1, 1, 1, 4, 2, 3, 3)
LONG = 0.06
"""How often a turn ends with a long reply."""
STOPS = 0.06
"""How often a turn is stopped, at a moment of its own."""


class Moments:
    """What happens in a turn, seen from outside: a kill waits for one of them."""

    KINDS = ("model", "effect", "effect answered", "turn_started", "tool_started", "tool_ended",
             "approval_asked", "approval_closed", "text_delta", "result", "queued")  # fmt: skip

    def __init__(self) -> None:
        self._came = threading.Event()
        self._kind, self._left = "", 0

    def arm(self, kind: str, number: int) -> None:
        """Wait for the so-manieth of a kind from now on."""
        self._came.clear()
        self._kind, self._left = kind, number

    def seen(self, kind: str) -> None:
        """It has happened."""
        if kind == self._kind:
            self._left -= 1
            if self._left <= 0:
                self._came.set()

    def wait(self, most_s: float) -> bool:
        """Until it has come, or so long."""
        return self._came.wait(most_s)


@dataclass
class Said:
    """One message, and every line that its client was shown."""

    session: str
    text: str
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def result(self) -> dict[str, Any] | None:
        """The last line of a turn that ended before its client's eyes."""
        return next((line for line in self.lines if line["kind"] == "result"), None)


@dataclass
class Talker:
    """Says message after message in one session; ``said`` is all of it. Two may talk in one session."""

    name: str
    chance: random.Random
    box: Box
    moments: Moments
    session: str = ""
    said: list[Said] = field(default_factory=list)

    def go_on(self, stop: threading.Event) -> None:
        """Say turn after turn until the box is gone."""
        while not stop.is_set() and self.say(self._plan()).result is not None:
            pass

    def say(self, plan: str, *, stops: bool = True) -> Said:
        """One turn, its approvals answered as they are asked."""
        word = f"{self.session}_{self.name}{len(self.said)}"
        said = Said(self.session, f"{word} {plan}".strip())
        self.said.append(said)
        stopper = (
            threading.Timer(self.chance.random() * 0.08, self._stop) if stops and self._often(STOPS) else None
        )
        if stopper is not None:
            stopper.start()
        for line in self.box.chat(text=said.text, session=said.session, speaker="owner", answers=True):
            said.lines.append(line)
            self.moments.seen(line["kind"])
            if line["kind"] == "approval_asked":
                self._answer(line["approval"]["code"])
        if stopper is not None:
            stopper.join(timeout=10)
        return said

    def _plan(self) -> str:
        steps = self.chance.choices(STEPS, WEIGHTS, k=self.chance.choice((0, 1, 1, 2, 2, 3, 5)))
        if not self.box.shell:
            steps = ["post" if step == "shell" else step for step in steps]
        return " ".join([*steps, *(["long"] if self._often(LONG) else [])])

    def _often(self, share: float) -> bool:
        return self.chance.random() < share

    def _stop(self) -> None:
        tried(lambda: self.box.asks("POST", "/v1/stop-turn", {"session": self.session}))

    def _answer(self, code: str) -> None:
        approve = self._often(0.8)
        tried(lambda: self.box.asks("POST", "/v1/approval-answer", {"code": code, "approve": approve}))


def tried(ask: Callable[[], object]) -> None:
    """Ask, if the box still lives."""
    try:
        ask()
    except (OSError, http.client.HTTPException, ValueError):
        return


def kinds_of(talkers: list[Talker]) -> Counter[str]:
    """How many lines of each kind were shown."""
    return Counter(line["kind"] for talker in talkers for said in talker.said for line in said.lines)
