"""A year of talk is there from the start, and questions about it are answered in a chat."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bxio.session_store import SessionStore
from tests.doubles import year
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

TURNS = 1500
"""A small year; ``year.write`` makes one of 25,000 in seconds."""


def answer(body: Mapping[str, Any]) -> Step:
    """Recall the question, and reply with what was found."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"say": last["content"]}
    return {"call": ["recall", {"query": last["content"].splitlines()[-1], "k": 5}]}


@pytest.mark.timeout(180)
def test_ten_questions_are_answered_from_a_year_of_talk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    state = home / "state"
    for folder in (home, state):
        folder.mkdir(mode=0o700)
    year.write(SessionStore(state / "sessions"), TURNS)
    with ModelServer(answer) as server:
        box = Box(home, f'[model]\nurl = "{server.url}"\nprofile = "native"\n[honcho]\nsave = false\n')
        with box:
            taken_in(box)
            found = [
                fact.said
                for number, fact in enumerate(year.facts())
                if fact.said in box.chat(fact.question, session=f"ask{number}")[0]["reply"].replace("\n", " ")
            ]
    assert found == [fact.said for fact in year.facts()]


def taken_in(box: Box) -> None:
    """Wait until memory has all of it."""
    until_s = time.monotonic() + 60
    while box.json("inspect", "memory")["details"].get("sessions_missing") != "0":
        assert time.monotonic() < until_s, box.said()
