from __future__ import annotations

import os
import shutil
import socket
import stat
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxio.instance_lock import InstanceLock
from bxio.unix_socket import SocketError, listen, peer_is_ours, remove


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: a socket's path has 107 bytes."""
    made = Path(tempfile.mkdtemp(prefix="bx-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def lock(folder: Path) -> Iterator[InstanceLock]:
    made = InstanceLock(folder)
    made.take()
    yield made
    made.release()


def test_the_socket_is_ours_alone_from_the_first_instant(folder: Path, lock: InstanceLock) -> None:
    before = os.umask(0)
    try:
        sock = listen(folder / "run" / "control.sock", lock)
    finally:
        os.umask(before)
    with sock:
        assert stat.S_IMODE((folder / "run" / "control.sock").stat().st_mode) == 0o600
        assert stat.S_IMODE((folder / "run").stat().st_mode) == 0o700


def test_the_mode_is_set_before_the_name_exists(
    folder: Path, lock: InstanceLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing changes the mode once the file is there: between the two everybody could connect."""
    order: list[str] = []
    fchmod, bind = os.fchmod, socket.socket.bind

    def watched_fchmod(descriptor: int, mode: int) -> None:
        order.append("mode")
        fchmod(descriptor, mode)

    monkeypatch.setattr("os.fchmod", watched_fchmod)
    monkeypatch.setattr("os.chmod", lambda *_, **__: order.append("late"))

    class Watched(socket.socket):
        def bind(self, address: object) -> None:
            order.append("bind")
            bind(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr("bxio.unix_socket.socket.socket", Watched)
    listen(folder / "run" / "control.sock", lock).close()
    assert order == ["mode", "bind"]


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o1777])
def test_a_folder_that_is_open_to_others_is_refused_and_left_as_it_is(
    folder: Path, lock: InstanceLock, mode: int
) -> None:
    (folder / "run").mkdir()
    (folder / "run").chmod(mode)
    with pytest.raises(SocketError, match="run is open to other users; make it mode 0700"):
        listen(folder / "run" / "control.sock", lock)
    assert stat.S_IMODE((folder / "run").stat().st_mode) == mode


def test_a_stale_socket_is_taken_away_by_the_locks_holder(folder: Path, lock: InstanceLock) -> None:
    path = folder / "control.sock"
    listen(path, lock).close()
    assert path.exists()
    with listen(path, lock), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_who_has_no_lock_takes_nothing_away(folder: Path, lock: InstanceLock) -> None:
    path = folder / "control.sock"
    listen(path, lock).close()
    other = InstanceLock(folder / "elsewhere")
    with pytest.raises(SocketError) as caught:
        listen(path, other)
    remove(path, other)
    assert path.exists()
    assert caught.value.sentence == f"{path} belongs to whoever holds the state folder's lock"
    remove(path, lock)
    assert not path.exists()


def test_what_is_no_socket_is_left_alone(folder: Path, lock: InstanceLock) -> None:
    path = folder / "control.sock"
    path.write_text("precious")
    with pytest.raises(SocketError) as caught:
        listen(path, lock)
    assert caught.value.sentence == f"{path} is there and is no socket; move it away"
    assert path.read_text() == "precious"


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, lock: InstanceLock) -> None:
    (folder / "real").mkdir()
    (folder / "run").symlink_to(folder / "real")
    with pytest.raises(SocketError, match="is not a folder of this user's"):
        listen(folder / "run" / "control.sock", lock)


def test_a_path_that_is_too_long_is_one_sentence(folder: Path, lock: InstanceLock) -> None:
    with pytest.raises(SocketError, match="bytes long and Linux takes 107"):
        listen(folder / ("x" * 120), lock)


def test_a_folder_that_cannot_be_made_is_one_sentence(folder: Path, lock: InstanceLock) -> None:
    (folder / "file").write_text("")
    with pytest.raises(SocketError, match="cannot be made: "):
        listen(folder / "file" / "run" / "control.sock", lock)


def test_a_client_of_this_user_is_ours() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer_is_ours(one)


@pytest.mark.parametrize(("uid", "ours"), [(0, True), (1000, True), (1001, False), (65_534, False)])
def test_only_this_user_and_root_are_ours(
    monkeypatch: pytest.MonkeyPatch,
    uid: int,
    ours: bool,  # noqa: FBT001
) -> None:
    class Peer(socket.socket):
        def getsockopt(self, *_: int) -> bytes:  # type: ignore[override]
            return struct.pack("3i", 77, uid, 1000)

    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with Peer(socket.AF_UNIX) as peer:
        assert peer_is_ours(peer) is ours
