from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.decide import Send, Skip, Workspace
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
    assert [again.decided(session) for session in "abc"] == [2, 1, 0]
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
    assert ledger.decided("a") == 0
    ledger.append([row("a", 1)])
    ledger.close()
    assert turn_ledger.to_send(tmp_path / "ledger.jsonl") == (row("a", 1),)


def test_a_mark_is_known_over_a_restart(tmp_path: Path) -> None:
    marks = DeliveryMarks.open(tmp_path / "delivered.jsonl")
    marks.mark(row("a", 1))
    marks.mark(row("a", 2), gave_up="422, refused")
    assert [marks.done(row("a", turn)) for turn in (1, 2, 3)] == [True, True, False]
    marks.close()
    again = DeliveryMarks.open(tmp_path / "delivered.jsonl")
    assert [again.done(row("a", turn)) for turn in (1, 2, 3)] == [True, True, False]
    assert not again.done(row("b", 1))
    again.close()


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
