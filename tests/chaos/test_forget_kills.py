"""``kill -9`` at each step of a forgetting: the next start does all of it, or none of it was ordered."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

IN_MEMORY = Path("/dev/shm")
EVERYTHING = [
    "memory/notes.md",
    "memory/revisions.jsonl",
    "recall.sqlite",
    "sessions/k3f/0.jsonl",
    "sessions/k3f/0.jsonl.torn-1",
    "sessions/k3f/results/t1c1.txt",
    "sessions/other/0.jsonl",
    "sessions/plain/0.jsonl.torn-1",
]
LEAST = 20
"""Steps that a forgetting has at the least."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """On no disk where there can be one: what is tried is a kill, and each life syncs a hundred times."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else tmp_path) as made:
        yield Path(made)


def lives(folder: Path, what: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What each life found that came after a kill; the first was killed before anything was ordered."""
    command = [sys.executable, "-m", "tests.doubles.killed_forgetting", str(folder), what]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stderr
    first, *rest = map(json.loads, ran.stdout.splitlines())
    assert len(rest) > LEAST
    assert first["ordered"] is False
    assert first["holding"] == EVERYTHING
    assert all(life["ordered"] for life in rest)
    assert {life["open"] for life in rest} == {0}
    return first, rest


@pytest.mark.timeout(120)
def test_a_text_is_gone_wherever_its_forgetting_was_killed(folder: Path) -> None:
    first, rest = lives(folder, "text")
    for life in rest:
        assert life["holding"] == []
        assert life["turns"] == ["(forgotten)", "and the tea?"]
        assert life["labels"] == first["labels"]
        assert (life["untrusted"], life["tea"], life["user"]) == (True, True, "likes tea\n")
        assert life["beside"] == first["beside"], "no half-written file stays"


@pytest.mark.timeout(120)
def test_a_session_is_gone_wherever_its_forgetting_was_killed(folder: Path) -> None:
    _, rest = lives(folder, "session")
    for life in rest:
        assert life["holding"] == [name for name in EVERYTHING if "k3f" not in name]
        assert (life["turns"], life["beside"], life["tea"]) == ([], [], False)
