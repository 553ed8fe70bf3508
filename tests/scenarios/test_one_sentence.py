"""One sentence of a stranger's, followed wherever it goes: it stays untrusted in every place."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

pytestmark = pytest.mark.timeout(180)

SENTENCE = "the gate code of Mill Road is 4711"
SHORTER = "gate code Mill Road: 4711"
UNTRUSTED = {"class": "private", "untrusted": True}


def answer(body: Mapping[str, Any]) -> Step:
    """Ask the strangers, note what they say, recall it elsewhere, and write a shorter set when asked."""
    last = body["messages"][-1]
    said = last["content"].splitlines()[-1] if last["role"] == "user" else ""
    if body["messages"][0]["content"].startswith("You shorten a list of notes"):
        return {"say": f"1: {SHORTER}"}
    if said == "ask them":
        return {"call": ["ask_memory", {"question": "gate code?", "workspaces": ["untrusted"]}]}
    if said == "note it":
        return {"call": ["memory", {"action": "add", "file": "notes", "text": SENTENCE}]}
    if said.startswith("recall"):
        return {"call": ["recall", {"query": "gate code Mill Road"}]}
    return {"say": f"I read: {SENTENCE}"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with ModelServer(answer) as server:
        toml = f'[model]\nurl = "{server.url}"\nprofile = "native"\n'
        with Box(tmp_path / "home", toml) as started:
            yield started


def memory(box: Box, *words: str) -> Any:
    done = box.bxctl("memory", *words, "--json", timeout_s=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def notes(box: Box) -> dict[str, dict[str, Any]]:
    [file] = memory(box, "list", "notes")["files"]
    return {entry["text"]: entry for entry in file["entries"]}


def said_in(box: Box, workspace: str) -> list[str]:
    """What the box's Honcho holds of the session, asked past the box."""
    honcho = EmbeddedHoncho(box.home / "state" / "honcho.sqlite", agent="boxmaker")
    try:
        client = HonchoClient(HonchoServer(transport=honcho.transport))
        return [message.content for message in client.find(workspace, "main", {}, time.monotonic() + 10)]
    finally:
        honcho.close()


def test_an_untrusted_sentence_stays_untrusted_wherever_it_goes(box: Box, tmp_path: Path) -> None:
    talk = [{"role": "user", "content": SENTENCE}, {"role": "assistant", "content": "noted"}]
    (tmp_path / "chat.json").write_text(json.dumps(talk))
    [brought] = memory(box, "import", str(tmp_path / "chat.json"), "--speaker", "stranger", "--yes")
    assert brought["new"] == 1
    # The turn: what the strangers' workspace says taints the session for good.
    [asked] = box.chat("ask them")
    [call] = asked["tools"]
    assert (SENTENCE in call["content"], call["untrusted"], asked["label"]) == (True, True, UNTRUSTED)
    # Its note and the note's revision.
    [noted] = box.chat("note it")
    assert noted["tools"][0]["ok"]
    assert notes(box)[SENTENCE]["label"] == UNTRUSTED
    [revision, *_] = memory(box, "log", "notes")["revisions"]
    assert (revision["added"], revision["label"]) == ([SENTENCE], UNTRUSTED)
    # Its recall, from the note and from the turn, in a session that is clean until then.
    [recalled] = box.chat("recall it", session="other")
    items = [line for line in recalled["tools"][0]["content"].splitlines() if line.startswith("[")]
    assert items
    assert all("memory-tainted" in line for line in items)
    assert recalled["label"] == UNTRUSTED
    # Its consolidation, with entries that are trusted beside it.
    for number in range(17):
        memory(box, "add", "notes", f"fact {number} of the house " + "x" * 950)
    proposal = memory(box, "consolidate", "notes")
    assert [(entry["text"], entry["label"]) for entry in proposal["entries"]] == [(SHORTER, UNTRUSTED)]
    memory(box, "consolidate", "notes", "--accept", proposal["id"])
    shown = notes(box)
    assert shown[SHORTER]["label"] == UNTRUSTED
    assert shown["fact 3 of the house " + "x" * 950]["label"]["untrusted"] is False
    # Its copy in Honcho.
    until_s = time.monotonic() + 20
    while box.json("memory", "outbox")["waiting"] and time.monotonic() < until_s:
        pass
    box.stop()
    assert any(SENTENCE in text for text in said_in(box, "boxmaker-untrusted"))
    assert not any(SENTENCE in text for text in said_in(box, "boxmaker"))
