"""What is on disk when the audit answers, seen with a sync that is held back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from actors.audit import Audit
from actors.base import Answer, Late, Mailbox, Refusal, Reply, Runtime
from bxcore.labels import NEW_SESSION
from bxcore.messages.audit import ApprovalEnded, ApprovalOpened, AuditMessage, GrantsLoaded, Settled
from bxio import audit_reader
from tests.doubles.audit_process import intent, outcome

WAIT_S = 10.0
ON_DISK: dict[str, AuditMessage] = {
    "intent": intent("t1c1"),
    "approval_opened": ApprovalOpened(
        session="home",
        turn=1,
        call="t1c1",
        tool="shell",
        arguments_sha256="ab" * 32,
        arguments="{}",
        grant="run-tests",
        grant_sha256="cd" * 32,
        label=NEW_SESSION,
        code="k7",
        why="the grant asks",
    ),
    "approval_ended": ApprovalEnded(session="home", call="t1c1", code="k7", how="approved", by="bxctl"),
    "grants_loaded": GrantsLoaded(grants=(("run-tests", "cd" * 32),), why="start"),
}


class Disk:
    """A disk whose syncs wait for the test, and fail when it wants so."""

    def __init__(self) -> None:
        self.reached, self.go, self.fails = Event(), Event(), False
        self._real = os.fdatasync

    def fdatasync(self, descriptor: int) -> None:
        self.reached.set()
        assert self.go.wait(timeout=WAIT_S)
        if self.fails:
            raise OSError(5, "Input/output error")
        self._real(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    made = Disk()
    monkeypatch.setattr(os, "fdatasync", made.fdatasync)
    yield made
    made.go.set()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def box(runtime: Runtime, path: Path) -> Mailbox:
    return runtime.start("audit", lambda context: Audit(context, path=path, now=lambda: "now"))


def asked(runtime: Runtime, box: Mailbox, message: AuditMessage) -> Reply:
    return box.ask(message, runtime.world.monotonic() + WAIT_S)


@pytest.mark.parametrize("kind", sorted(ON_DISK))
def test_a_record_that_must_come_before_its_effect_is_answered_after_its_sync(
    runtime: Runtime, box: Mailbox, disk: Disk, path: Path, kind: str
) -> None:
    reply = asked(runtime, box, ON_DISK[kind])
    assert disk.reached.wait(timeout=WAIT_S)
    assert f'"kind":"{kind}"' in path.read_text()
    assert reply.peek() == Late()
    disk.go.set()
    assert reply.get(WAIT_S) == 1


def test_an_outcome_is_answered_when_it_is_written_and_settled_when_it_is_synced(
    runtime: Runtime, box: Mailbox, disk: Disk, path: Path
) -> None:
    assert asked(runtime, box, outcome("t1c1")).get(WAIT_S) == 1
    assert '"kind":"outcome"' in path.read_text()
    settled = asked(runtime, box, Settled(number=1))
    assert disk.reached.wait(timeout=WAIT_S)
    assert settled.peek() == Late()
    disk.go.set()
    assert settled.get(WAIT_S) == 1


def test_an_outcome_whose_sync_failed_is_never_settled_and_nothing_is_recorded_any_more(
    runtime: Runtime, box: Mailbox, disk: Disk, path: Path
) -> None:
    disk.go.set()
    assert box.call(outcome("t1c1"), WAIT_S) == 1
    disk.go.clear()
    disk.fails = True
    assert box.call(outcome("t1c2"), WAIT_S) == 2
    disk.go.set()
    for message in (Settled(number=2), Settled(number=1), outcome("t1c3"), *ON_DISK.values()):
        with pytest.raises(Refusal, match="could not be synced to the disk; look at the disk"):
            box.call(message, WAIT_S)
    assert len(path.read_bytes().splitlines()) == 2
    runtime.stop("audit")
    again = runtime.start("audit", lambda context: Audit(context, path=path, now=lambda: "now"))
    with pytest.raises(Refusal, match="could not be synced"):
        again.call(intent("t1c4"), WAIT_S)


def test_what_was_settled_in_an_earlier_life_is_settled(
    runtime: Runtime, box: Mailbox, disk: Disk, path: Path
) -> None:
    disk.go.set()
    box.call(outcome("t1c1"), WAIT_S)
    runtime.stop("audit")
    again = runtime.start("audit", lambda context: Audit(context, path=path, now=lambda: "now"))
    assert again.call(Settled(number=1), WAIT_S) == 1


@pytest.mark.parametrize("number", [0, 2])
def test_a_record_that_was_never_written_is_not_settled(box: Mailbox, number: int) -> None:
    box.call(outcome("t1c1"), WAIT_S)
    with pytest.raises(Refusal, match=f"no record {number} on disk; its last one is 1"):
        box.call(Settled(number=number), WAIT_S)


def test_an_outcome_that_cannot_be_written_is_refused_at_once(
    box: Mailbox, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.call(intent("t1c1"), WAIT_S)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda _fd, _data: 3)
        with pytest.raises(Refusal, match="the disk took 3 of"):
            box.call(outcome("t1c1"), WAIT_S)
    assert box.call(outcome("t1c1"), WAIT_S) == 2
    [view] = audit_reader.tail(path, 5)
    assert (view.outcome, view.numbers) == ("ok", (1, 2))


def test_an_outcome_that_nobody_waits_for_is_recorded_too(runtime: Runtime, box: Mailbox) -> None:
    box.tell(outcome("t1c1"))
    assert asked(runtime, box, Settled(number=1)).outcome(runtime.world.monotonic() + WAIT_S) == Answer(1)
