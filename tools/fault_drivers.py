"""Each durable file of the box, written by its own module: what is acknowledged, and what must be there.

A driver prints ``ack N`` for each thing that is on disk by the module's own word, and ``no SENTENCE`` for
each that was refused. Its check reads without faults and says what is wrong. Run as a process with a driver's
name and a folder; to add a file, add a ``Driver``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bxcore import memory_entries
from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Fate, Key, Mark
from bxcore.erasing import EraseOrder
from bxcore.errors import SentenceError
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import Edited
from bxcore.records import Assistant, Record, SessionStart, Usage, User
from bxcore.turn_decisions import Decided
from bxio import forgotten, log_rewriting, turn_ledger, whole_results
from bxio.approval_journal import ApprovalJournal
from bxio.audit_log import AuditLog
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.embedded_honcho.database import DamagedDatabase
from bxio.forgotten import Forgotten
from bxio.honcho import HonchoClient, HonchoServer, HonchoUnavailable, NewMessage
from bxio.memory_files import OPERATOR, MemoryFiles
from bxio.recall import RecallIndex
from bxio.session_store import SessionStore
from bxio.turn_ledger import DeliveryMarks, TurnLedger

TIMES = 4
"""Things that a driver does."""
HIDDEN = "marmalade"
FAR_S = 30.0
Failures = (SentenceError, HonchoUnavailable, DamagedDatabase, OSError)
"""What a module may raise: each says what happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """``run`` does the work in a folder, ``check`` gives what is wrong, by what was acknowledged."""

    run: Callable[[Path], Iterator[int]]
    check: Callable[[Path, Sequence[int]], Iterator[str]]
    prepare: Callable[[Path], None] = lambda _folder: None


def _tried(number: int, work: Callable[[], object]) -> Iterator[int]:
    try:
        work()
    except Failures as error:
        print(f"no {error}", flush=True)
    else:
        yield number


def _missing(acknowledged: Sequence[int], there: Sequence[int]) -> Iterator[str]:
    lost = [number for number in acknowledged if number not in there]
    if lost:
        yield f"acknowledged and not there: {lost}"


def _session(folder: Path) -> Iterator[int]:
    opened = SessionStore(folder / "sessions").open("k3f")
    yield from _tried(0, lambda: opened.save_baseline(b'{"messages":[]}'))
    for number in range(1, TIMES + 1):
        turn: list[Record] = [User(text=f"turn {number}"), Assistant(content="x" * 300), Usage()]
        start: list[Record] = [] if opened.records else [SessionStart(baseline="", log="l")]
        yield from _tried(number, partial(opened.append, [*start, *turn]))


def _session_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    store = SessionStore(folder / "sessions")
    store.open("k3f").close()
    texts = [record.text for record in store.read("k3f") if isinstance(record, User)]
    yield from _missing([n for n in acknowledged if n], [int(text.split()[1]) for text in texts])
    if 0 in acknowledged and store.open("k3f").baseline() != b'{"messages":[]}':
        yield "the baseline is not what was saved"


def _row(number: int) -> Decided:
    return Decided(session="k3f", turn=number, size=1, action=Send(Workspace.TRUSTED, "owner"))


def _ledger(folder: Path) -> Iterator[int]:
    ledger = TurnLedger.open(folder / "ledger.jsonl")
    for number in range(1, TIMES + 1):
        yield from _tried(number, partial(ledger.append, [_row(number)]))


def _ledger_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    TurnLedger.open(folder / "ledger.jsonl").close()
    there = [row.turn for row in turn_ledger.to_send(folder / "ledger.jsonl")]
    yield from _missing(acknowledged, there)
    if len(there) != len(set(there)):
        yield f"a turn is there twice: {there}"


def _marks(folder: Path) -> Iterator[int]:
    marks = DeliveryMarks.open(folder / "delivered.jsonl")
    for number in range(1, TIMES + 1):
        mark = Mark(key=Key("k3f", "l", number), fate=Fate.DELIVERED)
        yield from _tried(number, partial(marks.add, mark))


