"""An approval binds arguments, grant and label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bxcore import policy
from bxcore.approvals import changed, still_binds
from bxcore.grants import Grant, Mode
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.policy import Ruling, Verdict
from tests.bxcore.test_approvals import K7

HOUSE = Grant(id="house", tool="shell", mode=Mode.ASK, text="house")
VERDICT = Verdict(outcome=Ruling.ASK, reasons=(), steps=(), canonical="{}", grant=HOUSE, bound="around")
ASKED = replace(K7, args_sha256=policy.sha256("{}"), grant_sha256=HOUSE.sha256, bound="around")


def test_what_is_as_it_was_approved_may_run() -> None:
    assert changed(ASKED, VERDICT, NEW_SESSION) is None
    assert still_binds(ASKED, VERDICT, NEW_SESSION)


@pytest.mark.parametrize(
    ("verdict", "what"),
    [
        ({"canonical": '{"a":1}'}, "its arguments changed"),
        ({"canonical": None}, "its arguments changed"),
        ({"grant": replace(HOUSE, text="house # a comment")}, "its grant changed"),
        ({"grant": None}, "its grant changed"),
        ({"bound": "another"}, "the grants that reach it changed"),
    ],
)
def test_another_call_or_grant_is_another_question(verdict: dict[str, Any], what: str) -> None:
    other = replace(VERDICT, **verdict)
    assert changed(ASKED, other, NEW_SESSION) == what
    assert not still_binds(ASKED, other, NEW_SESSION)


@pytest.mark.parametrize(
    "label",
    [
        Label(Level.PRIVATE, untrusted=True),
        Label(Level.SECRET, untrusted=False),
        Label(Level.PUBLIC, untrusted=False),
    ],
)
def test_another_label_is_another_question(label: Label) -> None:
    assert changed(ASKED, VERDICT, label) == f"the session's label changed from private to {label}"
    assert not still_binds(ASKED, VERDICT, label)


@pytest.mark.parametrize("outcome", [Ruling.ALLOW, Ruling.REFUSE])
def test_a_call_that_is_not_asked_about_any_more_has_no_question(outcome: Ruling) -> None:
    assert not still_binds(ASKED, replace(VERDICT, outcome=outcome), NEW_SESSION)
