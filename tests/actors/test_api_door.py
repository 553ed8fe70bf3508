from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actors.base import Runtime
from actors.connection import Limits
from bxcore.messages.supervision import RestartChild, StopChild
from bxio.loopback_listener import listen
from tests.doubles.control_box import ControlBox, MakeBox, control_boxes
from tests.kit.leaks import Letters

TOKEN = "t" * 32


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def connected(box: ControlBox) -> socket.socket:
    return socket.create_connection(("127.0.0.1", box.port), timeout=10)


def models(box: ControlBox, token: str = TOKEN) -> tuple[int, Any]:
    client = http.client.HTTPConnection("127.0.0.1", box.port, timeout=10)
    client.request("GET", "/v1/models", headers={"authorization": f"Bearer {token}"})
    with contextlib.closing(client):
        response = client.getresponse()
        return response.status, json.loads(response.read())


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def connections(box: ControlBox) -> int:
    return sum(life.name.startswith("api/") for life in box.runtime.lives())


def test_it_says_where_it_listens_and_answers_there(make: MakeBox) -> None:
    box = make(token=TOKEN)
    (fact,) = box.told
    assert (fact.name, fact.ok, fact.text) == ("api", True, f"listens at http://127.0.0.1:{box.port}/v1")
    status, answer = models(box)
    assert (status, [each["id"] for each in answer["data"]]) == (200, ["boxmaker"])
    assert models(box, "wrong")[0] == 401


def test_a_taken_port_stops_nobody_and_is_tried_until_it_is_free(make: MakeBox) -> None:
    with listen("127.0.0.1", 0) as other:
        port = other.getsockname()[1]
        box = make(token=TOKEN, listen=f"127.0.0.1:{port}")
        wait_for(lambda: len(box.told) > 1)
        assert {fact.ok for fact in box.told} == {False}
        fact = box.told[0]
    assert fact.text == (
        f"127.0.0.1:{port} cannot be listened on: address already in use; it is tried again every 0.02 s"
    )
    assert fact.help == f"ss -ltnp 'sport = :{port}'"
    wait_for(lambda: box.told[-1].ok)
    assert models(box)[0] == 200


def test_a_stop_wakes_it_and_closes_the_port(make: MakeBox) -> None:
    box = make(token=TOKEN)
    port = box.port
    assert models(box)[0] == 200
    assert box.root.box.call(StopChild(name="api-door"), 5).ok
    assert box.told[-1].text == "closed"
    listen("127.0.0.1", port).close()
    assert box.runtime.zombies.snapshot() == ()


def test_after_a_restart_it_listens_again(make: MakeBox) -> None:
    box = make(token=TOKEN)
    for _ in range(3):
        assert box.root.box.call(RestartChild(name="api-door"), 5).ok
        assert models(box)[0] == 200


def test_the_client_over_the_limit_is_told_to_try_again_and_is_no_dead_letter(make: MakeBox) -> None:
    box = make(token=TOKEN, most=2, limits=Limits(request_s=30.0))
    with connected(box), connected(box):
        wait_for(lambda: connections(box) == 2)
        with connected(box) as third:
            response = http.client.HTTPResponse(third)
            response.begin()
            assert (response.status, response.headers["x-should-retry"]) == (429, "true")
            assert (
                json.loads(response.read())["error"]["message"] == "there are too many connections, try again"
            )
    wait_for(lambda: connections(box) == 0)
    wait_for(lambda: models(box)[0] == 200)


def test_without_its_supervisor_a_client_is_turned_away_at_once(make: MakeBox, letters: Letters) -> None:
    box = make(token=TOKEN)
    assert box.root.box.call(StopChild(name="api"), 5).ok
    with connected(box) as client:
        assert client.recv(65_536).startswith(b"HTTP/1.1 500 ")
    letters.read_all()


def test_silent_clients_hold_up_neither_others_nor_a_stop(make: MakeBox) -> None:
    box = make(token=TOKEN, limits=Limits(request_s=60.0))
    silent = [connected(box) for _ in range(20)]
    assert models(box)[0] == 200
    assert box.root.box.call(StopChild(name="api"), 5).ok
    assert box.runtime.zombies.snapshot() == ()
    for client in silent:
        client.close()


def test_a_client_that_cannot_be_accepted_ends_nothing(
    make: MakeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = make(token=TOKEN)
    monkeypatch.setattr("actors.api_door.accept", _no_descriptor_left)
    with connected(box):
        wait_for(lambda: _tried > 0)
        monkeypatch.undo()
        monkeypatch.setattr("bxio.http_server.DRAIN_S", 0.05)
        assert models(box)[0] == 200
    life = box.runtime.life("api-door")
    assert life is not None
    assert life.incarnation == 1


_tried = 0


def _no_descriptor_left(_: socket.socket) -> socket.socket:
    global _tried  # noqa: PLW0603 - a count of this test's alone
    _tried += 1
    raise OSError(24, "too many open files")
