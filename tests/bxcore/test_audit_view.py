from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import audit_view
from bxcore.audit_view import ApprovalPart, CallView
from bxcore.labels import TOP, Label, Level

PRIVATE = {"class": "private", "untrusted": False}
UNTRUSTED = {"class": "private", "untrusted": True}


def intent(n: int, call: str = "t1c1", **more: Any) -> dict[str, Any]:
    """A record as the first form of the audit wrote it; ``more`` are the later one's fields."""
    return {
        "n": n,
        "before": "00",
        "time": f"2026-11-02T10:00:{n:02}+00:00",
        "kind": "intent",
        "session": "home",
        "turn": 1,
        "call": call,
        "tool": "shell",
        "arguments_sha256": "ab",
        "arguments": '{"command":"ls"}',
        "decision": "allowed",
        "grant": "run-tests",
        "grant_sha256": "cd",
        "label": PRIVATE,
        **more,
    }


def outcome(n: int, call: str = "t1c1", **more: Any) -> dict[str, Any]:
    return {
        "n": n,
        "kind": "outcome",
        "session": "home",
        "call": call,
        "outcome": "ok",
        "label_before": PRIVATE,
        "label_after": UNTRUSTED,
        "duration_ms": 31,
        **more,
    }


def opened(n: int, call: str = "t1c1", code: str = "k7") -> dict[str, Any]:
    kept = {key: value for key, value in intent(n, call).items() if key != "decision"}
    return {**kept, "kind": "approval_opened", "code": code, "why": "the grant asks"}


def ended(n: int, how: str, by: str | None, call: str = "t1c1", code: str = "k7") -> dict[str, Any]:
    time = f"2026-11-02T10:00:{n:02}+00:00"
    record = {"n": n, "time": time, "kind": "approval_ended", "session": "home", "call": call}
    return {**record, "code": code, "how": how, "by": by}


def only(*records: dict[str, Any]) -> CallView:
    [view] = audit_view.calls(records)
    return view


def test_an_intent_and_its_outcome_are_one_call() -> None:
    assert only(intent(3), outcome(5)) == CallView(
        number=3,
        numbers=(3, 5),
        time="2026-11-02T10:00:03+00:00",
        session="home",
        turn=1,
        call="t1c1",
        tool="shell",
        arguments='{"command":"ls"}',
        arguments_sha256="ab",
        decision="allowed",
        grant="run-tests",
        grant_sha256="cd",
        approver=None,
        approval=None,
        label_before=Label(Level.PRIVATE, untrusted=False),
        label_after=Label(Level.PRIVATE, untrusted=True),
        outcome="ok",
        duration_ms=31,
    )


def loaded(n: int, why: str = "start") -> dict[str, Any]:
    return {"n": n, "kind": "grants_loaded", "grants": [], "why": why}


def test_an_intent_without_an_outcome_is_unknown_once_another_broker_has_started() -> None:
    assert only(loaded(1), intent(2)).outcome == "running"
    assert only(intent(1), loaded(2)).outcome == "unknown"
    assert only(intent(1), loaded(2, "reload")).outcome == "running"
    assert only(intent(1), outcome(2), loaded(3)).outcome == "ok"


def test_of_two_calls_with_one_id_each_has_its_own_end() -> None:
    first, second = audit_view.calls([intent(1), loaded(2), intent(3)])
    assert (first.outcome, second.outcome) == ("unknown", "running")
    first, second = audit_view.calls([intent(1), loaded(2), intent(3), outcome(4)])
    assert (first.outcome, second.outcome) == ("unknown", "ok")


def test_the_first_outcome_of_a_call_counts() -> None:
    view = only(intent(1), outcome(2), outcome(3, outcome="failed"))
    assert (view.outcome, view.numbers) == ("ok", (1, 2))
    assert only(intent(1), loaded(2), outcome(3)).outcome == "ok"


def test_a_question_goes_on_over_a_start_of_the_broker() -> None:
    assert only(opened(1), loaded(2)).outcome == "pending"
    assert only(opened(1), loaded(2), ended(3, "approved", "bxctl"), intent(4)).outcome == "running"


def test_a_refused_call_has_no_outcome_to_wait_for() -> None:
    view = only(intent(1, decision="refused: tool", grant=None))
    assert (view.outcome, view.decision, view.grant) == ("refused", "refused: tool", None)


