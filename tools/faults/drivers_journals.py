"""Drivers of the journals: session log, ledger, marks, summaries, what is forgotten, audit, approvals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bxcore.approvals import Approval, Ended, How, Opened
from bxcore.audit_chain import Broken
from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Fate, Key, Mark
from bxcore.erasing import CarriedOut, EraseOrder
from bxcore.labels import NEW_SESSION
from bxcore.records import Assistant, Record, SessionStart, Usage, User
from bxcore.turn_decisions import Decided
from bxio import audit_reader, forgotten, journal_summary, ledger_reader, turn_ledger
from bxio.approval_journal import ApprovalJournal
from bxio.audit_log import AuditLog
from bxio.forgotten import Forgotten
from bxio.ledger_reader import Settled
from bxio.session_store import OpenSession, SessionStore
from bxio.turn_ledger import DeliveryMarks, TurnLedger
from tools.faults.driver import missing, tried

TIMES = range(1, 5)
"""Things that a driver does, by number."""
LONG = 70_000
"""Characters of a record that is no single page: such ones are what a crash tears."""
BASELINE = b'{"messages":[]}'


def session(folder: Path) -> Iterator[int]:
    """A baseline (0), then turns, one of them long."""
    opened = SessionStore(folder / "sessions").open("k3f")
    yield from tried(0, partial(opened.save_baseline, BASELINE))
    for number in TIMES:
        reply = "x" * (LONG if number == TIMES[1] else 300)
        turn: list[Record] = [User(text=f"turn {number}"), Assistant(content=reply), Usage()]
        start: list[Record] = [] if opened.records else [SessionStart(baseline="", log="l")]
        yield from tried(number, partial(opened.append, [*start, *turn]))


def session_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every turn is whole, the baseline as it was saved, and the log takes more."""
    store = SessionStore(folder / "sessions")
    opened = store.open("k3f")
    if opened.baseline() not in ({BASELINE} if 0 in acknowledged else {BASELINE, None}):
        yield "the baseline is not what was saved"
    opened.append([User(text="turn 99"), Assistant(content="y")])
    opened.close()
    kept = store.read("k3f")
    texts = [record.text for record in kept if isinstance(record, User)]
    yield from missing([*filter(None, acknowledged), 99], [int(text.split()[1]) for text in texts])
    if sum(isinstance(record, Assistant) for record in kept) != len(texts):
        yield "half a turn is there"


def epochs(folder: Path) -> Iterator[int]:
    """Turns, each but the first in an epoch of its own: an even number is a turn, an odd one an epoch.

    A log that was closed by a failure is opened again, as a session does it.
    """
    store = SessionStore(folder / "sessions")
    opened = store.open("k3f")
    for number in range(2, 9):
        if opened.closed:
            opened = store.open("k3f")
        if opened.turns or not number % 2:
            yield from tried(number, partial(_begin_epoch if number % 2 else _turn, opened, number))


def _turn(opened: OpenSession, number: int) -> None:
    start: list[Record] = [] if opened.records else [SessionStart(baseline="", log="l")]
    opened.append([*start, User(text=f"turn {number}")], sync=False)
    opened.append([Assistant(content="x" * 300), Usage()], sync=False)


def _begin_epoch(opened: OpenSession, number: int) -> None:
    opened.begin_epoch(
        SessionStart(
            baseline="", log="l", epoch=opened.epoch + 1, turns=opened.turns, summary=f"summary {number}"
        )
    )


def epochs_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """What an epoch that began was begun behind is there, no summary is of half an epoch, and it goes on."""
    store = SessionStore(folder / "sessions")
    opened = store.open("k3f")
    turns = opened.turns
    _turn(opened, 98)
    _begin_epoch(opened, 99)
    opened.close()
    if not turns and acknowledged:
        yield f"acknowledged and not there: {acknowledged}"
    kept = store.read("k3f")
    starts = [record for record in kept if isinstance(record, SessionStart)]
    summed = [int(start.summary.split()[1]) for start in starts if start.epoch]
    texts = [int(record.text.split()[1]) for record in kept if isinstance(record, User)]
    odd = [number for number in acknowledged if number % 2]
    yield from missing([*odd, 99], summed)
    last = max(odd, default=0)
    yield from missing([*(number for number in acknowledged if not number % 2 and number < last), 98], texts)


def _row(number: int) -> Decided:
    return Decided(session="k3f", turn=number, size=1, action=Send(Workspace.TRUSTED, "owner"))


def ledger(folder: Path) -> Iterator[int]:
    """Decisions."""
    opened = TurnLedger.open(folder / "ledger.jsonl")
    for number in TIMES:
        yield from tried(number, partial(opened.append, [_row(number)]))


def ledger_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every decision once, and the ledger knows how far it is."""
    path = folder / "ledger.jsonl"
    opened = TurnLedger.open(path)
    there = [row.turn for row in turn_ledger.to_send(path)]
    yield from missing(acknowledged, there)
    if opened.decided("k3f", "") != max(there, default=0):
        yield f"it says that turns up to {opened.decided('k3f', '')} are decided, and holds {there}"
    opened.append([_row(99)])
    opened.close()
    beside = [found.row.turn for found in ledger_reader.rows(path, ledger_reader.Spot())]
    if beside != [*there, 99]:
        yield f"read beside its writer it holds {beside}, not {[*there, 99]}"


def _mark(number: int) -> Mark:
    return Mark(key=Key("k3f", "l", number), fate=Fate.DELIVERED)


def marks(folder: Path) -> Iterator[int]:
    """Marks of delivery."""
    opened = DeliveryMarks.open(folder / "delivered.jsonl")
    for number in TIMES:
        yield from tried(number, partial(opened.add, _mark(number)))


def marks_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every mark, and room for more."""
    opened = DeliveryMarks.open(folder / "delivered.jsonl")
    opened.add(_mark(99))
    opened.close()
    again = DeliveryMarks.open(folder / "delivered.jsonl")
    again.close()
    yield from missing([*acknowledged, 99], [key.turn for key in again.known.delivered])


