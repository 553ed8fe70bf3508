from __future__ import annotations

from tools.faults import fault as faults
from tools.faults.fault import Fault


def test_a_fault_is_written_as_strace_takes_it() -> None:
    assert str(Fault(call="write", number=7, kind="error=EIO")) == "write:error=EIO:when=7"
    assert str(Fault(call="write", number=7, kind="error=EIO", lasting=True)) == "write:error=EIO:when=7+"


def test_a_full_disk_is_said_by_its_room() -> None:
    assert str(Fault(room=512)) == "room for 512 bytes a file"


def test_every_kind_of_fault_is_tried_at_each_call_that_is_chosen_and_once_it_lasts() -> None:
    found = list(faults.of_calls([("write", 3), ("fsync", 1), ("openat", 4)], every=2))
    assert [(fault.call, fault.number, fault.kind, fault.lasting) for fault in found] == [
        ("write", 3, "error=EIO", False),
        ("write", 3, "error=ENOSPC", False),
        ("write", 3, "signal=KILL", False),
        ("write", 3, "error=ENOSPC", True),
        ("openat", 4, "error=EMFILE", False),
        ("openat", 4, "error=ENOSPC", False),
        ("openat", 4, "signal=KILL", False),
        ("openat", 4, "error=EMFILE", True),
    ]


def test_none_that_last_are_tried_where_they_would_strike_other_files() -> None:
    assert not any(fault.lasting for fault in faults.of_calls([("openat", 1), ("write", 1)], once=True))


def test_a_disk_fills_up_at_sizes_from_nothing_to_less_than_the_largest_file() -> None:
    assert [fault.room for fault in faults.of_rooms(100, 4)] == [0, 25, 50, 75]
    assert [fault.room for fault in faults.of_rooms(1, 4)] == [0]
