from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from bxcore.sandbox import SandboxError
from bxcore.sandbox.frames import FrameError
from bxio.cut import Cut
from bxio.podman.attach import Said, attached
from tests.bxio.podman.test_client import WAIT_S, Talk, served

UPGRADED = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\n"


def exchanged(path: Path, talk: Talk, stdin: bytes | None = None, *, within_s: float = WAIT_S) -> Said:
    with (
        served(path, talk) as place,
        attached(
            place, "c", stdin=stdin is not None, deadline_s=time.monotonic() + WAIT_S, cut=Cut()
        ) as wire,
    ):
        return wire.exchange(stdin, most=100, ends_s=time.monotonic() + within_s)


def test_what_comes_with_the_answer_is_not_lost(tmp_path: Path) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(UPGRADED + b"\1\0\0\0\0\0\0\2hi\2\0\0\0\0\0\0\3")
        connection.sendall(b"err")

    found = exchanged(tmp_path / "s", talk)
    assert (found.stdout.data, found.stderr.data, found.whole) == (b"hi", b"err", True)


def test_a_stream_that_breaks_off_in_a_frame_is_not_whole(tmp_path: Path) -> None:
    found = exchanged(tmp_path / "s", lambda sock: sock.sendall(UPGRADED + b"\1\0\0\0\0\0\0\5hi"))
    assert (found.stdout.data, found.whole) == (b"hi", False)


def test_input_is_fed_while_output_is_read_and_its_end_is_told(tmp_path: Path) -> None:
    sent = b"x" * 3_000_000

    def echo(connection: socket.socket) -> None:
        """Send back every byte before the next is read: whoever only writes would wait for ever."""
        connection.sendall(UPGRADED)
        while piece := connection.recv(65_536):
            connection.sendall(b"\1\0\0\0" + len(piece).to_bytes(4) + piece)

    found = exchanged(tmp_path / "s", echo, sent)
    assert (found.stdout.total, len(found.stdout.data), found.whole) == (len(sent), 100, True)


def test_a_peer_that_says_nothing_is_left_at_the_end(tmp_path: Path) -> None:
    def hang(connection: socket.socket) -> None:
        connection.sendall(UPGRADED)
        connection.recv(1)

    assert not exchanged(tmp_path / "s", hang, within_s=0.2).whole


def test_what_is_no_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FrameError):
        exchanged(tmp_path / "s", lambda sock: sock.sendall(UPGRADED + b"plain text, as of a terminal"))


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 409 Conflict\r\n\r\nit is gone", b"HTTP/1.1 101", b"", b"\r\n\r\n", b"x" * 70_000]
)
def test_an_answer_that_is_no_upgrade_is_refused(tmp_path: Path, answer: bytes) -> None:
    with pytest.raises(SandboxError, match="podman could not attach to the sandbox"):
        exchanged(tmp_path / "s", lambda sock: sock.sendall(answer))


def test_a_name_that_podman_does_not_know_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(SandboxError, match="its service does not answer"),
        attached(tmp_path / "none", "c", stdin=False, deadline_s=time.monotonic() + 1, cut=Cut()),
    ):
        pass
