"""The audit and doctor over the control socket, from a log that the real writer wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.base import Runtime
from actors.connection_audit import audit_check
from bxcore.control import requests as r
from bxcore.doctor import Check, Verdict
from bxio.audit_log import AuditLog
from tests.doubles.control_box import MakeBox, control_boxes
from tests.doubles.control_client import ask, no

LABEL = {"class": "private", "untrusted": False}
INTENT = {
    "time": "2026-11-02T10:00:00.000+00:00",
    "kind": "intent",
    "session": "main",
    "turn": 1,
    "tool": "shell",
    "arguments_sha256": "ab",
    "arguments": '{"command":"ls"}',
    "decision": "allowed",
    "grant": "shell-look",
    "grant_sha256": "cd",
    "label": LABEL,
}


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def write(path: Path, calls: int) -> None:
    """A log of this many calls, each an intent and its outcome; the last one has none."""
    log = AuditLog.open(path)
    for number in range(calls):
        log.record({**INTENT, "call": f"c{number}"})
        if number < calls - 1:
            log.record(outcome(f"c{number}"))
    log.close()


def outcome(call: str) -> dict[str, Any]:
    return {
        "time": "2026-11-02T10:00:01.000+00:00",
        "kind": "outcome",
        "session": "main",
        "call": call,
        "outcome": "ok",
        "label_before": LABEL,
        "label_after": LABEL,
        "duration_ms": 31,
    }


def test_the_last_calls_come_oldest_first(make: MakeBox) -> None:
    box = make()
    write(box.home / "audit.jsonl", 5)
    status, answer = ask(box, r.AuditTailRequest(limit=2))
    assert status == 200
    assert [call["call"] for call in answer["calls"]] == ["c3", "c4"]
    assert [call["outcome"] for call in answer["calls"]] == ["ok", "running"]
    assert answer["calls"][0]["duration_ms"] == 31
    assert "main/c3  shell  allowed by shell-look" in answer["calls"][0]["line"]
    assert len(ask(box, r.AuditTailRequest(limit=0))[1]["calls"]) == 1


def test_one_call_is_shown_by_any_of_its_records(make: MakeBox) -> None:
    box = make()
    write(box.home / "audit.jsonl", 3)
    for number in (3, 4):
        record = ask(box, r.AuditShowRequest(number=number))[1]
        assert (record["call"], record["numbers"], record["arguments"]) == ("c1", [3, 4], '{"command":"ls"}')
        assert "outcome: ok" in record["text"].splitlines()
    assert no(box, r.AuditShowRequest(number=99)) == (
        404,
        "no_such_thing",
        "record 99 belongs to no call; list them with bxctl audit tail",
    )


def test_the_chain_is_walked_and_its_first_broken_line_named(make: MakeBox) -> None:
    box = make()
    path = box.home / "audit.jsonl"
    assert ask(box, r.AuditVerifyRequest())[1] == {
        "ok": True,
        "records": 0,
        "line": None,
        "sentence": "0 records, the chain holds",
    }
    write(path, 3)
    assert ask(box, r.AuditVerifyRequest())[1]["records"] == 5
    path.write_bytes(path.read_bytes().replace(b'"call":"c0"', b'"call":"c9"', 1))
    broken = ask(box, r.AuditVerifyRequest())[1]
    assert (broken["ok"], broken["records"], broken["line"]) == (False, 1, 2)
    assert broken["sentence"] == "line 2 does not carry the sha256 of line 1"


def test_a_log_that_cannot_be_read_is_a_sentence(make: MakeBox) -> None:
    box = make()
    (box.home / "audit.jsonl").mkdir()
    status, error, sentence = no(box, r.AuditTailRequest())
    assert (status, error) == (500, "failed")
    assert sentence.endswith("audit.jsonl cannot be read: is a directory")


def test_doctor_hears_what_the_box_knows(make: MakeBox) -> None:
    checks = (Check(name="model", verdict=Verdict.BAD, sentence="no answer", help="bxctl restart model"),)
    box = make(checks=checks)
    answer = ask(box, r.DoctorRequest())[1]
    assert answer["checks"] == [
        {"name": "model", "verdict": "bad", "sentence": "no answer", "help": "bxctl restart model"},
        {
            "name": "honcho",
            "verdict": "warn",
            "sentence": "nobody could say how many turns wait for it",
            "help": "bxctl inspect outbox",
        },
        {"name": "audit", "verdict": "ok", "sentence": "0 records, the chain holds", "help": None},
    ]


def test_doctor_names_a_broken_chain(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, 2)
    assert audit_check(path).verdict is Verdict.OK
    path.write_bytes(b"x" + path.read_bytes())
    check = audit_check(path)
    assert (check.verdict, check.sentence) == (Verdict.BAD, "line 1 is no audit record")
    assert audit_check(tmp_path).verdict is Verdict.BAD
