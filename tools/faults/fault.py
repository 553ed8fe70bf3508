"""A fault: which call of a driver fails, and how. No process is started here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

CALLS = (
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "openat",
    "ftruncate",
    "unlink",
    "unlinkat",
)
"""The system calls that a durable file needs."""
KILL = "signal=KILL"
LASTING = {"openat": "error=EMFILE", "write": "error=ENOSPC", "pwrite64": "error=ENOSPC"}
"""How a call fails from some point on; every other one with EIO."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The ``number``-th call of its name fails; with ``lasting`` each one from there on does.

    With ``room`` there is no such call: no file takes more bytes than that, as on a disk that fills up. The
    write that crosses it is a short one, and the next is refused.
    """

    call: str = "write"
    number: int = 0
    kind: str = ""
    lasting: bool = False
    room: int | None = None

    def __str__(self) -> str:
        if self.room is not None:
            return f"room for {self.room} bytes a file"
        return f"{self.call}:{self.kind}:when={self.number}{'+' if self.lasting else ''}"


def of_calls(most: Iterable[tuple[str, int]], every: int = 1, *, once: bool = False) -> Iterator[Fault]:
    """Each kind of fault at each ``every``-th call; ``once`` leaves out those that last.

    ``most`` are the calls that a run without faults makes, each with its number among those of its name.
    """
    for place, (call, number) in enumerate(most):
        if place % every == 0:
            for kind in kinds(call):
                yield Fault(call=call, number=number, kind=kind)
            if not once:
                yield Fault(call=call, number=number, kind=LASTING.get(call, "error=EIO"), lasting=True)


def kinds(call: str) -> tuple[str, ...]:
    """What may befall a call once."""
    errors = ("error=EMFILE", "error=ENOSPC") if call == "openat" else ("error=EIO", "error=ENOSPC")
    return (*errors, KILL)


def of_rooms(largest: int, steps: int) -> Iterator[Fault]:
    """Disks that fill up at ``steps`` sizes between nothing and the largest file of a run without faults."""
    for room in sorted({largest * step // steps for step in range(steps)}):
        yield Fault(room=room)
