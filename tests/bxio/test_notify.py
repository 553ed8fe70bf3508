from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from bxio.notify import READY, WATCHDOG, notify, watchdog_s


@pytest.mark.parametrize("abstract", [False, True])
def test_the_state_arrives_at_the_socket_that_was_named(tmp_path: Path, abstract: bool) -> None:  # noqa: FBT001
    name = f"boxmaker-test-{os.getpid()}" if abstract else str(tmp_path / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}" if abstract else name)
        listener.settimeout(5)
        assert notify(READY, {"NOTIFY_SOCKET": f"@{name}" if abstract else name})
        assert listener.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["", "relative", "/no/such/socket"])
def test_without_a_listener_it_is_false_and_nothing_is_raised(address: str) -> None:
    assert not notify(WATCHDOG, {"NOTIFY_SOCKET": address})
    assert not notify(WATCHDOG, {})


def test_the_watchdogs_time_is_for_this_process_only() -> None:
    mine = str(os.getpid())
    assert watchdog_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": mine}) == 30.0
    assert watchdog_s({"WATCHDOG_USEC": "30000000"}) == 30.0
    assert watchdog_s({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": mine + "1"}) is None
    assert watchdog_s({"WATCHDOG_USEC": "soon"}) is None
    assert watchdog_s({}) is None
