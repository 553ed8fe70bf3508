"""Doctor finds a damaged line in what the box keeps for good, with a box and without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bxcore.config import Settings
from bxcore.config.settings import MemoryTable
from bxcore.doctor import Check, Verdict
from bxcore.records import Assistant, SessionStart, Usage, User
from bxctl.examining.kept_lines import kept_checks
from bxio.journal_file import JournalFile
from bxio.session_store import SessionStore
from tests.bxctl.conftest import MakeBox, Run

JOURNALS = ["ledger.jsonl", "delivered.jsonl", "forgotten.jsonl", "memory/revisions.jsonl"]


def write(path: Path, lines: int = 5) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    journal = JournalFile.open(path)
    for number in range(lines):
        journal.append([json.dumps({"text": f"line {number}"})], sync=True)
    journal.close()
    return path


def talk(state: Path, session: str, turns: int = 4) -> Path:
    opened = SessionStore(state / "sessions").open(session)
    opened.append([SessionStart(baseline="", log="l")])
    for number in range(turns):
        opened.append([User(text=f"said {number}", speaker="owner"), Assistant(content="yes"), Usage()])
    opened.close()
    return state / "sessions" / session / "0.jsonl"


def damage(path: Path, line: int) -> None:
    """Change a letter of a line; they count from 1."""
    lines = path.read_bytes().split(b"\n")
    lines[line - 1] = lines[line - 1].replace(b'"record":{"', b'"record":{"_', 1)
    path.write_bytes(b"\n".join(lines))


def found(state: Path) -> list[Check]:
    return list(kept_checks(None, state))


def test_what_is_whole_or_not_there_is_no_word_worth(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    for name in JOURNALS:
        write(tmp_path / name)
    talk(tmp_path, "k3f")
    assert found(tmp_path) == []


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("line", [1, 3])
def test_a_damaged_line_is_named_with_its_file_and_what_to_do(tmp_path: Path, name: str, line: int) -> None:
    damage(write(tmp_path / name), line)
    [check] = found(tmp_path)
    assert check.verdict is Verdict.BAD
    assert check.sentence.startswith(f"{tmp_path / name}: line {line} of the log is damaged")
    assert "until it is whole" in check.sentence
    assert check.help is not None
    assert check.help.startswith("restore it from a backup")


@pytest.mark.parametrize("name", JOURNALS)
def test_a_last_line_that_is_being_written_is_no_damage(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    path.write_bytes(path.read_bytes()[:-7])
    log = talk(tmp_path, "k3f")
    log.write_bytes(log.read_bytes()[:-7])
    before = path.read_bytes(), log.read_bytes()
    assert found(tmp_path) == []
    assert (path.read_bytes(), log.read_bytes()) == before, "it only reads"


def test_a_folder_of_the_owners_for_memory_is_looked_at(tmp_path: Path) -> None:
    damage(write(tmp_path / "mine" / "revisions.jsonl"), 2)
    settings = Settings(memory=MemoryTable(folder=tmp_path / "mine"))
    [check] = kept_checks(settings, tmp_path)
    assert (check.name, check.verdict) == ("revisions", Verdict.BAD)


def test_doctor_does_not_say_nothing_to_mend_without_a_box(tmp_path: Path, run: Run) -> None:
    damage(write(tmp_path / "state" / "ledger.jsonl"), 3)
    done = run("doctor", "--home", str(tmp_path), environ={"PATH": "/nonexistent"})
    assert done.returncode == 1
    assert "bad   ledger: " in done.stdout
    assert done.stdout.splitlines()[-1] == "1 to mend"


def test_doctor_tells_a_damaged_session_beside_a_running_box_too(make: MakeBox, run: Run) -> None:
    box = make()
    damage(talk(box.home / "state", "k3f"), 3)
    done = run("doctor", "--home", str(box.home))
    assert done.returncode == 1
    assert "bad   session k3f: " in done.stdout
