from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from ast import literal_eval
from pathlib import Path

import pytest

from bxctl.serving import serve_command, serve_environ

ROOT = Path(__file__).resolve().parents[2]


def test_the_flags_are_handed_on() -> None:
    command = serve_command(Namespace(home="box", config="c.toml"))
    assert command[0] == sys.executable
    assert command[-7:] == ["-m", "supervisor", "serve", "--home", "box", "--config", "c.toml"]
    assert serve_command(Namespace(home=None, config=None))[-1] == "serve"


def test_the_process_keeps_no_columns_of_its_code() -> None:
    python, *flags = serve_command(Namespace(home=None, config=None))
    code = "import argparse; print(list(argparse.ArgumentParser.parse_args.__code__.co_positions())[-1])"
    done = subprocess.run(
        [python, *flags[: flags.index("-m")], "-c", code],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    line, _, column, end_column = literal_eval(done.stdout)
    assert line > 0
    assert (column, end_column) == (None, None)


def test_a_supervisor_in_the_current_folder_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "supervisor.py").write_text("raise SystemExit(77)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    python, safe_path, *_ = serve_command(Namespace(home=None, config=None))
    done = subprocess.run(
        [python, safe_path, "-c", "import supervisor; print(supervisor.__file__)"],
        env=serve_environ(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.stdout == f"{ROOT / 'supervisor.py'}\n"
