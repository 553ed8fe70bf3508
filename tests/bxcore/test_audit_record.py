from __future__ import annotations

import json

from bxcore.audit_record import fields
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.audit import ApprovalEnded, ApprovalOpened, GrantsLoaded, Outcome


def test_an_outcome_names_both_labels_in_words() -> None:
    outcome = Outcome(
        session="home",
        call="t1c1",
        outcome="failed",
        label_before=NEW_SESSION,
        label_after=Label(Level.SECRET, untrusted=True),
        duration_ms=31,
    )
    assert list(fields(outcome).items()) == [
        ("kind", "outcome"),
        ("session", "home"),
        ("call", "t1c1"),
        ("outcome", "failed"),
        ("label_before", {"class": "private", "untrusted": False}),
        ("label_after", {"class": "secret", "untrusted": True}),
        ("duration_ms", 31),
    ]


def test_the_two_records_of_an_approval_carry_the_same_code() -> None:
    opened = ApprovalOpened(
        session="home",
        turn=1,
        call="t1c1",
        tool="shell",
        arguments_sha256="ab",
        arguments=None,
        grant="run-tests",
        grant_sha256="cd",
        label=NEW_SESSION,
        code="k7",
        why="the grant asks",
    )
    ended = ApprovalEnded(session="home", call="t1c1", code="k7", how="denied", by=None)
    assert (fields(opened)["kind"], fields(opened)["code"]) == ("approval_opened", "k7")
    assert fields(ended) == {
        "kind": "approval_ended",
        "session": "home",
        "call": "t1c1",
        "code": "k7",
        "how": "denied",
        "by": None,
    }


def test_the_grants_in_force_are_pairs_of_id_and_sha256() -> None:
    loaded = GrantsLoaded(grants=(("notes", "ab"), ("web", "cd")), why="the box started")
    assert json.loads(json.dumps(fields(loaded))) == {
        "kind": "grants_loaded",
        "grants": [["notes", "ab"], ["web", "cd"]],
        "why": "the box started",
    }