def _marks_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    marks = DeliveryMarks.open(folder / "delivered.jsonl")
    yield from _missing(acknowledged, [key.turn for key in marks.known.delivered])


def _memory(folder: Path) -> Iterator[int]:
    files = MemoryFiles.open(folder / "memory", lambda: "2026-11-02T10:00:00Z")
    for number in range(1, TIMES + 1):
        text = f"entry {number}"

        def edit(text: str = text) -> None:
            edited = files.edit("notes", lambda entries: memory_entries.add("notes", entries, text), OPERATOR)
            if not isinstance(edited, Edited):
                raise SentenceError(edited.sentence)

        yield from _tried(number, edit)


def _memory_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    files = MemoryFiles.open(folder / "memory", lambda: "")
    texts = files.texts("notes")
    yield from _missing(acknowledged, [int(text.split()[1]) for text in texts])
    if any(files.known.origin("notes", text) is None for text in texts):
        yield "an entry has no revision"
    files.close()


def _audit(folder: Path) -> Iterator[int]:
    log = AuditLog.open(folder / "audit.jsonl")
    for number in range(1, TIMES + 1):
        yield from _tried(number, partial(log.record, {"kind": "test", "n": number}))


def _audit_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    log = AuditLog.open(folder / "audit.jsonl")
    written = (folder / "audit.jsonl").read_bytes()
    yield from _missing(acknowledged, [n for n in range(1, TIMES + 1) if f'"n":{n}'.encode() in written])
    log.record({"kind": "test", "n": 99})
    log.close()


def _approvals(folder: Path) -> Iterator[int]:
    from bxcore.approvals import Ended, How

    journal = ApprovalJournal(folder / "approvals.jsonl", "one")
    journal.open()
    for number in range(1, TIMES + 1):
        event = Ended(code=f"k{number}", how=How.DENIED, by=f"by {number}")
        yield from _tried(number, partial(journal.write, event))


def _approvals_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    ApprovalJournal(folder / "approvals.jsonl", "one").open()
    written = (folder / "approvals.jsonl").read_bytes()
    yield from _missing(acknowledged, [n for n in range(1, TIMES + 1) if f'"by {n}"'.encode() in written])


def _forgotten(folder: Path) -> Iterator[int]:
    journal = Forgotten.open(folder / "forgotten.jsonl")
    for number in range(1, TIMES + 1):
        order = EraseOrder(id=f"e{number}", at="", session="k3f", log="l", turns=(number,))
        yield from _tried(number, partial(journal.append, [order]))


def _forgotten_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    Forgotten.open(folder / "forgotten.jsonl").close()
    orders = forgotten.orders(folder / "forgotten.jsonl")
    yield from _missing(acknowledged, [int(order.id[1:]) for order in orders])


def _talk(folder: Path) -> None:
    opened = SessionStore(folder / "sessions").open("k3f")
    opened.append([SessionStart(baseline="", log="l")])
    for text in ("tea", HIDDEN, "cake"):
        opened.append([User(text=text), Assistant(content=f"you said {text}"), Usage()])
    opened.close()


def _forget(folder: Path) -> Iterator[int]:
    yield from _tried(1, lambda: log_rewriting.forget_turns(folder / "sessions" / "k3f", (2,)))


def _forget_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    store = SessionStore(folder / "sessions")
    texts = [record.text for record in store.read("k3f") if isinstance(record, User)]
    if texts not in (["tea", HIDDEN, "cake"], ["tea", "(forgotten)", "cake"]):
        yield f"the log is neither as before nor as it is to be: {texts}"
    if acknowledged and HIDDEN in texts:
        yield "it was told to be forgotten and is there"
    log_rewriting.forget_turns(folder / "sessions" / "k3f", (2,))
    left = [
        path.name for path in folder.rglob("*") if path.is_file() and HIDDEN.encode() in path.read_bytes()
    ]
    if left:
        yield f"forgetting again leaves it in {left}"


