from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.labels import Label, Level
from bxcore.workspaces import OtherAgent, UnknownWorkspace, configured, is_honcho_name, resolve

TWO = OtherAgent(agent="boxmaker2", workspace="b2", trusted=True)
THREE = OtherAgent(agent="boxmaker3", workspace="b3", trusted=False, level=Level.SECRET)
ALL = configured(trusted="t", untrusted="u", fleet="f", others=(TWO, THREE))


def test_without_a_table_the_agent_has_its_own_two() -> None:
    assert [(each.name, each.workspace) for each in configured()] == [
        ("own", "boxmaker"),
        ("untrusted", "boxmaker-untrusted"),
    ]


def test_the_names_come_in_the_order_of_the_configuration() -> None:
    assert [each.name for each in ALL] == ["own", "untrusted", "fleet", "boxmaker2", "boxmaker3"]
    assert [each.workspace for each in ALL] == ["t", "u", "f", "b2", "b3"]


def test_each_name_has_the_tag_and_class_of_its_row() -> None:
    assert [(each.tag, each.level.text) for each in ALL] == [
        ("memory", "private"),
        ("memory-tainted", "private"),
        ("memory-tainted", "private"),
        ("memory", "private"),
        ("memory-tainted", "secret"),
    ]
    assert ALL[4].label == Label(Level.SECRET, untrusted=True)


def test_names_are_resolved_in_the_order_asked() -> None:
    found = resolve(ALL, ["fleet", "own"])
    assert not isinstance(found, UnknownWorkspace)
    assert [each.workspace for each in found] == ["f", "t"]


def test_one_unknown_name_decides_for_all_and_is_told_with_what_there_is() -> None:
    five = configured(
        fleet="fleet",
        others=[OtherAgent(agent=f"boxmaker{n}", workspace=f"w{n}", trusted=True) for n in (1, 2)],
    )
    assert resolve(five, ["own", "boxmaker9"]) == UnknownWorkspace(
        sentence="no workspace is named boxmaker9; ask own, untrusted, fleet, boxmaker1 or boxmaker2"
    )


def test_two_names_are_joined_by_or() -> None:
    assert resolve(configured(), ["x"]) == UnknownWorkspace(
        sentence="no workspace is named x; ask own or untrusted"
    )


def test_names_are_compared_as_written() -> None:
    assert isinstance(resolve(ALL, ["Fleet"]), UnknownWorkspace)
    assert isinstance(resolve(ALL, ["t"]), UnknownWorkspace), "the server's name is no name to ask by"


@pytest.mark.parametrize("name", ["a", "A_b-9", "x" * 512])
def test_letters_digits_underscore_and_hyphen_are_a_name(name: str) -> None:
    assert is_honcho_name(name)


@pytest.mark.parametrize("name", ["", "x" * 513, "a b", "a.b", "a/b", "é", "a\n", "\u0661"])
def test_nothing_else_is_a_name(name: str) -> None:
    assert not is_honcho_name(name)


@given(st.text())
def test_a_name_is_ascii(text: str) -> None:
    assert not is_honcho_name(text) or text.isascii()
