"""Find out what it remembers about you, correct one thing, undo it, forget another: as a new user would."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

pytestmark = pytest.mark.timeout(120)


def answer(body: Mapping[str, Any]) -> Step:
    if body["messages"][0]["content"].startswith("You shorten"):
        return {"say": "1, 3: drinks tea, and lives by the sea\n2: has a dog"}
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"say": "I wrote it down."}
    said = last["content"].splitlines()[-1]
    if said.startswith("Remember: "):
        return {
            "call": ["memory", {"action": "add", "file": "user", "text": said.removeprefix("Remember: ")}]
        }
    return {"say": f"You said: {said}"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with ModelServer(answer) as server:
        toml = f'[model]\nurl = "{server.url}"\nprofile = "native"\n'
        with Box(tmp_path / "home", toml) as started:
            started.chat("Remember: likes tea", "Remember: has a cat", "the marmalade is in the shed")
            yield started


def memory(box: Box, *words: str, code: int = 0) -> str:
    done = box.bxctl("memory", *words)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def entry_id(box: Box, text: str) -> str:
    [file] = json.loads(memory(box, "list", "user", "--json"))["files"]
    return str(next(entry["id"] for entry in file["entries"] if entry["text"] == text))


def test_a_new_user_s_way_through_memory(box: Box) -> None:
    done: subprocess.CompletedProcess[str] = box.bxctl("memory")
    wanted = entry_id(box, "likes tea")
    assert f"{wanted}  likes tea\n        session main turn 1\n" in done.stdout
    for command in ("replace ID TEXT", "undo", "search QUESTION", "forget --text"):
        assert f"bxctl memory {command}" in done.stderr
    assert memory(box, "replace", wanted, "likes coffee").startswith("replaced in user.md")
    assert "likes coffee" in memory(box, "list", "user")
    assert memory(box, "undo").startswith("edit 3 is undone in user.md")
    assert "likes tea" in memory(box, "list", "user")
    assert "operator, undoes 3" in memory(box, "log")
    assert "marmalade" in memory(box, "search", "where", "is", "the", "marmalade?")
    said = memory(box, "forget", "--text", "MARMALADE", code=2)
    assert said == "bxctl: nothing was changed; add --yes to do it\n"
    assert memory(box, "forget", "--text", "MARMALADE", "--yes").startswith("forgotten: 1 turn in main\n")
    assert "nothing found" in memory(box, "search", "marmalade")
    held = [
        path for path in box.home.rglob("*") if path.is_file() and b"marmalade" in path.read_bytes().lower()
    ]
    assert held == []
    shown = json.dumps(box.json("sessions", "show", "main"))
    assert "(forgotten)" in shown
    assert "has a cat" in shown


def test_what_cannot_be_is_said_with_its_exit_code(box: Box) -> None:
    wanted = entry_id(box, "has a cat")
    assert "bxctl memory list shows the ids" in memory(box, "remove", "zzzzzz", code=4)
    assert "write memory, user or notes" in memory(box, "add", "diary", "x", code=4)
    assert "is private and trusted already" in memory(box, "trust", wanted, code=5)
    assert "over 80% full" in memory(box, "consolidate", "user", code=5)
    assert "there is no session none" in memory(box, "forget", "none", "--yes", code=4)
    assert "no turn main.9 waits" in memory(box, "outbox", "--drop", "main.9", "--yes", code=4)
    assert "there is no edit 99" in memory(box, "undo", "99", code=4)
    assert "is no number" in memory(box, "undo", "x", code=2)
    assert "name a session, or a text" in memory(box, "forget", code=2)
    assert "--text is for bxctl memory forget" in memory(box, "list", "--text", "x", code=2)
    assert "holds a secret" not in memory(box, "add", "notes", "ghp_" + "a1B2" * 9, code=5)


def test_an_import_comes_in_once_and_untrusted(box: Box, tmp_path: Path) -> None:
    notes, chat = tmp_path / "MEMORY.md", tmp_path / "chat.json"
    notes.write_text("# Facts\n- has a dog\n- has a boat\n")
    talk = [
        {"role": "user", "content": "the ladder is in the barn"},
        {"role": "assistant", "content": "noted"},
    ]
    chat.write_text(json.dumps(talk))
    assert "add --yes" in memory(box, "import", str(notes), code=2)
    assert memory(box, "list", "notes").splitlines()[1] == "  nothing"
    assert memory(box, "import", str(notes), "--yes") == "imported: 2 notes\n"
    assert memory(box, "import", str(notes), "--yes") == "imported: 0 notes; 2 there already\n"
    assert "import, untrusted" in memory(box, "list", "notes")
    assert memory(box, "import", str(chat), "--yes").startswith("imported: 1 turn into session import-")
    assert "memory-tainted · session import-" in memory(box, "search", "ladder")
    assert "cannot be read" in memory(box, "import", str(tmp_path / "none"), code=1)


def test_a_full_file_is_shortened_as_the_owner_takes_it(box: Box) -> None:
    memory(box, "add", "user", "lives by the sea, " + "far from the town, " * 50)
    memory(box, "add", "user", "works " + "at night, " * 14)
    done = box.bxctl("memory", "consolidate", "user")
    shown = [line.strip() for line in done.stdout.splitlines()]
    assert shown[1] == "1  drinks tea, and lives by the sea"
    assert shown[2].endswith("  likes tea")
    assert shown[3].split("  ")[1].startswith("lives by the sea, far from")
    accept = done.stderr.splitlines()[-1].split(" takes it;")[0].split()[2:]
    assert accept[:3] == ["consolidate", "user", "--accept"]
    assert "choose among them" in memory(box, *accept, "7", code=5)
    assert "user.md" in memory(box, *accept, "1")
    [file] = json.loads(memory(box, "list", "user", "--json"))["files"]
    texts = [entry["text"] for entry in file["entries"]]
    assert sorted(texts)[:2] == ["drinks tea, and lives by the sea", "has a cat"]
    assert memory(box, "undo").startswith("edit ")
    assert "likes tea" in memory(box, "list", "user")


def test_the_outbox_and_status_say_how_the_way_to_honcho_is(box: Box) -> None:
    assert box.json("memory", "outbox")["rows"] == []
    assert box.json("status")["facts"]["honcho"] == "every turn is delivered"