def test_an_approved_call_shows_who_was_asked_and_who_answered() -> None:
    asked = [opened(1), ended(2, "approved", "bxctl"), intent(3, approval="k7", approver="bxctl"), outcome(4)]
    view = only(*asked)
    assert (view.number, view.numbers, view.approver, view.outcome) == (3, (1, 2, 3, 4), "bxctl", "ok")
    assert view.approval == ApprovalPart(
        code="k7",
        asked="2026-11-02T10:00:01+00:00",
        why="the grant asks",
        how="approved",
        by="bxctl",
        ended="2026-11-02T10:00:02+00:00",
    )


def test_a_call_that_was_asked_about_and_never_ran_says_so() -> None:
    assert only(opened(1)).outcome == "pending"
    denied = only(opened(1), ended(2, "denied", "the chat"))
    assert (denied.outcome, denied.approver, denied.number) == ("did not run", "the chat", 1)
    assert denied.decision is None
    assert only(opened(1), ended(2, "expired", None)).approver is None


def test_a_denied_call_whose_refusal_is_an_intent_is_one_call() -> None:
    view = only(opened(1), ended(2, "denied", "bxctl"), intent(3, decision="refused: denied", approval="k7"))
    assert (view.outcome, view.number) == ("refused", 3)


def test_an_answer_under_another_code_is_not_this_approvals() -> None:
    assert only(opened(1), ended(2, "denied", "bxctl", code="m2")).outcome == "pending"


def test_a_call_asked_about_twice_is_two_lines() -> None:
    records = [opened(1), ended(2, "expired", None), opened(3, code="m2"), ended(4, "approved", "bxctl")]
    views = audit_view.calls(records)
    assert [(view.approval and view.approval.code, view.outcome) for view in views] == [
        ("k7", "did not run"),
        ("m2", "pending"),
    ]


def test_a_call_whose_question_is_not_among_the_records_names_its_code() -> None:
    view = only(intent(3, approval="k7", approver="bxctl"), outcome(4))
    assert view.approval == ApprovalPart(code="k7", asked=None, why=None)
    assert view.approver == "bxctl"
    wide = only(intent(3, approval="k7", approver="bxctl", for_session=True))
    assert wide.approval == ApprovalPart(code="k7", asked=None, why=None, how="session")


def test_what_belongs_to_no_call_is_passed_over() -> None:
    stranger = {"n": 2, "kind": "surprise", "session": "home", "call": "t1c1"}
    assert audit_view.calls([loaded(1), outcome(2), ended(3, "denied", None)]) == []
    assert only(intent(1), stranger, outcome(3)).numbers == (1, 3)


@pytest.mark.parametrize("name", sorted({*intent(1), *outcome(2)} - {"n", "kind", "session", "call"}))
@pytest.mark.parametrize("value", [None, 7, "x", [], {}, True, 1.5])
def test_a_field_of_a_wrong_type_is_passed_over(name: str, value: object) -> None:
    view = only({**intent(1), name: value}, {**outcome(2), name: value})
    assert view.numbers == (1, 2)


def test_a_label_that_cannot_be_read_is_the_top() -> None:
    assert only(intent(1, label=None)).label_before == TOP
    assert only(intent(1, label={"class": "private"})).label_before == Label(Level.PRIVATE, untrusted=True)
    assert only(intent(1), outcome(2, label_after={})).label_after == TOP


def step(name: str, number: int, n: int) -> dict[str, Any]:
    """The ``number``-th record of the call ``name``."""
    return [
        lambda: opened(n, name, code=name),
        lambda: ended(n, "approved", "bxctl", name, code=name),
        lambda: intent(n, name, approval=name, approver="bxctl"),
        lambda: outcome(n, name),
    ][number]()


@given(st.lists(st.sampled_from("abcd"), max_size=24))
def test_calls_side_by_side_never_get_each_others_records(order: list[str]) -> None:
    """Whatever the order of the calls' steps: each call has its own records, once, in their order."""
    records: list[dict[str, Any]] = []
    expected: dict[str, list[int]] = {}
    for name in order:
        own = expected.setdefault(name, [])
        if len(own) < 4:
            records.append(step(name, len(own), len(records) + 1))
            own.append(len(records))
    views = audit_view.calls(records)
    assert {view.call: [*view.numbers] for view in views} == expected
    assert [view.number for view in views] == sorted(view.number for view in views)
