"""What the chaos run breaks: actors that write entries down and acknowledge them, and their clients."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

from actors.base import (
    Actor,
    Answer,
    CallError,
    Context,
    Failed,
    Mailbox,
    Outcome,
    Restarting,
    Runtime,
    gather,
)

ERRORS: tuple[type[BaseException], ...] = (ValueError, SystemExit, MemoryError, KeyboardInterrupt)
DEADLINE_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Write an entry down; with ``crash`` the actor crashes after it, before it can acknowledge."""

    client: int
    number: int
    crash: type[BaseException] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """Crash, and fail so many of the starts that follow."""

    error: type[BaseException]
    failed_starts: int = 0


class Store:
    """The state above a journal: it survives every crash. Written by one incarnation at a time."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int]] = []
        self.causes: Counter[str] = Counter()
        self.fail_starts = 0


class Journal(Actor):
    def __init__(self, context: Context, store: Store) -> None:
        super().__init__(context)
        self._store = store

    def on_start(self) -> None:
        if self._store.fail_starts:
            self._store.fail_starts -= 1
            self._store.causes["failed start"] += 1
            raise OSError

    def on_receive(self, message: Append | Crash) -> object:
        if isinstance(message, Crash):
            self._store.fail_starts += message.failed_starts
            raise self._burst(message.error)
        self._store.entries.append((message.client, message.number))
        if message.crash is not None:
            raise self._burst(message.crash)
        return message.number

    def _burst(self, error: type[BaseException]) -> BaseException:
        self._store.causes["crash"] += 1
        return error()


def answered(box: Mailbox) -> None:
    """Come back when all that was sent to ``box`` has been handled or has crashed it."""
    while True:
        try:
            box.call(Append(client=-1, number=0), DEADLINE_S)
        except Restarting:
            continue
        return


class Client(threading.Thread):
    """Asks in batches and crashes the journals in between, until so many crashes are caused."""

    def __init__(self, runtime: Runtime, boxes: list[Mailbox], number: int, crashes: int) -> None:
        super().__init__(name=f"client-{number}", daemon=True)
        self.acknowledged: dict[str, list[int]] = {box.name: [] for box in boxes}
        self.unresolved = 0
        self._runtime = runtime
        self._boxes = boxes
        self._number = number
        self._crashes = crashes
        self._chance = random.Random(number)
        self._next = 0

    def run(self) -> None:
        while self._crashes > 0:
            box = self._chance.choice(self._boxes)
            deadline_s = self._runtime.world.monotonic() + DEADLINE_S
            asked = [self._append(box, deadline_s) for _ in range(self._chance.randint(1, 8))]
            self._crash(box, deadline_s)
            asked += [self._append(box, deadline_s) for _ in range(self._chance.randint(0, 4))]
            outcomes = gather([reply for reply, _ in asked], deadline_s)
            for outcome, (_, number) in zip(outcomes, asked, strict=True):
                self._note(box, outcome, number)

    def _append(self, box: Mailbox, deadline_s: float) -> tuple[Any, int]:
        self._next += 1
        error = self._chance.choice(ERRORS) if self._chance.random() < 0.1 else None
        self._crashes -= error is not None
        return box.ask(Append(client=self._number, number=self._next, crash=error), deadline_s), self._next

    def _crash(self, box: Mailbox, deadline_s: float) -> None:
        failed_starts = 1 if self._chance.random() < 0.1 else 0
        crash = Crash(error=self._chance.choice(ERRORS), failed_starts=failed_starts)
        self._crashes -= 1 + failed_starts
        if self._chance.random() < 0.5:
            box.tell(crash)
        elif not isinstance(box.ask(crash, deadline_s).outcome(deadline_s), Failed):
            self.unresolved += 1

    def _note(self, box: Mailbox, outcome: Outcome, number: int) -> None:
        if outcome == Answer(number):
            self.acknowledged[box.name].append(number)
        elif not (isinstance(outcome, Failed) and isinstance(outcome.error, CallError)):
            self.unresolved += 1
