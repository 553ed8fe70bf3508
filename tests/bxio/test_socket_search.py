from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxio import socket_search
from bxio.socket_search import socket_in


@pytest.fixture
def bound() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as made:
        yield made


def test_a_folder_of_files_folders_links_and_pipes_holds_none(tmp_path: Path, bound: socket.socket) -> None:
    folder = tmp_path / "d"
    (folder / "in").mkdir(parents=True)
    (folder / "file").touch()
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    bound.bind(str(tmp_path / "d2"))
    (folder / "link").symlink_to(tmp_path / "d2")
    assert socket_in(folder) is None


def test_one_in_the_folder_is_found_even_when_nobody_holds_it(tmp_path: Path, bound: socket.socket) -> None:
    bound.bind(str(tmp_path / "a b.sock"))
    bound.close()
    assert socket_in(tmp_path) == "a b.sock"


def test_one_deep_below_is_found_while_somebody_holds_it(tmp_path: Path, bound: socket.socket) -> None:
    (tmp_path / "d" / "e" / "f g").mkdir(parents=True)
    bound.bind(str(tmp_path / "d" / "e" / "f g" / "agent.sock"))
    assert socket_in(tmp_path / "d") == "e/f g/agent.sock"
    bound.close()
    assert socket_in(tmp_path / "d") is None


def test_one_that_was_bound_by_way_of_a_link_is_found(tmp_path: Path, bound: socket.socket) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "alias").symlink_to("d/e")
    bound.bind(str(tmp_path / "alias" / "agent.sock"))
    assert socket_in(tmp_path / "d") == "e/agent.sock"


def test_an_abstract_name_is_in_no_folder(tmp_path: Path, bound: socket.socket) -> None:
    bound.bind(f"\0{tmp_path}/x")
    assert socket_in(tmp_path) is None


def test_a_folder_that_takes_too_long_is_no_folder_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_search, "LOOK_S", -1.0)
    assert socket_in(tmp_path) is None
    (tmp_path / "file").touch()
    with pytest.raises(TimeoutError):
        socket_in(tmp_path)


def test_a_kernel_without_the_list_lets_the_folder_itself_be_looked_at(
    tmp_path: Path, bound: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_search, "BOUND", str(tmp_path / "none"))
    assert socket_in(tmp_path) is None
    bound.bind(str(tmp_path / "agent.sock"))
    assert socket_in(tmp_path) == "agent.sock"
