"""Damage to each durable file of memory: mended by itself, or refused with what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, run

pytestmark = pytest.mark.timeout(120)


TURNS = (
    ("main", "the ladder is in the barn"),
    ("main", "and the spade too"),
    ("other", "the spare key is in the tin"),
)


def answer(body: Mapping[str, Any]) -> Step:
    return {"say": f"You said: {body['messages'][-1]['content'].splitlines()[-1]}"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A box that has talked in two sessions and was stopped."""
    with ModelServer(answer) as server:
        made = Box(tmp_path / "home", f'[model]\nurl = "{server.url}"\nprofile = "native"\n')
        with made:
            for session, text in TURNS:
                made.chat(text, session=session)
                while made.json("memory", "outbox")["waiting"]:  # so that each mark is a write of its own
                    pass
            for note in ("the vet is Dr Hall", "the bins go out on Tuesday"):
                assert made.bxctl("memory", "add", "notes", note).returncode == 0
            made.stop()
            yield made


def state(box: Box) -> Path:
    return box.home / "state"


def recalled(box: Box, query: str) -> str:
    return box.bxctl("memory", "search", query).stdout


def wait_for(box: Box, query: str, text: str) -> None:
    """An index that is made anew has it soon."""
    for _ in range(100):
        if text in recalled(box, query):
            return
    raise AssertionError(f"{text!r} was not found for {query!r}")


def nonsense(path: Path) -> None:
    path.write_bytes(b"\xa5" * max(100, path.stat().st_size))


def older(path: Path) -> None:
    import sqlite3

    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()


def middle(path: Path) -> None:
    """Flip a bit in the first line of a log, behind which others were acknowledged."""
    data = bytearray(path.read_bytes())
    place = data.index(b'"record"') + 20
    data[place] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("harm", [nonsense, older, Path.unlink])
def test_an_index_that_is_damaged_old_or_gone_is_made_anew(box: Box, harm: Callable[[Path], object]) -> None:
    harm(state(box) / "recall.sqlite")
    box.start()
    wait_for(box, "ladder", "the ladder is in the barn")
    wait_for(box, "vet", "the vet is Dr Hall")
    assert box.json("status")["state"] == "ok"


def test_an_index_without_its_words_is_made_anew(box: Box) -> None:
    shutil.rmtree(state(box) / "recall.words", ignore_errors=True)
    box.start()
    wait_for(box, "ladder", "the ladder is in the barn")


def test_a_torn_tail_of_a_log_is_cut_kept_aside_and_said(box: Box) -> None:
    log = state(box) / "sessions" / "main" / "0.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"crc":"0000')
    box.start()
    [turn] = box.chat("and now?")
    assert turn["turn"] == 3
    assert log.read_bytes().startswith(whole)
    assert (log.parent / "0.jsonl.torn-1").read_bytes() == b'{"crc":"0000'
    wait_for(box, "ladder", "the ladder is in the barn")


def test_a_log_that_is_damaged_in_the_middle_is_left_alone_and_the_others_go_on(box: Box) -> None:
    log = state(box) / "sessions" / "main" / "0.jsonl"
    middle(log)
    harmed = log.read_bytes()
    box.start()
    done = run(
        "bxctl.boxmaker", "chat", "--home", str(box.home), "--session", "main", "-m", "hello", timeout_s=30
    )
    assert done.returncode != 0
    assert "damaged" in done.stderr
    assert "restore it from a backup" in done.stderr
    assert log.read_bytes() == harmed
    assert box.chat("hello", session="other")[0]["reply"] == "You said: hello"
    wait_for(box, "spare key", "the spare key is in the tin")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ledger.jsonl", "ledger.jsonl"),
        ("forgotten.jsonl", "forgotten.jsonl"),
        ("memory/revisions.jsonl", "revisions.jsonl"),
    ],
)
def test_a_journal_that_is_damaged_is_refused_with_what_to_do(box: Box, name: str, says: str) -> None:
    path = state(box) / name
    if name == "forgotten.jsonl":
        box.start()
        assert box.bxctl("memory", "forget", "--text", "spade", "--yes").returncode == 0
        assert box.bxctl("memory", "forget", "--text", "tin", "--yes").returncode == 0
        box.stop()
    middle(path)
    harmed = path.read_bytes()
    with pytest.raises(AssertionError) as failed:
        box.start()
    assert box.process is not None
    said = box.said()
    assert says in said
    assert "restore it" in said
    assert "Traceback" not in said, failed
    assert path.read_bytes() == harmed


def test_damaged_marks_keep_the_outbox_back_and_the_box_goes_on(box: Box) -> None:
    path = state(box) / "delivered.jsonl"
    middle(path)
    harmed = path.read_bytes()
    box.start()
    done = box.bxctl("status")
    assert done.returncode == 3
    assert "delivered.jsonl: line 1 of the log is damaged" in done.stdout
    assert "restore it from a backup" in done.stdout
    assert box.chat("hello")[0]["reply"] == "You said: hello"
    assert path.read_bytes() == harmed


def test_a_memory_file_that_is_a_folder_is_said_and_the_rest_works(box: Box) -> None:
    path = state(box) / "memory" / "user.md"
    path.unlink(missing_ok=True)
    path.mkdir()
    box.start()
    done = box.bxctl("memory")
    assert done.returncode == 1
    assert "user.md cannot be read: is a directory; mend it and try again" in done.stderr
    wait_for(box, "ladder", "the ladder is in the barn")
