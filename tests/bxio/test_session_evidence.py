"""The ledger knows turns that a log has lost, and the audit the label that the session had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.audit_record import fields
from bxcore.decide import Skip
from bxcore.erasing import EraseOrder
from bxcore.labels import NEUTRAL, TOP, Label, Level
from bxcore.session_loss import Loss
from bxcore.turn_decisions import Decided
from bxio.audit_log import AuditLog
from bxio.forgotten import Forgotten
from bxio.session_evidence import SessionEvidence
from bxio.turn_ledger import TurnLedger
from tests.doubles.audit_process import outcome

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)


def test_a_log_without_a_name_may_be_another_one_than_the_ledgers(evidence: SessionEvidence) -> None:
    assert evidence.ledger is not None
    ledger = TurnLedger.open(evidence.ledger)
    ledger.append([row("k3f", 9, "")])
    ledger.close()
    assert evidence.loss("k3f", "", 1) is None


def row(session: str, turn: int, log: str) -> Decided:
    return Decided(session=session, turn=turn, size=1, action=Skip("x"), log=log)


@pytest.fixture
def evidence(tmp_path: Path) -> SessionEvidence:
    """A ledger with five turns of a log, three of one before it, and two of another session."""
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([row("k3f", turn, "old") for turn in range(1, 4)])
    ledger.append([row("k3f", turn, "l") for turn in range(1, 6)])
    ledger.append([row("k3", turn, "l") for turn in range(1, 3)])
    ledger.close()
    return SessionEvidence(tmp_path / "ledger.jsonl", tmp_path / "audit.jsonl")


@pytest.mark.parametrize(
    ("session", "log", "has", "lost"),
    [
        ("k3f", "l", 3, 2),
        ("k3f", "l", 0, 5),
        ("k3f", "l", 5, 0),
        ("k3f", "l", 6, 0),
        ("k3f", "old", 1, 2),
        ("k3f", "new", 1, 0),
        ("k3f", "", 1, 0),
        ("k3", "l", 1, 1),
        ("none", "l", 0, 0),
    ],
)
def test_turns_are_lost_that_the_ledger_has_of_the_same_log(
    evidence: SessionEvidence, session: str, log: str, has: int, lost: int
) -> None:
    assert evidence.loss(session, log, has) == (Loss(turns=lost, label=TOP) if lost else None)


def test_without_a_ledger_nothing_is_known(tmp_path: Path) -> None:
    assert SessionEvidence().loss("k3f", "l", 0) is None
    assert SessionEvidence(tmp_path / "none").loss("k3f", "l", 0) is None
    (tmp_path / "empty").touch()
    assert SessionEvidence(tmp_path / "empty").loss("k3f", "l", 0) is None


def test_a_session_that_is_begun_anew_has_lost_what_the_ledger_has_of_its_name(
    evidence: SessionEvidence, tmp_path: Path
) -> None:
    assert evidence.gone("k3f") == Loss(turns=5, label=TOP)
    assert evidence.gone("new") is None
    assert SessionEvidence().gone("k3f") is None
    told = SessionEvidence(evidence.ledger, evidence.audit, tmp_path / "forgotten.jsonl")
    journal = Forgotten.open(tmp_path / "forgotten.jsonl")
    journal.append([EraseOrder(id="1", at="now", session="k3f", log="old", turns=None)])
    journal.append([EraseOrder(id="2", at="now", session="k3f", log="l", turns=(1, 2))])
    assert told.gone("k3f") == Loss(turns=5, label=TOP), "another log of that name, and some turns"
    journal.append([EraseOrder(id="3", at="now", session="k3f", log="l", turns=None)])
    assert told.gone("k3f") is None
    journal.close()


def test_a_row_that_is_half_written_or_damaged_is_passed_over(evidence: SessionEvidence) -> None:
    assert evidence.ledger is not None
    ledger = TurnLedger.open(evidence.ledger)
    ledger.append([row("k3f", 6, "l")])
    ledger.close()
    whole = evidence.ledger.read_bytes()
    for spoilt in (whole[:-9], whole.replace(b'"turn":6', b'"turn":9')):
        evidence.ledger.write_bytes(spoilt)
        found = evidence.loss("k3f", "l", 3)
        assert found is not None
        assert found.turns == 2


def test_the_label_of_lost_turns_is_the_highest_that_the_audit_has_of_the_session(
    evidence: SessionEvidence,
) -> None:
    assert evidence.audit is not None
    log = AuditLog.open(evidence.audit)
    log.record({"session": "k3", "in": {"session": "k3f"}, "label": {"class": "secret", "untrusted": True}})
    for number, (session, label) in enumerate([("k3f", UNTRUSTED), ("k3f", NEUTRAL), ("k3", TOP)]):
        made = replace(outcome(f"c{number}"), session=session, label_before=label, label_after=label)
        log.record({"time": "now", **fields(made)})
    log.close()
    found = evidence.loss("k3f", "l", 4)
    assert found is not None
    assert found.label == UNTRUSTED


def test_a_label_that_nobody_can_tell_is_the_top(evidence: SessionEvidence) -> None:
    assert evidence.audit is not None
    for spoil in (Path.mkdir, Path.rmdir):
        spoil(evidence.audit)
        found = evidence.loss("k3f", "l", 4)
        assert found is not None
        assert found.label == TOP


@pytest.mark.parametrize("spoil", [(b"class", b"klass"), (b'"untrusted":', b'"untrusted";')])
def test_a_label_that_is_damaged_in_the_audit_is_the_top(
    evidence: SessionEvidence, spoil: tuple[bytes, bytes]
) -> None:
    assert evidence.audit is not None
    log = AuditLog.open(evidence.audit)
    log.record({"time": "now", **fields(replace(outcome("c1"), session="k3f"))})
    log.close()
    found = evidence.loss("k3f", "l", 4)
    assert found is not None
    assert found.label != TOP
    evidence.audit.write_bytes(evidence.audit.read_bytes().replace(*spoil))
    found = evidence.loss("k3f", "l", 4)
    assert found is not None
    assert found.label.level is Level.SECRET
