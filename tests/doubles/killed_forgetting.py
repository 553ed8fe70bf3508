"""A memory that is killed in the middle of forgetting, at each of its steps in turn.

    python -m tests.doubles.killed_forgetting FOLDER text|session

Each life is a process of its own with a real memory on real files; SIGKILL comes just before the n-th call
into the system or the database. One JSON line a kill: what the files hold after the next start.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from bxcore.labels import Label, Level
from bxcore.messages.memory_operator import Forget
from bxcore.records import Assistant, ToolCall, ToolResult, Usage, User
from bxcore.session_fold import labels_after
from bxio import forgotten, whole_results
from tests.doubles.memory_bench import AT, MemoryBench, edit, ended, recall
from tests.kit.kit import Kit

STEPS = frozenset(
    {
        "commit",
        "execute",
        "executescript",
        "fdatasync",
        "fsync",
        "ftruncate",
        "rename",
        "rmdir",
        "unlink",
        "write",
    }
)
HIDDEN = b"marmalade"
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
WANTED = {
    "text": Forget(text="marmalade jar", dry_run=False),
    "session": Forget(session="k3f", dry_run=False),
}
MOST = 1_000


def holding(folder: Path) -> list[str]:
    """The files that hold the hidden word."""
    found = (path for path in folder.rglob("*") if path.is_file() and HIDDEN in path.read_bytes().lower())
    return sorted(str(path.relative_to(folder)) for path in found)


def in_a_life(folder: Path, live: Callable[[Kit, MemoryBench], None]) -> bool:
    """Run something in a process of its own; whether it came to its end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            kit = Kit(7)
            bench = MemoryBench(folder=folder, asks=kit.probe("asks").box, outbox=kit.probe("outbox").box)
            live(kit, bench)
            sys.stdout.flush()
            code = 0
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, "a life failed by itself"
    return not os.WIFSIGNALED(status)


def fill(kit: Kit, bench: MemoryBench) -> None:
    """Three sessions, one with a tool's long result and a torn tail, notes and an identity."""
    call = ToolCall(id="t1c1", name="recall", arguments='{"query":"marmalade jar"}')
    bench.log(
        "k3f",
        User(text="I hide the Marmalade  jar", speaker="owner", at=AT),
        Assistant(content="", tool_calls=(call,)),
        ToolResult(call="t1c1", tool="recall", content="a marmalade jar", ok=True, level=Level.SECRET),
        Assistant(content="noted, the marmalade jar"),
        Usage(),
        User(text="and the tea?", speaker="owner", at=AT),
        Assistant(content="in the tin"),
        Usage(),
    )
    folder = bench.sessions.folder / "k3f"
    whole_results.keep(folder, "t1c1", "the whole marmalade jar")
    (folder / "0.jsonl.torn-1").write_bytes(b"half a marmalade jar")
    bench.turn("other", "where is the marmalade jar?", "hidden")
    bench.turn("plain", "hello", "good day")
    (bench.sessions.folder / "plain" / "0.jsonl.torn-1").write_bytes(b"half a marmalade jar")
    (bench.folder / "work" / "k3f").mkdir(parents=True)
    memory = kit.start("memory", bench.make)
    for session in ("k3f", "other", "plain"):
        ended(memory, session, 1)
    edit(memory, "add", "notes", text="the marmalade\njar is hidden", state=UNTRUSTED)
    edit(memory, "add", "notes", text="call this number", state=UNTRUSTED)
    edit(memory, "add", "user", text="owns a marmalade jar")
    edit(memory, "replace", "user", entry="owns", text="likes tea")
    recall(memory, "marmalade", session="none")
    kit.runtime.stop("memory")


def killed_before(step: int, wanted: Forget) -> Callable[[Kit, MemoryBench], None]:
    """A life that is told to forget, and killed before the ``step``-th of its steps."""

    def live(kit: Kit, bench: MemoryBench) -> None:
        done, armed = 0, False

        def watch(_: FrameType, event: str, called: Any) -> None:
            nonlocal done
            if armed and event == "c_call" and called.__name__ in STEPS:
                done += 1
                if done == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        threading.setprofile(watch)
        memory = kit.start("memory", bench.make)
        armed = True
        memory.call(wanted, 10.0)

    return live


def look(kit: Kit, bench: MemoryBench) -> None:
    """Start again, and print what there is."""
    memory = kit.start("memory", bench.make)
    notes = recall(memory, "number", session="none")
    records = bench.sessions.read("k3f")
    orders = bench.places.record
    tea = recall(memory, "tea tin", session="none").content
    kit.runtime.stop("memory")
    found = {
        "holding": holding(bench.folder),
        "ordered": orders.exists() and orders.stat().st_size > 0,
        "open": len(_unfinished(orders)),
        "turns": [record.text for record in records if isinstance(record, User)],
        "labels": [str(label) for label in labels_after(records)],
        "untrusted": notes.label.untrusted,
        "tea": "in the tin" in tea,
        "user": (bench.places.files / "user.md").read_text(encoding="utf-8"),
        "beside": sorted(
            str(path.relative_to(bench.folder))
            for path in bench.folder.rglob("*")
            if path.name.startswith(".") or path.name == "k3f"
        ),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def _unfinished(orders: Path) -> tuple[object, ...]:
    journal = forgotten.Forgotten.open(orders)
    try:
        return journal.unfinished
    finally:
        journal.close()


def main(folder: Path, what: str) -> int:
    """Kill it at each step, until it comes to its end."""
    full, box = folder / "full", folder / "box"
    full.mkdir()
    in_a_life(full, fill)
    for step in range(1, MOST):
        shutil.copytree(full, box)
        ended = in_a_life(box, killed_before(step, WANTED[what]))
        in_a_life(box, look)
        shutil.rmtree(box)
        if ended:
            return 0
    return 1


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2]))
