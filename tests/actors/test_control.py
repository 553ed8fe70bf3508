from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator

import pytest

from actors.base import Runtime, Why
from actors.connection import Limits
from bxcore.control import Exit
from bxcore.control.requests import VersionRequest
from bxcore.messages.supervision import RestartChild, StopChild
from bxctl.errors import CommandError
from bxctl.wire import Wire
from tests.doubles.control_box import ControlBox, MakeBox, connected, control_boxes
from tests.kit.leaks import Letters


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def answers(box: ControlBox) -> bool:
    return bool(Wire(box.path).call(VersionRequest(), 10)["protocol"])


def test_the_socket_and_its_folder_are_ours_alone(make: MakeBox) -> None:
    box = make()
    assert stat.S_IMODE(box.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(box.path.parent.stat().st_mode) == 0o700


def test_a_stop_wakes_the_acceptor_and_takes_the_socket_away(make: MakeBox) -> None:
    box = make()
    assert answers(box)
    done = box.root.box.call(StopChild(name="control"), 5)
    assert done.ok
    assert not box.path.exists()
    assert box.runtime.zombies.snapshot() == ()


def test_after_a_restart_it_listens_again(make: MakeBox) -> None:
    box = make()
    for _ in range(3):
        assert box.root.box.call(RestartChild(name="control"), 5).ok
        assert answers(box)


def test_the_client_over_the_limit_is_closed_with_a_reason(make: MakeBox, letters: Letters) -> None:
    box = make(most=2, limits=Limits(request_s=30.0))
    first, second = connected(box), connected(box)
    with first, second:
        wait_for(lambda: connections(box) == 2)
        with connected(box) as third:
            assert third.recv(65_536).startswith(b"HTTP/1.1 503 ")
        with pytest.raises(CommandError) as caught:
            Wire(box.path).call(VersionRequest(), 10)
        assert caught.value.sentence == "there are too many connections, try again"
        assert caught.value.exit is Exit.FAILED
    wait_for(lambda: connections(box) == 0)
    assert answers(box)
    assert {letter.reason for letter in letters.read_all()} <= {Why.BUSY, Why.DEAD}


def connections(box: ControlBox) -> int:
    return sum(life.name.startswith("connections/") for life in box.runtime.lives())


def mailboxes(box: ControlBox) -> list[str]:
    return [each.name for each in box.runtime.mailboxes() if each.name.startswith("connections/")]


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def test_silent_clients_hold_up_nobody(make: MakeBox) -> None:
    box = make(limits=Limits(request_s=30.0))
    silent = [connected(box) for _ in range(20)]
    assert answers(box)
    for client in silent:
        client.close()


def test_a_stop_does_not_wait_for_silent_clients(make: MakeBox) -> None:
    box = make(limits=Limits(request_s=60.0))
    with connected(box):
        wait_for(lambda: connections(box) == 1)
        assert box.root.box.call(StopChild(name="connections"), 5).ok
        assert box.runtime.zombies.snapshot() == ()


def test_a_connection_that_cannot_start_is_turned_away(
    make: MakeBox, monkeypatch: pytest.MonkeyPatch, letters: Letters
) -> None:
    box = make()

    def broken(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(box, "_connect", broken)
    control = box.root.box.call(RestartChild(name="control"), 5)
    assert control.ok
    with connected(box) as client:
        assert client.recv(65_536).startswith(b"HTTP/1.1 500 ")
    letters.read_all()


def test_without_its_supervisor_a_client_is_turned_away_at_once(make: MakeBox, letters: Letters) -> None:
    box = make()
    assert box.root.box.call(StopChild(name="connections"), 5).ok
    with connected(box) as client:
        assert client.recv(65_536).startswith(b"HTTP/1.1 500 ")
    wait_for(lambda: not mailboxes(box))
    letters.read_all()


def test_another_users_client_is_turned_away(make: MakeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    box = make()
    monkeypatch.setattr("actors.control.peer_is_ours", lambda _: False)
    with connected(box) as client:
        assert client.recv(100) == b""
    monkeypatch.undo()
    assert answers(box)


def test_many_clients_leave_nothing(make: MakeBox) -> None:
    box = make()
    assert answers(box)
    wait_for(lambda: connections(box) == 0)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(200):
        assert answers(box)
    wait_for(lambda: connections(box) == 0)
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208
    wait_for(lambda: not mailboxes(box))
