from __future__ import annotations

import threading
import time

import pytest

from actors.base import Answer, Runtime, Why
from actors.honcho_probe import HonchoProbe
from bxcore.honcho_health import Health
from bxcore.messages.honcho_probe import Probe, Probed
from bxio.honcho import HonchoServer
from tests.doubles import bad_manners
from tests.doubles.bad_manners import answers
from tests.doubles.honcho_asks import Asks
from tests.doubles.loopback import Connection, LoopbackServer
from tests.kit.leaks import Letters

LONG_S = 20.0


@pytest.fixture
def asks(runtime: Runtime) -> Asks:
    return Asks.begun(runtime, HonchoProbe)


def test_what_was_found_is_replied_with_how_long_it_took_and_the_actor_ends(asks: Asks) -> None:
    with LoopbackServer(answers(404, {"detail": "Workspace w not found"})) as server:
        deadline_s = time.monotonic() + LONG_S
        outcome = asks.ask(HonchoServer(url=server.url), Probe(), deadline_s).outcome(deadline_s)
        assert isinstance(outcome, Answer)
        took_ms = outcome.value.took_ms
        found = Probed(health=Health.NO_SUCH_WORKSPACE, detail="404, no such workspace", took_ms=took_ms)
        assert outcome.value == found
        assert 0 <= took_ms < LONG_S * 1000
    assert asks.all_ended()


def test_a_silent_server_is_told_of_within_the_askers_own_deadline(asks: Asks) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        deadline_s = time.monotonic() + 1.0
        outcome = asks.ask(HonchoServer(url=server.url), Probe(), deadline_s).outcome(deadline_s)
        assert isinstance(outcome, Answer)
        assert outcome.value.health is Health.UNREACHABLE
        assert outcome.value.detail.startswith("no answer in ")
        assert asks.all_ended()
        assert server.wait_idle()


def test_an_asker_that_gives_up_ends_the_probe(asks: Asks, letters: Letters) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(LONG_S)

    with LoopbackServer(hangs) as server:
        reply = asks.ask(HonchoServer(url=server.url), Probe(), time.monotonic() + LONG_S)
        assert came.wait(LONG_S)
        reply.abandon()
        assert asks.all_ended()
        assert server.wait_idle()
    assert letters.expect("asks/0-own", Why.LATE).type_name == "Probed"
