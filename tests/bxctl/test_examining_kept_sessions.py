"""Doctor names each session whose files are damaged, says what becomes of it, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bxcore.baseline import sha256
from bxcore.decide import Skip
from bxcore.doctor import Check, Verdict
from bxcore.records import Assistant, SessionStart, Usage, User
from bxcore.turn_decisions import Decided
from bxctl.examining.kept_sessions import SHOWN, session_checks
from bxio.session_store import SessionStore
from bxio.turn_ledger import TurnLedger

SAVED = b'{"messages":[]}'


def talk(state: Path, session: str = "k3f", epochs: int = 1) -> Path:
    """Two turns an epoch; the session's folder."""
    opened = SessionStore(state / "sessions").open(session)
    opened.save_baseline(SAVED)
    for epoch in range(epochs):
        start = SessionStart(baseline=sha256(SAVED), log="l", epoch=epoch, turns=opened.turns)
        if epoch:
            opened.begin_epoch(start)
        else:
            opened.append([start])
        for number in range(2):
            opened.append([User(text=f"said {number}", speaker="owner"), Assistant(content="yes"), Usage()])
    opened.close()
    return state / "sessions" / session


def damage(path: Path, line: int) -> None:
    """Change a letter of a line; they count from 1."""
    lines = path.read_bytes().split(b"\n")
    lines[line - 1] = lines[line - 1].replace(b'"record":{"', b'"record":{"_', 1)
    path.write_bytes(b"\n".join(lines))


def found(state: Path, within_s: float = 20.0) -> list[Check]:
    return list(session_checks(state, within_s))


def test_whole_sessions_are_worth_no_word(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    folder = talk(tmp_path, epochs=3)
    SessionStore(tmp_path / "sessions").open("begun").close()
    (tmp_path / "sessions" / ".k.forgotten").mkdir()
    (tmp_path / "sessions" / ".k.forgotten" / "baseline.json").touch()
    imported = SessionStore(tmp_path / "sessions").open("imported")
    imported.append([SessionStart(baseline="", log="i"), User(text="hi")])
    imported.close()
    (tmp_path / "sessions" / "a file").touch()
    assert found(tmp_path) == []
    (folder / "baseline.json").rename(folder / "baseline.json.next")
    (folder / "2.jsonl").write_bytes((folder / "2.jsonl").read_bytes() + b"half")
    assert found(tmp_path) == []


def empty(path: Path) -> None:
    path.write_bytes(b"")


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def shorter(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))


STOPS = "the session cannot go on until it is whole"
HIDES = "the session goes on, and is not shown until it is whole"


@pytest.mark.parametrize(
    ("harm", "name", "says"),
    [
        (Path.unlink, "0.jsonl", f"0.jsonl is missing, and 1.jsonl is there; {STOPS}"),
        (Path.unlink, "1.jsonl", f"1.jsonl is missing, and 2.jsonl is there; {STOPS}"),
        (empty, "0.jsonl", f"0.jsonl is empty, and had begun; {STOPS}"),
        (empty, "2.jsonl", f"2.jsonl is empty, and had begun; {STOPS}"),
        (torn, "2.jsonl", f"2.jsonl is damaged, its first line is not whole; {STOPS}"),
        (torn, "1.jsonl", f"1.jsonl: line 1 of the log is damaged; {HIDES}"),
        (half, "0.jsonl", f"0.jsonl: line 7 of the log is damaged; {HIDES}"),
        (shorter, "0.jsonl", f": an epoch does not go on where the one before, of 1 turns, ended; {HIDES}"),
        (
            lambda path: damage(path, 3),
            "2.jsonl",
            f"line 3 of the log is damaged, and later lines are whole; {STOPS}",
        ),
    ],
)
def test_a_damaged_file_is_named_with_what_becomes_of_its_session(
    tmp_path: Path, harm: Callable[[Path], object], name: str, says: str
) -> None:
    talk(tmp_path, "good")
    folder = talk(tmp_path, "bad", epochs=3)
    harm(folder / name)
    [check] = found(tmp_path)
    assert (check.name, check.verdict) == ("session bad", Verdict.BAD)
    assert check.sentence.startswith(str(folder))
    assert check.sentence.endswith(says)
    assert check.help == "restore it from a backup; it is left as it is until then"


