"""Stuck actors are fenced under load, on real threads: their work goes to the next, none of it twice."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from actors.base import Actor, Context, Runtime
from actors.supervising import start_root
from bxcore.messages.supervision import RestartChild
from bxcore.supervision import ChildSpec, SupervisorSpec

FENCES = 60
CLIENTS = 3
WAIT_S = 20.0


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Threads change often, so that races show."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval_s)


class Stuck:
    """Where an incarnation got stuck, and what frees them all."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.free = threading.Event()


class Sticky(Actor):
    """Writes down who handled what; a ``Stuck`` blocks it."""

    def __init__(self, context: Context, handled: list[tuple[int, Any]]) -> None:
        super().__init__(context)
        self._handled = handled

    def on_receive(self, message: Any) -> object:
        if isinstance(message, Stuck):
            message.entered.set()
            message.free.wait(WAIT_S)
        else:
            self._handled.append((self.incarnation, message))
        return message


@pytest.mark.chaos
@pytest.mark.timeout(90)
def test_a_fenced_actor_takes_nothing_more_and_its_work_is_done_once_by_the_next(runtime: Runtime) -> None:
    handled: list[tuple[int, Any]] = []
    spec = ChildSpec(name="sticky", start=partial(Sticky, handled=handled), shutdown_s=0.0, bound=1_000_000)
    root = start_root(runtime, SupervisorSpec(children=(spec,)))
    box, over, sent = runtime.mailbox("sticky"), threading.Event(), [0] * CLIENTS

    def send(client: int) -> None:
        while not over.is_set():
            sent[client] += 1
            box.tell((client, sent[client]))
            over.wait(0.0001)

    clients = [threading.Thread(target=send, args=(client,), daemon=True) for client in range(CLIENTS)]
    for client in clients:
        client.start()
    stuck = [Stuck() for _ in range(FENCES)]
    for number, each in enumerate(stuck):
        box.tell(each)
        assert each.entered.wait(WAIT_S)
        assert root.box.call(RestartChild(name="sticky"), WAIT_S).ok
        if number % 2:  # it comes round while its successor is busy
            each.free.set()
    assert len(runtime.zombies.snapshot()) >= FENCES // 2
    over.set()
    for client in clients:
        client.join(timeout=WAIT_S)
    box.call("last", WAIT_S)
    for each in stuck:
        each.free.set()
    for number in range(CLIENTS):
        numbers = [message[1] for _, message in handled if message[0] == number]
        assert numbers == list(range(1, sent[number] + 1)), "lost, doubled or out of order"
    incarnations = [incarnation for incarnation, _ in handled]
    assert incarnations == sorted(incarnations), "a fenced incarnation went on"
    assert root.stop(WAIT_S)
