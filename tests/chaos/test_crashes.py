"""10,000 random crashes under load: what was acknowledged was handled once and in order, nothing is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import pytest
from loguru import logger

from actors.base import Runtime
from actors.supervising import start_root
from bxcore.supervision import ChildSpec, Strategy, SupervisorSpec
from tests.chaos.journal import Client, Journal, Store, answered
from tests.kit.leaks import Letters

CRASHES = 10_000
CLIENTS = 4
NO_LIMIT = 1_000_000


@pytest.fixture
def quiet() -> Iterator[None]:
    """Ten thousand crash reports would tell nobody anything; threads change often, so that races show."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    logger.disable("actors")
    yield
    logger.enable("actors")
    sys.setswitchinterval(interval_s)


@pytest.mark.chaos
@pytest.mark.timeout(120)
def test_ten_thousand_crashes_lose_nothing_that_was_acknowledged(
    quiet: None, runtime: Runtime, letters: Letters
) -> None:
    stores = {f"journal-{number}": Store() for number in range(3)}
    spec = SupervisorSpec(
        strategy=Strategy.ONE_FOR_ONE,
        intensity=NO_LIMIT,
        period_s=0.1,
        children=tuple(
            ChildSpec(name=name, start=partial(Journal, store=store), bound=NO_LIMIT)
            for name, store in stores.items()
        ),
    )
    root = start_root(runtime, spec)
    boxes = [runtime.mailbox(name) for name in stores]
    clients = [Client(runtime, boxes, number, CRASHES // CLIENTS) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(timeout=100.0)
        assert not client.is_alive()
    assert [client.unresolved for client in clients] == [0] * CLIENTS
    for box in boxes:
        answered(box)
    incarnations = {life.name: life.incarnation for life in runtime.lives()}
    assert root.stop(10.0)
    assert sum(sum(store.causes.values()) for store in stores.values()) >= CRASHES
    for name, store in stores.items():
        assert incarnations[name] == 1 + sum(store.causes.values()), "a restart without a cause"
        for number, client in enumerate(clients):
            handled = [entry for who, entry in store.entries if who == number]
            assert handled == sorted(set(handled)), "an entry twice or out of order"
            assert set(client.acknowledged[name]) <= set(handled), "an acknowledged entry is lost"
    assert sum(len(client.acknowledged[name]) for client in clients for name in stores) > CRASHES
    assert letters.read_all() == ()