def _often_summed_up() -> None:
    """Sum up at every second line, not at 20,000."""
    journal_summary.EVERY = 2
    vars(ledger_reader)["EVERY"] = 2


def summaries(folder: Path) -> Iterator[int]:
    """A ledger and marks with their summaries, and the spot before which all is settled."""
    _often_summed_up()
    path = folder / "ledger.jsonl"
    rows, delivered = TurnLedger.open(path), DeliveryMarks.open(folder / "delivered.jsonl")
    for number in TIMES:
        yield from tried(number, partial(rows.append, [_row(number)]))
        yield from tried(10 + number, partial(delivered.add, _mark(number)))
        for found in ledger_reader.rows(path, ledger_reader.Spot()):
            Settled(path).note(found.behind, 0)


def summaries_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """A summary is for speed alone: with it is found what is found without it."""
    path = folder / "ledger.jsonl"
    spot = Settled(path).read(0)
    behind = [found.row.turn for found in ledger_reader.rows(path, spot)]
    if behind != [found.row.turn for found in ledger_reader.rows(path, ledger_reader.Spot())][spot.number :]:
        yield f"behind the settled spot {spot.number} it reads {behind}"
    yield from ledger_is(folder, [number for number in acknowledged if number < 10])  # noqa: PLR2004
    yield from marks_are(folder, [number - 10 for number in acknowledged if number > 10])  # noqa: PLR2004


def erasures(folder: Path) -> Iterator[int]:
    """Orders to forget, and that they were carried out."""
    journal = Forgotten.open(folder / "forgotten.jsonl")
    for number in TIMES:
        order = EraseOrder(id=f"e{number}", at="", session="k3f", log="l", turns=(number,))
        yield from tried(number, partial(journal.append, [order]))
        yield from tried(10 + number, partial(journal.append, [CarriedOut(f"e{number}")]))


def erasures_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every order once, and those that are done are known to be."""
    path = folder / "forgotten.jsonl"
    journal = Forgotten.open(path)
    journal.close()
    there = [int(order.id[1:]) for order in forgotten.orders(path)]
    yield from missing([number for number in acknowledged if number < 10], there)  # noqa: PLR2004
    open_still = {int(order.id[1:]) for order in journal.unfinished}
    again = [number - 10 for number in acknowledged if number > 10 and number - 10 in open_still]  # noqa: PLR2004
    if again:
        yield f"carried out and open again: {again}"


def audit(folder: Path) -> Iterator[int]:
    """Records of the audit."""
    log = AuditLog.open(folder / "audit.jsonl")
    for number in TIMES:
        yield from tried(number, partial(log.record, {"kind": "test", "turn": number}))


def audit_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every record once, and the chain holds over what is added."""
    path = folder / "audit.jsonl"
    log = AuditLog.open(path)
    log.record({"kind": "test", "turn": 99})
    log.close()
    found = audit_reader.verify(path)
    if isinstance(found, Broken):
        yield f"its chain is broken: {found}"
    lines = path.read_bytes().splitlines()
    yield from missing([*acknowledged, 99], [json.loads(line)["turn"] for line in lines])


def _asked(number: int) -> Approval:
    return Approval(
        code=f"k{number}",
        session="k3f",
        turn=number,
        call=f"t{number}c1",
        tool="shell",
        args_sha256="a",
        grant="house",
        grant_sha256="b",
        bound="c",
        label=NEW_SESSION,
        why="the grant house asks each time",
        shown="shell",
        whole="shell",
        hidden=0,
        expires_s=600.0,
    )


def approvals(folder: Path) -> Iterator[int]:
    """Approvals that are asked for (1 to 4) and denied (11 to 14), in a journal that is begun anew."""
    journal = ApprovalJournal(folder / "approvals.jsonl", "two")
    found = journal.open()
    yield from tried(0, partial(journal.begin_anew, found.approvals))
    for number in TIMES:
        waits = yield from tried(number, partial(journal.write, Opened(approval=_asked(number))))
        if waits:
            ended = Ended(code=f"k{number}", how=How.DENIED, by="chat")
            yield from tried(10 + number, partial(journal.write, ended))


def approvals_of_before(folder: Path) -> None:
    """What another process had asked."""
    journal = ApprovalJournal(folder / "approvals.jsonl", "one")
    journal.open()
    journal.write(Opened(approval=_asked(99)))
    journal.close()


def approvals_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every one is known to be over: answered, or closed by the end of its process."""
    journal = ApprovalJournal(folder / "approvals.jsonl", "three")
    found = journal.open()
    journal.close()
    over = found.approvals.over
    there = [int(code[1:]) for code in over]
    wanted = [number for number in acknowledged if 0 < number < 10]  # noqa: PLR2004
    yield from missing(wanted, there)
    denied = {int(code[1:]) for code, each in over.items() if each.ended.how is How.DENIED}
    yield from missing([number - 10 for number in acknowledged if number > 10], list(denied))  # noqa: PLR2004
