"""Seeded storms: crashes, wishes, asks and a stop all at once, and what must hold in each of them."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from actors.base import Answer, CallError, Failed, Late, Outcome, Reply
from actors.supervising import Root
from bxcore.messages.supervision import RestartChild, StartChild
from bxcore.supervision import Restart, Strategy, SupervisorSpec
from tests.kit.children import Child, Log, child, group
from tests.kit.kit import Kit

SEEDS = 400
CHUNK = 100
ERRORS: tuple[type[BaseException], ...] = (ValueError, SystemExit, MemoryError, KeyboardInterrupt)


def answer_later(actor: Child) -> None:
    """Take the reply over and set it behind what waits already; a crash may come first."""
    reply = actor.reply_later()
    assert reply is not None
    actor.tell_later(0.0, lambda _: reply.set("later") and None)


class Storm:
    """A tree of two groups and a dynamic supervisor, and askers that run beside the test."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.kit = Kit(seed, preemption=0.4)
        self.log = Log()
        self.replies: list[Reply] = []
        self.root = self._begin()

    def _begin(self) -> Root:
        def workers(*names: str) -> SupervisorSpec:
            return SupervisorSpec(
                strategy=self.chance.choice(list(Strategy)),
                intensity=self.chance.choice([0, 1, 50]),
                children=tuple(child(self.log, name) for name in names),
            )

        return self.kit.tree(
            SupervisorSpec(
                strategy=self.chance.choice(list(Strategy)),
                intensity=self.chance.choice([0, 1, 50]),
                children=(
                    group("g", workers("a", "b")),
                    group("asks", SupervisorSpec(max_children=3)),
                    group("h", workers("c", "d")),
                ),
            )
        )

    def asker(self) -> None:
        """Ask whomever, crash now and then, start a short-lived child now and then."""
        for number in range(self.chance.randint(1, 5)):
            box = self.kit.runtime.mailbox(self.chance.choice("abcd"))
            if self.chance.random() < 0.25:
                name = f"asks/{self.kit.world.steps}-{number}"
                box = self.kit.runtime.mailbox(name, bound=4)
                spec = child(self.log, name, Restart.TEMPORARY)
                self.kit.runtime.mailbox("asks").tell(StartChild(spec=spec, mailbox=box))
            message: Any = self.chance.choice([number, answer_later, *self.chance.sample(ERRORS, 1)])
            self.replies.append(box.ask(message, self.kit.now() + 600.0))

    def operator(self) -> None:
        """Restart somebody."""
        name = self.chance.choice(["a", "c", "g", "h", "asks"])
        supervisor = {"a": "g", "c": "h"}.get(name, "root")
        wish = RestartChild(name=name)
        self.replies.append(self.kit.runtime.mailbox(supervisor).ask(wish, self.kit.now() + 600.0))


def is_resolved(outcome: Outcome) -> bool:
    match outcome:
        case Answer():
            return True
        case Failed(error):
            return isinstance(error, CallError)
        case Late():
            return False


def play(storm: Storm, *, stopped: bool) -> None:
    for _ in range(3):
        storm.kit.world.spawn("asker", storm.asker)
    storm.kit.world.spawn("operator", storm.operator)
    if stopped:
        stopping = storm.kit.world.spawn("stops", partial(_stop, storm.root))
        stopping.join(60.0)
    storm.kit.settle()
    assert storm.kit.now() < 1.0
    assert [reply for reply in storm.replies if not is_resolved(reply.peek())] == []
    if not storm.root.ended:
        for name in "abcd":
            assert storm.kit.runtime.mailbox(name).call("there", 1.0) == "there"
    storm.kit.letters.read_all()
    assert storm.kit.close() == []
    assert all(box.closed for box in storm.kit.runtime.mailboxes())


def _stop(root: Root) -> None:
    root.stop(60.0)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_in_a_storm_every_ask_is_resolved_and_the_tree_stands_or_has_ended_whole(first: int) -> None:
    for seed in range(first, first + CHUNK):
        storm = Storm(seed)
        try:
            play(storm, stopped=seed % 3 == 0)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            storm.kit.close()
            raise
