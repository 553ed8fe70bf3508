from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bxcore.sandbox import SandboxError
from bxio.cut import Cut
from bxio.podman.client import client, post, saying

WAIT_S = 10.0
Talk = Callable[[socket.socket], None]


@contextmanager
def served(path: Path, talk: Talk) -> Iterator[Path]:
    """A socket whose first connection is handed to ``talk``."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(4)
        listening.settimeout(WAIT_S)

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(WAIT_S)
                connection.recv(65_536)
                talk(connection)

        thread = threading.Thread(target=answer)
        thread.start()
        yield path
        thread.join(timeout=WAIT_S)


def drips(connection: socket.socket) -> None:
    """A byte now and then, until the other side is gone."""
    pause = threading.Event()
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(int(WAIT_S / 0.05)):
            connection.sendall(b"x")
            pause.wait(0.05)
    except OSError:
        pass


def silent(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize("talk", [drips, silent])
def test_one_deadline_holds_however_the_service_answers(tmp_path: Path, talk: Talk) -> None:
    with served(tmp_path / "s", talk) as path:
        begun_s = time.monotonic()
        with (
            client(path, begun_s + 0.5, Cut()) as podman,
            pytest.raises(SandboxError, match="could not look: it did not answer in time"),
            saying("look"),
        ):
            podman.api.get("/info")
        assert time.monotonic() - begun_s < WAIT_S / 2


@pytest.mark.parametrize("talk", [drips, silent])
def test_a_cut_ends_a_wait(tmp_path: Path, talk: Talk) -> None:
    cut = Cut()
    timer = threading.Timer(0.3, cut.cut)
    with served(tmp_path / "s", talk) as path:
        timer.start()
        begun_s = time.monotonic()
        with client(path, begun_s + WAIT_S, cut) as podman, pytest.raises(SandboxError), saying("look"):
            podman.api.get("/info")
        assert time.monotonic() - begun_s < WAIT_S / 2
    timer.join(timeout=WAIT_S)
    assert cut.was_cut


def test_no_descriptor_is_held_after_the_work(tmp_path: Path) -> None:
    cut = Cut()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with (
        served(
            tmp_path / "s", lambda sock: sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        ) as path,
        client(path, time.monotonic() + WAIT_S, cut) as podman,
    ):
        assert podman.api.get("/info").status_code == 200
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_refusal_is_podmans_own_words(tmp_path: Path) -> None:
    body = b'{"cause":"c","message":"no  such\\nthing","response":500}'

    def refuse(connection: socket.socket) -> None:
        head = f"HTTP/1.1 500 Oops\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        connection.sendall(head + body)

    with (
        served(tmp_path / "s", refuse) as path,
        client(path, time.monotonic() + WAIT_S, Cut()) as podman,
        pytest.raises(SandboxError, match="podman could not make it: no such thing"),
        saying("make it"),
    ):
        post(podman, "/containers/create", {})


def test_no_socket_is_said_without_its_noise(tmp_path: Path) -> None:
    with (
        client(tmp_path / "none", time.monotonic() + WAIT_S, Cut()) as podman,
        pytest.raises(SandboxError, match=r"^podman could not look: its service does not answer$"),
        saying("look"),
    ):
        podman.api.get("/info")
