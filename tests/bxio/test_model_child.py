from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bxio.model_child import ModelChild, Order

DOUBLE = Path(__file__).parent.parent / "doubles" / "model_process.py"


def order(folder: Path, way: str = "ready", **changes: Any) -> Order:
    command = (sys.executable, str(DOUBLE), way, str(folder / "starts"))
    made = {"cache": folder / "cache", "runtime": folder / "run", "log": folder / "log" / "model.log"}
    return Order(**{**made, "command": command, **changes})


@pytest.fixture
def children() -> Iterator[list[ModelChild]]:
    started: list[ModelChild] = []
    yield started
    for child in started:
        child.end()


def news(child: ModelChild, event: str) -> Mapping[str, Any]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for each in child.news():
            if each["event"] == event:
                return each
    raise AssertionError(f"no news of {event}")


def test_its_news_are_read_without_waiting(tmp_path: Path, children: list[ModelChild]) -> None:
    children.append(ModelChild.start(order(tmp_path, "slow"), 1))
    news(children[0], "progress")
    began = time.monotonic()
    assert children[0].news() == []
    assert children[0].exit_code() is None
    assert time.monotonic() - began < 0.5


def test_its_order_reaches_it(tmp_path: Path, children: list[ModelChild]) -> None:
    children.append(ModelChild.start(order(tmp_path, context_tokens=5000), 1))
    assert news(children[0], "ready")["context_tokens"] == 5000


def test_it_ends_when_it_is_ended_and_leaves_no_socket(tmp_path: Path) -> None:
    child = ModelChild.start(order(tmp_path), 1)
    news(child, "ready")
    child.socket.touch()
    child.end()
    assert child.exit_code() == -9
    assert not child.socket.exists()


def test_it_ends_when_its_owner_s_end_of_the_pipe_is_gone(tmp_path: Path, children: list[ModelChild]) -> None:
    child = ModelChild.start(order(tmp_path), 1)
    children.append(child)
    news(child, "ready")
    assert child._process.stdin is not None
    child._process.stdin.close()
    assert child._process.wait(timeout=10) == 0


def test_its_folders_and_its_log_are_private(tmp_path: Path, children: list[ModelChild]) -> None:
    made = order(tmp_path)
    children.append(ModelChild.start(made, 1))
    assert made.runtime.stat().st_mode & 0o777 == 0o700
    assert made.log.stat().st_mode & 0o777 == 0o600


def test_each_child_has_a_socket_of_its_own_with_a_path_that_the_system_takes(
    tmp_path: Path, children: list[ModelChild]
) -> None:
    children += [ModelChild.start(order(tmp_path), 1), ModelChild.start(order(tmp_path), 2)]
    deep = order(tmp_path, runtime=tmp_path / ("x" * 60) / ("y" * 60))
    children.append(ModelChild.start(deep, 1))
    sockets = [child.socket for child in children]
    assert len(set(sockets)) == 3
    assert all(len(os.fsencode(path)) <= 107 for path in sockets)
    folder = sockets[2].parent
    assert folder.stat().st_mode & 0o777 == 0o700
    children[2].end()
    assert not folder.exists()


def test_it_gets_none_of_the_box_s_settings(
    tmp_path: Path, children: list[ModelChild], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOXMAKER_MODEL__API_KEY_FILE", "/secret")
    children.append(ModelChild.start(order(tmp_path), 1))
    news(children[0], "ready")
    environment = Path(f"/proc/{children[0].pid}/environ")
    if environment.exists():
        assert b"BOXMAKER_" not in environment.read_bytes()


def test_a_program_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        ModelChild.start(order(tmp_path, command=("/nowhere/python",)), 1)
