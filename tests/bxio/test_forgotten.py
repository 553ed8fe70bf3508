from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.erasing import CarriedOut, EraseOrder, ScrubOrder
from bxio import forgotten
from bxio.forgotten import Forgotten
from bxio.journal_file import JournalError, JournalFile


def order(number: int) -> EraseOrder:
    return EraseOrder(id=f"e{number}", at="", session="k3f", log="l", turns=(number,))


def test_orders_are_known_over_a_restart_and_read_beside_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    assert forgotten.orders(path) == ()
    journal = Forgotten.open(path)
    journal.append((order(1), order(2)))
    assert journal.unfinished == forgotten.orders(path) == (order(1), order(2))
    journal.close()
    again = Forgotten.open(path)
    assert again.unfinished == (order(1), order(2))
    again.close()


def test_an_order_is_unfinished_until_it_is_carried_out(tmp_path: Path) -> None:
    journal = Forgotten.open(tmp_path / "forgotten.jsonl")
    journal.append((order(1), order(2)))
    journal.append((CarriedOut("e1"),))
    journal.close()
    again = Forgotten.open(tmp_path / "forgotten.jsonl")
    assert again.unfinished == (order(2),)
    again.close()


def test_what_is_of_no_turn_is_the_memory_s_alone(tmp_path: Path) -> None:
    scrub = ScrubOrder(id="s1", at="", places=((3, "added", 0),), files=("k3f/0.jsonl.torn-1",))
    journal = Forgotten.open(tmp_path / "forgotten.jsonl")
    journal.append((scrub, order(1)))
    journal.close()
    assert forgotten.orders(tmp_path / "forgotten.jsonl") == (order(1),)
    again = Forgotten.open(tmp_path / "forgotten.jsonl")
    assert again.unfinished == (scrub, order(1))
    again.close()


def test_a_torn_tail_is_no_order(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    journal = Forgotten.open(path)
    journal.append((order(1),))
    with path.open("ab") as file:
        file.write(b'{"crc":"torn')
    assert forgotten.orders(path) == (order(1),)
    journal.close()


def test_a_line_that_is_no_order_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    file = JournalFile.open(path)
    file.append(['{"id":"e1"}'], sync=True)
    file.close()
    for read in (forgotten.orders, Forgotten.open):
        with pytest.raises(JournalError, match="restore it from a backup"):
            read(path)


def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be read: Is a directory"):
        forgotten.orders(tmp_path)


def test_a_damaged_journal_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    journal = Forgotten.open(path)
    journal.append((order(1),))
    journal.append((order(2),))
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"e1", b"eX"))
    with pytest.raises(JournalError, match="damaged"):
        forgotten.orders(path)


def test_a_session_that_was_forgotten_whole_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    assert not forgotten.whole(path, "k3f")
    journal = Forgotten.open(path)
    journal.append((order(1), EraseOrder(id="e2", at="", session="other", log="l", turns=None)))
    assert not forgotten.whole(path, "k3f"), "some of its turns alone"
    assert forgotten.whole(path, "other")
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"k3f", b"k3g", 1))
    assert not forgotten.whole(path, "other"), "a damaged record says nothing here"
