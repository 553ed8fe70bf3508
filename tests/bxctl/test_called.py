"""What a person types, with ``./bx`` and without it."""

from __future__ import annotations

import re

import pytest

from bxctl import boxmaker, called
from bxctl import main as bxctl
from tests.house.source import ROOT


@pytest.fixture(params=["./bx", "/srv/my box/bx"])
def bx(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BX_TYPED", request.param)
    return "./bx" if request.param == "./bx" else "'/srv/my box/bx'"


@pytest.fixture
def no_bx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BX_TYPED", raising=False)


@pytest.mark.usefixtures("no_bx")
def test_without_bx_each_command_has_its_program() -> None:
    assert [called.typed(name) for name in boxmaker.COMMANDS] == [f"boxmaker {n}" for n in boxmaker.COMMANDS]
    others = [name for name in bxctl.COMMANDS if name not in boxmaker.COMMANDS]
    assert [called.typed(name) for name in others] == [f"bxctl {name}" for name in others]
    assert called.speaker("bxctl") == "bxctl"
    assert called.listing("bxctl") == "bxctl --help"
    assert called.known(["tree"]) == ["tree"]


def test_with_bx_each_command_is_written_as_bx_takes_it(bx: str) -> None:
    assert called.typed("tree") == f"{bx} tree"
    assert called.typed("check") == f"{bx} check-config"
    assert called.speaker("bxctl") == "bx"
    assert called.listing("bxctl") == bx
    assert set(called.BX_COMMANDS) < set(called.known(["tree"]))


def test_the_commands_of_bx_are_those_that_its_script_takes() -> None:
    script = (ROOT / "bx").read_text(encoding="utf-8").rpartition("\ncase ${1:-help} in\n")[2]
    labels = re.findall(r"^([a-z][a-z -|]*)\)$", script, re.MULTILINE)
    words = {word.strip() for label in labels for word in label.split("|")}
    assert words - {"help", "-h", "--help", "boxmaker", "bxctl"} == set(called.BX_COMMANDS)


def test_a_sentence_of_the_box_names_commands_as_they_are_typed_here(bx: str) -> None:
    assert called.retyped("look with bxctl approvals, or bxctl audit verify") == (
        f"look with {bx} approvals, or {bx} audit verify"
    )
    assert called.retyped("see boxmaker check; boxmaker image build") == (
        f"see {bx} check-config; {bx} image build"
    )
    assert called.retyped("bxctl dead-letters.") == f"{bx} dead-letters."
    for plain in (
        "start boxmaker again",
        "boxmaker tree",
        "/usr/bin/bxctl tree",
        "bxctl trees",
        "bxctl tree-x",
    ):
        assert called.retyped(plain) == plain


@pytest.mark.usefixtures("no_bx")
def test_without_bx_a_sentence_of_the_box_stays_as_it_is() -> None:
    assert called.retyped("look with bxctl approvals") == "look with bxctl approvals"