def test_a_session_of_which_the_baseline_alone_is_left_is_named(tmp_path: Path) -> None:
    folder = talk(tmp_path)
    (folder / "0.jsonl").unlink()
    [check] = found(tmp_path)
    assert check.sentence == f"{folder / '0.jsonl'} is missing, and baseline.json is there; {STOPS}"


def test_a_file_that_others_may_read_is_named_with_the_command_that_helps(tmp_path: Path) -> None:
    path = talk(tmp_path) / "0.jsonl"
    path.chmod(0o640)
    [check] = found(tmp_path)
    assert check.sentence == f"{path} is open to others; the session cannot go on until it is not"
    assert check.help == f"chmod 600 {path}"


def test_an_earlier_file_that_others_may_read_stops_nothing(tmp_path: Path) -> None:
    path = talk(tmp_path, epochs=2) / "0.jsonl"
    path.chmod(0o640)
    [check] = found(tmp_path)
    assert (check.verdict, check.sentence) == (Verdict.WARN, f"{path} is open to others")
    assert check.help == f"chmod 600 {path}"


def test_a_folder_in_a_files_place_is_one_sentence(tmp_path: Path) -> None:
    path = talk(tmp_path) / "0.jsonl"
    path.unlink()
    path.mkdir()
    [check] = found(tmp_path)
    assert check.sentence == f"{path} cannot be read: Is a directory"
    assert check.help == f"ls -l {path.parent}"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (Path.unlink, "is missing"),
        (lambda path: path.write_bytes(b"{}"), "was changed since the session began"),
    ],
)
def test_a_lost_baseline_is_a_warning(tmp_path: Path, spoil: Callable[[Path], object], says: str) -> None:
    path = talk(tmp_path) / "baseline.json"
    spoil(path)
    [check] = found(tmp_path)
    assert (check.name, check.verdict) == ("session k3f", Verdict.WARN)
    assert check.sentence == f"{path} {says}; at its next turn the session goes on with a new one"


@pytest.mark.parametrize(("log", "turn", "lost"), [("l", 5, 3), ("l", 2, 0), ("another", 5, 0)])
def test_turns_that_the_ledger_knows_and_the_log_does_not_are_a_warning(
    tmp_path: Path, log: str, turn: int, lost: int
) -> None:
    folder = talk(tmp_path)
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([Decided(session="k3f", turn=turn, size=1, action=Skip("x"), log=log)])
    ledger.close()
    checks = found(tmp_path)
    said = f"{folder} has lost its last turns, {lost} of them; it goes on without them, and says so"
    assert [(check.verdict, check.sentence) for check in checks] == [(Verdict.WARN, said)] * bool(lost)


def test_a_session_that_goes_while_it_is_looked_at_is_no_word_worth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = talk(tmp_path)
    listing = Path.iterdir

    def gone(path: Path) -> object:
        if path == folder:
            shutil.rmtree(folder)
        return listing(path)

    monkeypatch.setattr(Path, "iterdir", gone)
    assert found(tmp_path) == []


def test_of_many_damaged_sessions_some_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    for number in range(SHOWN + 3):
        damage(talk(tmp_path, f"s{number}") / "0.jsonl", 2)
    *named, last = found(tmp_path)
    assert (len(named), last.sentence) == (SHOWN, f"3 more logs in {tmp_path / 'sessions'} are damaged")


def test_what_there_was_no_time_for_is_said(tmp_path: Path) -> None:
    for number in range(3):
        talk(tmp_path, f"s{number}")
    [check] = found(tmp_path, within_s=-1.0)
    assert check.verdict is Verdict.WARN
    assert check.sentence == "3 of 3 logs were not looked at, for want of time"
