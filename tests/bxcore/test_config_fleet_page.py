"""The configurations that docs/fleet.md gives away are taken as they stand, and fit each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bxcore.config import Settings, derived
from bxcore.config.layers import SourceText
from bxcore.config.loading import load
from bxcore.honcho_tokens import read
from bxcore.workspaces import Readable

PAGE = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def settings(text: str) -> Settings:
    source = SourceText(path=Path("/etc/boxmaker.toml"), content=text.encode())
    loaded = load([source], {}, cwd=Path("/"))
    assert loaded.problems == ()
    assert loaded.settings is not None
    return loaded.settings


@pytest.mark.parametrize("text", blocks("toml"))
def test_each_configuration_is_taken_without_a_problem(text: str) -> None:
    assert settings(text).honcho.url == "https://honcho.example/honcho"


def test_no_two_boxes_save_to_one_workspace_and_each_reads_the_other() -> None:
    one, two = (settings(text).honcho for text in blocks("toml"))
    assert {one.agent, one.trusted, one.untrusted}.isdisjoint({two.agent, two.trusted, two.untrusted})
    assert [each.workspace for each in one.read] == [two.trusted]
    assert [each.workspace for each in two.read] == [one.trusted]


def test_the_labels_are_those_that_the_page_says() -> None:
    def shown(text: str) -> dict[str, str]:
        return {each.name: each.tag for each in derived.readable(settings(text))}

    first, second = blocks("toml")
    theirs = {"untrusted": "memory-tainted", "fleet": "memory-tainted"}
    assert shown(first) == {"own": "memory", **theirs, "box2": "memory"}
    assert shown(second) == {"own": "memory", **theirs, "box1": "memory-tainted"}


def test_the_tokens_are_for_every_workspace_of_box_1() -> None:
    [text] = blocks("text")
    tokens = read(text.replace("…", ".x"))
    readable: tuple[Readable, ...] = derived.readable(settings(blocks("toml")[0]))
    assert all(tokens.of(each.workspace).startswith("eyJ") for each in readable)
    assert tokens.others == ""
