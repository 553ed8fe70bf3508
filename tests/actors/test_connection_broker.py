"""Approvals and grants over the control socket: what the broker is asked, and its answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from actors.base import Runtime
from actors.connection import Limits
from bxcore.control import Request
from bxcore.control import requests as r
from bxcore.labels import Label, Level
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalClosed,
    ExplainCall,
    GrantsView,
    ListApprovals,
    ListGrants,
    ReloadGrants,
)
from bxcore.messages.loop import Say
from tests.doubles.control_box import APPROVAL, HELD, MakeBox, answered, control_boxes, turn
from tests.doubles.control_client import ask, chat, no


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (r.ApprovalsRequest(), ListApprovals()),
        (
            r.AnswerApprovalRequest(code=" K7 ", approve=True, for_session=True, by="bxctl"),
            AnswerApproval(code="k7", approve=True, for_session=True, by="bxctl"),
        ),
        (
            r.AnswerApprovalRequest(code="k7", approve=False),
            AnswerApproval(code="k7", approve=False, by="the control socket"),
        ),
        (r.GrantsRequest(), ListGrants()),
        (r.ReloadGrantsRequest(), ReloadGrants()),
        (
            r.ExplainRequest(tool="shell", arguments="{}"),
            ExplainCall(tool="shell", arguments="{}", label=Label(Level.PRIVATE, untrusted=False)),
        ),
        (
            r.ExplainRequest(tool="x", arguments="[", session_class="secret", untrusted=True, said="ls"),
            ExplainCall(tool="x", arguments="[", label=Label(Level.SECRET, untrusted=True), said="ls"),
        ),
    ],
)
def test_a_request_is_asked_of_the_broker(make: MakeBox, request_: Request, message: object) -> None:
    box = make()
    assert ask(box, request_)[0] == 200
    assert box.seen == [message]


def test_a_pending_approval_is_shown_whole(make: MakeBox) -> None:
    assert ask(make(), r.ApprovalsRequest())[1] == {
        "approvals": [
            {
                "code": "k7",
                "session": "main",
                "turn": 1,
                "call": "c1",
                "tool": "shell",
                "shown": 'shell {"command":"ls /srv"}',
                "whole": 'shell {"command":"ls /srv"}',
                "hidden": 0,
                "label": {"class": "private", "untrusted": False},
                "grant": "shell-look",
                "why": "the grant shell-look asks each time",
                "left_s": 600.0,
            }
        ]
    }


def test_a_grants_listing_has_its_problems(make: MakeBox) -> None:
    view = GrantsView(grants=(), problems=("grants/x.toml:3: no such key",))
    box = make(script=lambda _: view)
    for request in (r.GrantsRequest(), r.ReloadGrantsRequest()):
        assert ask(box, request)[1] == {"grants": [], "problems": ["grants/x.toml:3: no such key"]}


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (r.AnswerApprovalRequest(code="", approve=True), "an approval's code is"),
        (r.AnswerApprovalRequest(code="k7/..", approve=True), "an approval's code is"),
        (r.AnswerApprovalRequest(code="k" * 17, approve=True), "an approval's code is"),
        (r.AnswerApprovalRequest(code="é7", approve=True), "an approval's code is"),
        (r.AnswerApprovalRequest(code="k7", approve=True, by=" "), "by names the surface"),
        (r.AnswerApprovalRequest(code="k7", approve=True, by="a\nb"), "by names the surface"),
        (r.AnswerApprovalRequest(code="k7", approve=True, by="b" * 65), "by names the surface"),
        (r.AnswerApprovalRequest(code="k7", approve=False, for_session=True), "a denial is for one call"),
    ],
)
def test_a_word_that_cannot_be_one_is_refused(make: MakeBox, request_: Request, sentence: str) -> None:
    box = make()
    status, error, said = no(box, request_)
    assert (status, error) == (400, "bad_request")
    assert said.startswith(sentence)
    assert box.seen == []


def test_a_code_that_nobody_knows_is_no_such_thing(make: MakeBox) -> None:
    assert no(make(), r.AnswerApprovalRequest(code="m4", approve=True)) == (
        404,
        "no_such_thing",
        "no call waits for an approval",
    )


def test_a_word_that_came_too_late_is_an_answer(make: MakeBox) -> None:
    late = ApprovalAnswered(taken=False, known=True, sentence="k7 was denied by the chat before")
    box = make(script=lambda _: late)
    assert ask(box, r.AnswerApprovalRequest(code="k7", approve=True)) == (
        200,
        {"taken": False, "sentence": "k7 was denied by the chat before"},
    )


def test_a_broker_that_does_not_answer_is_timed_out(make: MakeBox) -> None:
    box = make(script=lambda _: HELD, limits=Limits(call_s=0.05))
    assert no(box, r.ApprovalsRequest())[:2] == (504, "timed_out")
    box.held.pop().abandon()


def test_an_approval_s_news_is_in_the_turn_s_stream(make: MakeBox) -> None:
    def script(message: Any) -> object:
        if not isinstance(message, Say):
            return answered(message)
        assert message.listener is not None
        message.listener.tell(ApprovalAsked(session="main", approval=APPROVAL))
        message.listener.tell(
            ApprovalClosed(session="main", code="k7", approved=True, sentence="k7 was approved by bxctl")
        )
        return turn(message)

    box = make(script=script)
    asked, closed, result = chat(box, r.ChatRequest(text="hi", answers=True))
    assert (asked["kind"], asked["approval"]["code"]) == ("approval_asked", "k7")
    assert closed == {
        "kind": "approval_closed",
        "closed": {"code": "k7", "approved": True, "sentence": "k7 was approved by bxctl"},
    }
    assert result["kind"] == "result"
    (say,) = box.seen
    assert (say.answers, say.owner) == (True, True)
    json.dumps(asked)


def test_only_a_client_that_says_so_can_put_an_approval_to_a_person(make: MakeBox) -> None:
    box = make()
    chat(box, r.ChatRequest(text="hi"))
    chat(box, r.ChatRequest(text="hi", answers=True))
    says = [message for message in box.seen if isinstance(message, Say)]
    assert [(say.answers, say.owner) for say in says] == [(False, True), (True, True)]


def test_a_turn_may_wait_longer_than_the_longest_approval_and_call_together() -> None:
    assert Limits().turn_s > 3600 + 3600
