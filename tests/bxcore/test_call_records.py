"""The audit's records of a call: what is in them, and what never is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bxcore import call_records, policy
from bxcore.approvals import Ended, How, Over
from bxcore.grants import Grant, Mode
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ToolRequest
from bxcore.policy import Ruling, Verdict
from tests.bxcore.test_approvals import K7

TOKEN = "ghp_" + "a1B2" * 9
SECRET = Label(Level.SECRET, untrusted=False)
HOUSE = Grant(id="house", tool="shell", mode=Mode.ASK, text="house")
REQUEST = ToolRequest(session="k3f", turn=2, call="t2c1", tool="shell", arguments=' {"command":"ls"}')
ALLOWED = Verdict(
    outcome=Ruling.ALLOW, reasons=("mode",), steps=(), canonical='{"command":"ls"}', grant=HOUSE
)
REFUSED = replace(ALLOWED, outcome=Ruling.REFUSE, reasons=("tool", "class"), sentence="no")


def test_a_call_that_runs_has_its_arguments_and_its_grant() -> None:
    record = call_records.intent(REQUEST, ALLOWED, NEW_SESSION)
    assert (record.decision, record.arguments) == ("allowed", '{"command":"ls"}')
    assert (record.grant, record.grant_sha256) == ("house", HOUSE.sha256)
    assert record.arguments_sha256 == policy.sha256('{"command":"ls"}')
    assert (record.session, record.turn, record.call, record.tool) == ("k3f", 2, "t2c1", "shell")
    assert (record.approval, record.approver, record.label) == (None, None, NEW_SESSION)


def test_an_approved_call_is_allowed_by_the_code_and_its_approver() -> None:
    over = Over(approval=K7, ended=Ended(code="k7", how=How.APPROVED, by="bxctl"))
    asks = replace(ALLOWED, outcome=Ruling.ASK, why="the grant house asks each time")
    record = call_records.intent(REQUEST, asks, NEW_SESSION, approval=over)
    assert (record.decision, record.approval, record.approver) == ("allowed", "k7", "bxctl")
    assert not record.for_session
    wide = replace(over, ended=Ended(code="k7", how=How.SESSION, by="bxctl"))
    assert call_records.intent(REQUEST, asks, NEW_SESSION, approval=wide).for_session


@pytest.mark.parametrize(
    ("verdict", "refused", "decision"),
    [
        (REFUSED, None, "refused: class"),
        (ALLOWED, "not on disk", "refused: not on disk"),
        (replace(ALLOWED, outcome=Ruling.ASK, why="x"), "approval denied", "refused: approval denied"),
    ],
)
def test_a_call_that_does_not_run_has_neither(verdict: Verdict, refused: str | None, decision: str) -> None:
    record = call_records.intent(REQUEST, verdict, NEW_SESSION, refused=refused)
    assert record.decision == decision
    assert (record.arguments, record.grant, record.grant_sha256) == (None, None, None)


def test_the_arguments_of_a_secret_session_and_every_secret_stay_out() -> None:
    assert call_records.intent(REQUEST, ALLOWED, SECRET).arguments is None
    told = replace(ALLOWED, canonical=f'{{"command":"curl {TOKEN}"}}')
    assert call_records.intent(REQUEST, told, NEW_SESSION).arguments == '{"command":"curl [secret-github]"}'
    assert call_records.opened(replace(K7, label=SECRET), told).arguments is None
    assert call_records.opened(K7, told).arguments == '{"command":"curl [secret-github]"}'


def test_what_could_not_be_read_is_told_by_the_hash_of_what_was_written() -> None:
    unread = replace(REFUSED, canonical=None)
    assert call_records.arguments_sha256(REQUEST, unread) == policy.sha256(REQUEST.arguments)


def test_a_name_of_the_models_own_making_is_one_short_line_without_a_secret() -> None:
    assert call_records.short("shell\n\x1b[31m" + "x" * 100) == ("shell  [31m" + "x" * 100)[:64]
    assert TOKEN not in call_records.short(f"a {TOKEN}")


def test_an_opened_and_an_ended_approval_name_the_same_code() -> None:
    opened = call_records.opened(K7, ALLOWED)
    assert (opened.code, opened.grant, opened.grant_sha256, opened.why) == ("k7", "house", "b" * 64, K7.why)
    assert (opened.arguments_sha256, opened.label, opened.call) == ("a" * 64, NEW_SESSION, "t2c1")
    ended = call_records.ended(K7, Ended(code="k7", how=How.DENIED, by="bxctl"))
    assert (ended.session, ended.call, ended.code, ended.how, ended.by) == (
        "k3f",
        "t2c1",
        "k7",
        "denied",
        "bxctl",
    )
    closed = call_records.ended(K7, Ended(code="k7", how=How.EXPIRED, box_ended=True))
    assert (closed.how, closed.by) == ("expired", "the end of the box")
