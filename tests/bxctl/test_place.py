from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from bxctl.place import paths_of, socket_of


def place(home: Path | None = None, *, socket: str | None = None, config: str | None = None) -> Path:
    return socket_of(Namespace(home=str(home) if home else None, socket=socket, config=config))


@pytest.fixture(autouse=True)
def only_these(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("BOXMAKER_CONTROL__SOCKET", "BOXMAKER_CONFIG", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)


def test_a_flag_beats_the_environment_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "boxmaker.toml").write_text("[control]\nsocket = 'file.sock'\n")
    assert place(tmp_path) == tmp_path / "file.sock"
    monkeypatch.setenv("BOXMAKER_CONTROL__SOCKET", "env.sock")
    assert place(tmp_path) == tmp_path / "env.sock"
    assert place(tmp_path, socket="/flag.sock") == Path("/flag.sock")


def test_without_any_it_lies_in_the_runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place(tmp_path) == tmp_path / "run" / "control.sock"
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert place() == Path("/run/user/7/boxmaker/control.sock")


@pytest.mark.parametrize(
    "content",
    [
        b"[control\nsocket = 3",
        b"[control]\nsocket = 3",
        b"control = 'socket'",
        b"\xff socket",
        b"[control]\nsocket = ''",
    ],
)
def test_a_broken_file_does_not_hide_the_process(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "boxmaker.toml").write_bytes(content)
    assert place(tmp_path) == tmp_path / "run" / "control.sock"


def test_a_named_configuration_is_looked_at_first(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.toml").write_text("[control]\nsocket = 'x.sock'\n")
    assert place(tmp_path, config=str(other / "x.toml")) == other / "x.sock"
    assert paths_of(Namespace(home=None, config="other/x.toml")).config_files[0].required