def _results(folder: Path) -> Iterator[int]:
    for number in range(1, TIMES + 1):
        text = f"result {number} " + "x" * 5000
        yield from _tried(number, partial(whole_results.keep, folder, f"t{number}c1", text))


def _results_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    for number in acknowledged:
        path = whole_results.place(folder, f"t{number}c1")
        if not path.is_file() or path.read_text() != f"result {number} " + "x" * 5000:
            yield f"result {number} was kept and is not whole"


def _client(honcho: EmbeddedHoncho) -> HonchoClient:
    return HonchoClient(HonchoServer(transport=honcho.transport))


def _honcho(folder: Path) -> Iterator[int]:
    client = _client(EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker"))
    for number in range(1, TIMES + 1):
        message = NewMessage(peer="owner", content=f"said {number}", metadata={"turn": number})

        def say(message: NewMessage = message) -> None:
            client.append("boxmaker", "k3f", [message], time.monotonic() + FAR_S)

        yield from _tried(number, say)


def _honcho_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    client = _client(EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker"))
    try:
        found = client.find("boxmaker", "k3f", {}, time.monotonic() + FAR_S)
    except HonchoUnavailable as error:
        found = []
        if acknowledged:
            yield f"nothing is found: {error}"
    yield from _missing(acknowledged, [message.metadata["turn"] for message in found])


def _turn(number: int) -> FinishedTurn:
    return FinishedTurn(
        session="k3f", turn=number, at="", user=f"the ladder {number}", reply="noted", label=NEW_SESSION
    )


def _recall(folder: Path) -> Iterator[int]:
    index = RecallIndex.open(folder / "recall.sqlite")
    for number in range(1, TIMES + 1):

        def add(number: int = number) -> None:
            wanted = range(index.turns_in("k3f", "l") + 1, number + 1)  # as memory does after a failure
            index.add_turns("k3f", map(_turn, wanted), size=number, upto=number, log="l")
            index.settle(least=1)

        yield from _tried(number, add)


def _recall_is(folder: Path, _acknowledged: Sequence[int]) -> Iterator[str]:
    """A cache: what it says it has is found, and it takes in more."""
    index = RecallIndex.open(folder / "recall.sqlite")
    known = index.turns_in("k3f", "l")
    found = [hit.turn for hit in index.search("ladder", k=10, without="")]
    if sorted(found) != list(range(1, known + 1)) and index.made_anew is None:
        yield f"it says that turns up to {known} are in, and finds {sorted(found)}"
    index.add_turns("k3f", [_turn(9)], size=9, upto=9, log="l")
    if 9 not in [hit.turn for hit in index.search("ladder", k=10, without="")]:  # noqa: PLR2004
        yield "it takes nothing in any more"
    index.close()


DRIVERS = {
    "session": Driver(run=_session, check=_session_is),
    "ledger": Driver(run=_ledger, check=_ledger_is),
    "marks": Driver(run=_marks, check=_marks_are),
    "memory": Driver(run=_memory, check=_memory_is),
    "audit": Driver(run=_audit, check=_audit_is),
    "approvals": Driver(run=_approvals, check=_approvals_are),
    "forgotten": Driver(run=_forgotten, check=_forgotten_is),
    "forget": Driver(run=_forget, check=_forget_is, prepare=_talk),
    "results": Driver(run=_results, check=_results_are),
    "honcho": Driver(run=_honcho, check=_honcho_is),
    "recall": Driver(run=_recall, check=_recall_is),
}


def main(name: str, folder: Path) -> None:
    """Run one driver."""
    try:
        for number in DRIVERS[name].run(folder):
            print(f"ack {number}", flush=True)
    except Failures as error:  # the file could not even be opened
        print(f"no {error}", flush=True)
    sys.stdout.flush()
    os._exit(0)  # as a kill would: nothing is tidied up


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
