"""``boxmaker image``: a process of its own does it; here one that a test wrote, and the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bxctl import boxmaker, image_process
from bxctl.commands import image
from tests.bxctl.conftest import Run

Out = pytest.CaptureFixture[str]


def working(monkeypatch: pytest.MonkeyPatch, code: str) -> list[tuple[object, ...]]:
    """Put a process of a few lines in the place of podman's."""
    asked: list[tuple[object, ...]] = []

    def command(module: str, args: object, word: str) -> list[str]:
        asked.append((module, word))
        return [sys.executable, "-c", code]

    monkeypatch.setattr(image_process, "module_command", command)
    return asked


def test_the_image_s_name_and_id_are_data(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    asked = working(monkeypatch, "print('localhost/boxmaker-tools sha256:ab12')")
    assert boxmaker.main(["image", "build"]) == 0
    assert capsys.readouterr() == ("localhost/boxmaker-tools sha256:ab12\n", "")
    assert boxmaker.main(["image", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"image": "localhost/boxmaker-tools", "id": "sha256:ab12"}
    assert asked == [("bxio.podman.image_command", "build"), ("bxio.podman.image_command", "show")]


@pytest.mark.parametrize(
    ("code", "exit_code", "said"),
    [
        ("import sys; print('no such image', file=sys.stderr); sys.exit(4)", 4, "boxmaker: no such image\n"),
        ("import os; os.kill(os.getpid(), 9)", 1, "boxmaker: the image's process said nothing\n"),
    ],
)
def test_why_there_is_none_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: Out, code: str, exit_code: int, said: str
) -> None:
    working(monkeypatch, code)
    monkeypatch.delenv("BX_TYPED", raising=False)
    assert boxmaker.main(["image", "show"]) == exit_code
    assert capsys.readouterr() == ("", said)


def test_a_podman_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    working(monkeypatch, "import select; select.select([], [], [], 20)")
    monkeypatch.setattr(image, "WORK_S", 0.3)
    assert boxmaker.main(["image", "build"]) == 6
    assert "podman was not done within 0 s" in capsys.readouterr().err


def test_the_real_process_says_one_sentence_of_a_socket_that_is_not_there(tmp_path: Path, run: Run) -> None:
    (tmp_path / "boxmaker.toml").write_text(f'[containers]\nsocket = "{tmp_path}/none.sock"\n')
    done = run("image", "show", "--home", str(tmp_path), program="boxmaker")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{tmp_path}/none.sock" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_action_is_needed(run: Run) -> None:
    assert run("image", program="boxmaker").returncode == 2
