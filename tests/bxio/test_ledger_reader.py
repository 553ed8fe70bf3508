"""The ledger read beside its writer, a piece at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.decide import Send, Workspace
from bxcore.turn_decisions import Decided
from bxio import ledger_reader
from bxio.journal_file import JournalError
from bxio.ledger_reader import Settled, Spot
from bxio.turn_ledger import TurnLedger

SEND = Send(Workspace.TRUSTED, "owner")


def row(turn: int) -> Decided:
    return Decided(session="a", turn=turn, size=1, action=SEND)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([row(1), row(2)])
    for turn in range(3, 8):
        ledger.append([row(turn)])
    ledger.close()
    return tmp_path / "ledger.jsonl"


@pytest.mark.parametrize("piece", [150, 400, 1 << 22])
def test_it_is_read_whole_or_from_any_spot(path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(ledger_reader, "PIECE", piece)
    found = list(ledger_reader.rows(path, Spot()))
    assert [each.row.turn for each in found] == [1, 2, 3, 4, 5, 6, 7]
    assert [each.before.number for each in found] == list(range(7))
    for at in range(1, 7):
        rest = [each.row.turn for each in ledger_reader.rows(path, found[at].behind)]
        assert rest == list(range(at + 2, 8))


def test_what_is_half_written_is_read_once_it_is_whole(path: Path) -> None:
    end = list(ledger_reader.rows(path, Spot()))[-1].behind
    ledger = TurnLedger.open(path)
    ledger.append([row(8)])
    ledger.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert list(ledger_reader.rows(path, end)) == []
    path.write_bytes(whole)
    assert [each.row.turn for each in ledger_reader.rows(path, end)] == [8]


def test_damage_is_said_and_not_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'"turn":4') + 7] = ord("9")
    path.write_bytes(data)
    for piece in (300, 1 << 22):
        monkeypatch.setattr(ledger_reader, "PIECE", piece)
        with pytest.raises(JournalError, match=r"line 4 of the log is damaged.*restore it from a backup"):
            list(ledger_reader.rows(path, Spot()))


def test_a_spot_of_another_ledger_is_noticed(path: Path) -> None:
    end = list(ledger_reader.rows(path, Spot()))[3].behind
    path.unlink()
    ledger = TurnLedger.open(path)
    for turn in range(20, 28):
        ledger.append([row(turn)])
    ledger.close()
    with pytest.raises(JournalError):
        list(ledger_reader.rows(path, end))


def test_no_ledger_has_no_rows(tmp_path: Path) -> None:
    assert list(ledger_reader.rows(tmp_path / "none.jsonl", Spot())) == []


@pytest.mark.parametrize(
    "written", [b"", b"null", b"[]", b'{"spot":{},"orders":0}', b'{"spot":{"offset":"x"}}']
)
def test_a_damaged_note_of_what_is_settled_is_passed_over(path: Path, written: bytes) -> None:
    (path.parent / "ledger.jsonl.settled").write_bytes(written)
    assert Settled(path).read(0) == Spot()


def test_what_is_settled_is_noted_once_it_lies_much_further_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_reader, "EVERY", 3)
    spots = [each.behind for each in ledger_reader.rows(path, Spot())]
    settled = Settled(path)
    settled.note(spots[1], 0)
    assert Settled(path).read(0) == Spot()
    settled.note(spots[3], 0)
    settled.note(spots[5], 0)
    assert Settled(path).read(0) == spots[3]
    assert Settled(path).read(1) == Spot()
