"""When ``./bx`` fetches the embedded model: only when the configuration asks for it."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

import pytest

from tools.wants_embedded import wants_embedded


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("BOXMAKER_MODEL__URL", "BOXMAKER_CONFIG", "XDG_CONFIG_HOME", "CONFIGURATION_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))


def test_with_no_configuration_the_model_is_the_embedded_one(tmp_path: Path) -> None:
    assert wants_embedded(["chat", "-m", "hi", "--home", str(tmp_path)])


def test_a_server_in_the_environment_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOXMAKER_MODEL__URL", "http://127.0.0.1:8080/v1")
    assert not wants_embedded(["chat", f"--home={tmp_path}"])


def test_a_server_in_the_file_needs_none(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text('[model]\nurl = "http://127.0.0.1:8080/v1"\n', encoding="utf-8")
    assert not wants_embedded(["serve", "--home", str(tmp_path)])
    assert not wants_embedded(["serve", "--config", str(tmp_path / "boxmaker.toml")])


@pytest.mark.parametrize("text", ["[model\n", '[model]\nurll = "embedded"\n'])
def test_a_broken_configuration_needs_nothing_yet(tmp_path: Path, text: str) -> None:
    (tmp_path / "boxmaker.toml").write_text(text, encoding="utf-8")
    assert not wants_embedded(["serve", "--home", str(tmp_path)])


@pytest.mark.parametrize("arguments", [["chat", "--help"], ["chat", "--home"]])
def test_help_and_wrong_usage_need_nothing(arguments: list[str]) -> None:
    assert not wants_embedded(arguments)


def test_a_box_that_runs_already_under_this_home_needs_none(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as box:
        box.bind(str(tmp_path / "run" / "control.sock"))
        assert wants_embedded(["chat", "--home", str(tmp_path)]), "a socket that a killed box left"
        box.listen()
        assert not wants_embedded(["chat", "--home", str(tmp_path)])
        assert wants_embedded(["chat", "--home", str(tmp_path / "other")])


def test_a_socket_that_is_named_needs_none(tmp_path: Path) -> None:
    assert not wants_embedded(["chat", "--home", str(tmp_path), "--socket", str(tmp_path / "s")])
