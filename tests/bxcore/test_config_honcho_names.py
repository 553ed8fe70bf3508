from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.config import Loaded, SourceText, load
from bxcore.workspaces import is_honcho_name


def loaded(text: str) -> Loaded:
    return load([SourceText(path=Path("/b.toml"), content=text.encode())], {}, cwd=Path("/"))


def problems(text: str) -> list[str]:
    return [str(problem) for problem in loaded(text).problems]


def test_the_workspaces_follow_the_agents_name() -> None:
    for text, names in (
        ("", ("boxmaker", "boxmaker", "boxmaker-untrusted")),
        ("[honcho]\nagent = 'ada'", ("ada", "ada", "ada-untrusted")),
        ("[honcho]\ntrusted = 't'", ("boxmaker", "t", "t-untrusted")),
    ):
        found = loaded(text).settings
        assert found is not None
        assert (found.honcho.agent, found.honcho.trusted, found.honcho.untrusted) == names
        assert found.honcho.fleet is None


@pytest.mark.parametrize("name", ["own", "untrusted", "fleet"])
def test_a_reserved_name_is_no_agents_name(name: str) -> None:
    text = f"[[honcho.read]]\nworkspace = 'w'\nagent = '{name}'"
    assert problems(text) == [
        f"/b.toml:3: honcho.read[1].agent: {name} is no agent's name; own, untrusted and fleet are taken"
    ]


def test_no_two_agents_and_no_two_workspaces_are_the_same() -> None:
    text = """
[honcho]
agent = "a"
fleet = "a"
[[honcho.read]]
agent = "b"
workspace = "a-untrusted"
[[honcho.read]]
agent = "b"
workspace = "c"
[[honcho.read]]
agent = "a"
workspace = "c"
"""
    assert problems(text) == [
        "/b.toml:9: honcho.read[2].agent: the agent b is there twice; give each its own",
        "/b.toml:12: honcho.read[3].agent: the agent a is there twice; give each its own",
        "/b.toml:4: honcho.fleet: the workspace a is there twice; give each its own",
        "/b.toml:7: honcho.read[1].workspace: the workspace a-untrusted is there twice; give each its own",
        "/b.toml:13: honcho.read[3].workspace: the workspace c is there twice; give each its own",
    ]


def test_they_are_told_beside_the_problems_of_other_tables() -> None:
    assert len(problems("[model]\nx = 1\n[honcho]\ntrusted = 'w'\nuntrusted = 'w'")) == 2


@given(st.text(max_size=20))
def test_only_honcho_names_are_taken(name: str) -> None:
    from bxcore.config.settings import HonchoTable

    try:
        HonchoTable(agent=name, trusted="t")
    except ValueError:
        assert not is_honcho_name(name)
    else:
        assert is_honcho_name(name)


@pytest.mark.parametrize(("length", "good"), [(1, True), (512, True), (513, False), (0, False)])
def test_a_name_has_1_to_512_characters(length: int, good: bool) -> None:  # noqa: FBT001
    assert (problems(f"[honcho]\nfleet = '{'x' * length}'") == []) == good
