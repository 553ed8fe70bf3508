"""A summary spares reading a long log again, and is never believed against the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Erased, Fate, Key, Mark
from bxcore.turn_decisions import Decided
from bxio import journal_summary
from bxio.journal_file import JournalError, JournalFile
from bxio.turn_ledger import DeliveryMarks, TurnLedger

SEND = Send(Workspace.TRUSTED, "owner")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_summary, "EVERY", 10)


def row(turn: int, session: str = "a") -> Decided:
    return Decided(session=session, turn=turn, size=turn * 7, action=SEND, log="l")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of 25 rows, of which 20 are summed up."""
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    for turn in range(1, 26):
        ledger.append([row(turn), row(turn, "b")] if turn == 10 else [row(turn)])
    ledger.close()
    return tmp_path / "ledger.jsonl"


def knows(path: Path) -> list[object]:
    ledger = TurnLedger.open(path)
    found: list[object] = [
        ledger.decided("a", "l"),
        ledger.size("a"),
        ledger.log("a"),
        ledger.decided("b", "l"),
    ]
    ledger.close()
    return found


def lines_read(path: Path) -> int:
    known = journal_summary.read(path)
    file = JournalFile.open(path, known and known[0])
    file.close()
    return len(file.payloads)


def test_only_what_came_later_is_read_and_all_is_known(path: Path) -> None:
    assert 0 < lines_read(path) < 10
    assert knows(path) == [25, 175, "l", 10]
    ledger = TurnLedger.open(path)
    ledger.append([row(26)])
    ledger.close()
    assert knows(path)[0] == 26
    path.with_name("ledger.jsonl.summary").unlink()
    assert lines_read(path) == 27, "the log is whole without it"


def test_a_summary_that_is_damaged_or_gone_is_no_loss(path: Path) -> None:
    summary = path.with_name("ledger.jsonl.summary")
    good = summary.read_bytes()
    for at in range(0, len(good), 7):
        summary.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert knows(path) == [25, 175, "l", 10]
    for data in (b"", good[:40], b"00000000\n", b"null"):
        summary.write_bytes(data)
        assert knows(path) == [25, 175, "l", 10]


def test_a_summary_of_another_log_is_passed_over(path: Path) -> None:
    path.unlink()
    ledger = TurnLedger.open(path)
    ledger.append([row(3)])
    ledger.close()
    assert knows(path) == [3, 21, "l", 0]


def test_damage_in_what_is_summed_up_is_still_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'"turn":4') + 7] = ord("5")
    path.write_bytes(data)
    with pytest.raises(JournalError, match="line 4 of the log is damaged"):
        TurnLedger.open(path)


def test_a_torn_tail_behind_a_summary_is_cut(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert knows(path)[0] == 24
    assert path.read_bytes() == whole[: whole.rindex(b"\n", 0, -1) + 1]


def test_marks_are_the_same_with_a_summary_and_without(tmp_path: Path) -> None:
    path = tmp_path / "delivered.jsonl"
    marks = DeliveryMarks.open(path)
    for turn in range(1, 12):
        marks.add(Mark(key=Key("a", "l", turn), fate=Fate.DELIVERED))
    marks.add(Mark(key=Key("a", "l", 12), fate=Fate.PARKED, why="422", workspace="trusted", at="x"))
    marks.add(Mark(key=Key("a", "l", 13, 1), fate=Fate.DROPPED), Erased("e1"))
    marks.add(Mark(key=Key("b", "l", 1), fate=Fate.SENDING))
    for turn in range(14, 25):
        marks.add(Mark(key=Key("a", "l", turn, 1), fate=Fate.DELIVERED))
    marks.close()
    assert lines_read(path) < 10
    summed = DeliveryMarks.open(path)
    summed.close()
    path.with_name("delivered.jsonl.summary").unlink()
    plain = DeliveryMarks.open(path)
    plain.close()
    assert sorted(summed.known.delivered) == sorted(plain.known.delivered)
    for part in ("parked", "dropped", "erased", "sending"):
        assert getattr(summed.known, part) == getattr(plain.known, part)
    assert summed.known.parked[Key("a", "l", 12)].why == "422"
