"""Standard streams that are closed, full or of a small alphabet, as a cron job may hand them over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bxctl.conftest import ENVIRON, MakeBox

PYTHON = f"{sys.executable} -m bxctl"


def shell(line: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
        env=ENVIRON | environ,
        cwd="/",
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_an_empty_one(make: MakeBox, closed: str) -> None:
    path = make().path
    done = shell(f"{PYTHON}.main version --socket {path} {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if ">&-" in closed.replace("2>&-", "") else "boxmaker 0.1.0\n")
    chat = shell(f"{PYTHON}.boxmaker chat --socket {path} {closed}")
    assert (chat.returncode, chat.stdout) == (0, "")
    assert "Traceback" not in chat.stderr


def test_a_process_that_a_command_becomes_has_its_three_streams(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[control]\nsocket = 3\n")
    done = shell(f"{PYTHON}.boxmaker serve --home {tmp_path} <&- >&-")
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}/boxmaker.toml:2: control.socket: must be a path in quotes\n"


def test_an_output_without_room_is_one_sentence(make: MakeBox) -> None:
    done = shell(f"{PYTHON}.main tree --socket {make().path} > /dev/full")
    assert (done.returncode, done.stderr) == (
        1,
        "bxctl: the output cannot be used: no space left on device\n",
    )


def test_what_the_output_s_alphabet_lacks_is_escaped(make: MakeBox) -> None:
    done = shell(f"{PYTHON}.main tree --socket {make().path}", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "memory  running" in done.stdout
    assert "\\u251c" in done.stdout
