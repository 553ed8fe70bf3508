from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from actors.audit import Audit
from actors.base import Mailbox, Refusal
from bxcore.audit_chain import Head
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.audit import Intent, Outcome
from bxio import audit_reader
from tests.kit.kit import Kit

TIME = "2026-11-02T10:00:00+00:00"
INTENT = Intent(
    session="k3f",
    turn=4,
    call="c1",
    tool="recall",
    arguments_sha256="ab" * 32,
    arguments='{"query":"key","k":5}',
    decision="allowed",
    grant="builtin-recall",
    grant_sha256="cd" * 32,
    label=NEW_SESSION,
)
OUTCOME = Outcome(
    session="k3f",
    call="c1",
    outcome="ok",
    label_before=NEW_SESSION,
    label_after=Label(Level.PRIVATE, untrusted=True),
    duration_ms=12,
)


def started(
    kit: Kit, path: Path, heard: list[str | None] | None = None, broken: list[str] | None = None
) -> Mailbox:
    told: list[str | None] = [] if heard is None else heard
    lost: list[str] = [] if broken is None else broken
    return kit.start(
        "audit",
        lambda context: Audit(
            context, path=path, now=lambda: TIME, tell=told.append, tell_broken=lost.append
        ),
    )


def test_an_intent_and_its_outcome_are_on_disk_when_they_are_answered(kit: Kit, tmp_path: Path) -> None:
    box = started(kit, tmp_path / "audit.jsonl")
    assert box.call(INTENT, 1.0) == 1
    assert box.call(OUTCOME, 1.0) == 2
    intent, outcome = map(json.loads, (tmp_path / "audit.jsonl").read_text().splitlines())
    assert intent == {
        "n": 1,
        "before": "0" * 64,
        "time": TIME,
        "kind": "intent",
        "session": "k3f",
        "turn": 4,
        "call": "c1",
        "tool": "recall",
        "arguments_sha256": "ab" * 32,
        "arguments": '{"query":"key","k":5}',
        "decision": "allowed",
        "grant": "builtin-recall",
        "grant_sha256": "cd" * 32,
        "label": {"class": "private", "untrusted": False},
        "approval": None,
        "approver": None,
        "for_session": False,
    }
    assert outcome["label_after"] == {"class": "private", "untrusted": True}
    assert (outcome["kind"], outcome["outcome"], outcome["duration_ms"]) == ("outcome", "ok", 12)


def test_the_chain_goes_on_over_a_restart(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    box = started(kit, path)
    box.call(INTENT, 1.0)
    kit.runtime.stop("audit")
    box = started(kit, path)
    assert box.call(INTENT, 1.0) == 2
    found = audit_reader.verify(path)
    assert isinstance(found, Head)
    assert found.number == 2


def test_a_log_that_cannot_be_opened_is_a_refusal_until_it_can(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    path.mkdir()
    heard: list[str | None] = []
    box = started(kit, path, heard)
    with pytest.raises(Refusal, match=r"audit.jsonl cannot be opened"):
        box.call(INTENT, 1.0)
    assert heard == [f"{path} cannot be opened: Is a directory"] * 2
    path.rmdir()
    assert box.call(INTENT, 1.0) == 1
    assert heard[2:] == [None]


def test_a_chain_that_was_changed_is_told_at_the_start_and_goes_on(
    kit: Kit, tmp_path: Path, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.jsonl"
    box, told = started(kit, path), list[str]()
    for number in (1, 2, 3):
        assert box.call(INTENT, 1.0) == number
    kit.runtime.stop("audit")
    path.write_bytes(path.read_bytes().replace(b'"allowed"', b'"refused"', 1))
    box = started(kit, path, broken=told)
    assert box.call(INTENT, 1.0) == 4
    assert len(told) == 1
    assert told[0].startswith("line 2 ")
    assert any("the chain is broken, somebody changed the file: line 2 " in line for line in logged)
    kit.runtime.stop("audit")
    monkeypatch.setattr(audit_reader, "SMALL_BYTES", path.stat().st_size)
    started(kit, path, broken=told)
    assert len(told) == 1, "a large file is left to doctor and verify"


_FULL_DISK = """
import json, resource, signal, sys
from pathlib import Path
from actors.audit import Audit
from actors.base import Refusal, Runtime
from tests.actors.test_audit import INTENT

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
runtime = Runtime()
box = runtime.start("audit", lambda context: Audit(context, path=Path(sys.argv[1]), now=lambda: "now"))
answers = []
for _ in range(8):
    try:
        answers.append(box.call(INTENT, 5.0))
    except Refusal as refusal:
        answers.append("refused" if "cannot be written" in refusal.sentence else refusal.sentence)
runtime.stop("audit")
print(json.dumps(answers))
"""


def test_a_full_disk_is_a_refusal_and_the_log_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(path)], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    written = answers.index("refused")
    assert written > 1
    assert answers == [*range(1, written + 1), *["refused"] * (8 - written)]
    found = audit_reader.verify(path)
    assert isinstance(found, Head)
    assert found.number == written
