from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.decide import Send, Skip, Workspace
from bxcore.delivery_marks import Erased, Fate, Key, Mark
from bxcore.turn_decisions import Decided
from bxio import turn_ledger
from bxio.journal_file import JournalError, JournalFile
from bxio.turn_ledger import DeliveryMarks, TurnLedger

SEND = Send(Workspace.TRUSTED, "owner")


def row(session: str, turn: int, size: int = 10) -> Decided:
    return Decided(session=session, turn=turn, size=size, action=SEND)


def test_what_is_decided_is_known_over_a_restart(tmp_path: Path) -> None:
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([row("a", 1), row("a", 2, size=20)])
    ledger.append([Decided(session="b", turn=1, size=5, action=Skip("secret"))])
    ledger.close()
    again = TurnLedger.open(tmp_path / "ledger.jsonl")
    assert [again.decided(session, "") for session in "abc"] == [2, 1, 0]
    assert [again.size(session) for session in "abc"] == [20, 5, None]
    again.close()


def test_what_is_to_be_sent_is_read_beside_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    assert turn_ledger.to_send(path) == ()
    ledger = TurnLedger.open(path)
    ledger.append([row("a", 1), Decided(session="b", turn=1, size=5, action=Skip("secret")), row("b", 2)])
    assert turn_ledger.to_send(path) == (row("a", 1), row("b", 2))
    with path.open("ab") as file:
        file.write(b'{"crc":"torn')
    assert len(turn_ledger.to_send(path)) == 2
    ledger.close()


def test_a_row_whose_write_failed_is_not_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.write", full)
        with pytest.raises(JournalError, match="No space left"):
            ledger.append([row("a", 1)])
    assert ledger.decided("a", "") == 0
    ledger.append([row("a", 1)])
    ledger.close()
    assert turn_ledger.to_send(tmp_path / "ledger.jsonl") == (row("a", 1),)


def test_a_mark_is_known_over_a_restart(tmp_path: Path) -> None:
    key = Key("a", "l", 1)
    marks = DeliveryMarks.open(tmp_path / "delivered.jsonl")
    marks.add(Mark(key=key, fate=Fate.DELIVERED), Mark(key=key._replace(turn=2), fate=Fate.PARKED, why="422"))
    marks.add(Erased("e1"))
    before = marks.known
    marks.close()
    again = DeliveryMarks.open(tmp_path / "delivered.jsonl")
    assert again.known == before
    assert [again.known.waits(key._replace(turn=turn)) for turn in (1, 2, 3)] == [False, False, True]
    again.close()


def test_a_log_of_the_same_name_begun_anew_is_decided_from_its_first_turn(tmp_path: Path) -> None:
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([replace(row("a", 1), log="old"), replace(row("a", 2), log="old")])
    assert (ledger.decided("a", "old"), ledger.decided("a", "new")) == (2, 0)
    ledger.close()


def test_a_line_that_is_no_row_or_no_mark_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    file = JournalFile.open(path)
    file.append(["[]"], sync=True)
    file.close()
    with pytest.raises(JournalError, match="restore it from a backup"):
        TurnLedger.open(path)
    with pytest.raises(JournalError, match="restore it from a backup"):
        turn_ledger.to_send(path)
    with pytest.raises(JournalError, match="restore it from a backup"):
        DeliveryMarks.open(path)
