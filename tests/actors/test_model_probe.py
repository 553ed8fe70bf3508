from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from actors.base import Answer, Mailbox, Runtime
from actors.model_probe import ModelProbe
from actors.supervising import Supervisor, temporary
from bxcore.messages.model import Endpoint, ServerLoads
from bxcore.messages.model_probe import Describe, NotDescribed
from bxcore.messages.supervision import StartChild
from bxcore.supervision import SupervisorSpec
from tests.doubles.bad_manners import answers, in_turn
from tests.doubles.honcho_asks import until
from tests.doubles.loopback import Connection, LoopbackServer
from tests.doubles.model_server import ModelServer
from tests.kit.probe import Probe


@pytest.fixture
def box(runtime: Runtime) -> Mailbox:
    spec = SupervisorSpec(max_children=4)
    asks = runtime.start("asks", lambda context: Supervisor(context, spec))
    box = runtime.mailbox("asks/1", bound=4)
    asks.tell(StartChild(spec=temporary(ModelProbe, 1.0)("asks/1"), mailbox=box))
    return box


def describe(url: str, asker: Mailbox | None = None) -> Describe:
    plan = Endpoint(url=url, name="m", profile="native", place=3)
    return Describe(endpoint=plan, profile="json", configured_context=9000, asker=asker)


def answer(box: Mailbox, message: Describe) -> object:
    deadline_s = time.monotonic() + 10
    outcome = box.ask(message, deadline_s).outcome(deadline_s)
    assert isinstance(outcome, Answer)
    return outcome.value


def test_what_the_server_is_is_replied_and_the_actor_ends(box: Mailbox) -> None:
    with ModelServer() as server:
        found = answer(box, describe(server.url))
    assert isinstance(found, Endpoint)
    assert (found.profile, found.context_tokens, found.place) == ("json", 9000, 3)
    assert until(lambda: box.closed)


def test_why_it_is_of_no_use_is_replied_too(box: Mailbox) -> None:
    with LoopbackServer(answers(401, {"error": "no"})) as server:
        found = answer(box, describe(f"{server.url}/v1"))
    assert isinstance(found, NotDescribed)
    assert "answered 401: it refused the key; check [model] api_key_file" in found.sentence


def test_that_it_loads_is_told_once(box: Mailbox, probe: Callable[[str], Probe]) -> None:
    asker = probe("asker")
    loading = answers(503, {"error": {"message": "Loading model"}})
    with LoopbackServer(in_turn([loading, loading, *[answers(404, {})] * 9])) as server:
        assert isinstance(answer(box, describe(f"{server.url}/v1", asker.box)), Endpoint)
    assert asker.expect(ServerLoads).place == 3
    assert asker.box.depth == 0


def test_who_gives_up_ends_the_asking(box: Mailbox) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(20)

    with LoopbackServer(hangs) as server:
        reply = box.ask(describe(f"{server.url}/v1"), time.monotonic() + 20)
        assert came.wait(10)
        reply.abandon()
        assert until(lambda: box.closed)
        assert server.wait_idle()
