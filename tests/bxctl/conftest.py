"""A running control socket, and the commands as real processes against it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.base import Runtime
from tests.doubles import control_box

ROOT = Path(__file__).resolve().parents[2]
ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(ROOT), "LOGNAME": "ada"}

MakeBox = control_box.MakeBox
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_box.control_boxes(runtime, monkeypatch)


def run_command(
    *words: str, program: str = "main", stdin: bytes | None = None, environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``bxctl`` (or ``boxmaker``) as a person would; nothing of this process's environment is seen."""
    done = subprocess.run(
        [sys.executable, "-m", f"bxctl.{program}", *words],
        input=stdin if stdin is not None else b"",
        capture_output=True,
        timeout=25,
        check=False,
        env=ENVIRON | (environ or {}),
        cwd="/",
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )


@pytest.fixture
def run() -> Run:
    return run_command
