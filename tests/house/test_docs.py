"""The documents stay short, true to the code, and every link and command in them leads somewhere."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from bxcore.control.routes import GET, POST
from tests.house.source import ROOT, kept_files
from tools import messages, routes

MOST_LINES = {"ARCHITECTURE.md": 120, "docs/glossary.md": 40, "README.md": 200}
DOCUMENTS = tuple(
    name for name in kept_files() if name.endswith(".md") and not name.startswith(("config/", "tests/"))
)
DECISIONS = tuple(name for name in DOCUMENTS if name.startswith("docs/decisions/"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MOST_LINES)
def test_a_page_stays_a_page(name: str) -> None:
    assert read(name).count("\n") <= MOST_LINES[name]


def test_the_message_catalogue_is_fresh() -> None:
    assert read("docs/messages.md") == messages.page(), "run ./bx docs"


def test_the_message_catalogue_names_every_actor_and_message() -> None:
    written = messages.page()
    for module in messages.modules():
        assert f"## {module.__name__.rpartition('.')[2]}\n" in written
        for message in filter(dataclasses.is_dataclass, messages.classes(module)):
            assert f"| `{message.__name__}` |" in written


def test_the_page_of_the_control_socket_is_fresh_and_has_every_path() -> None:
    assert read("docs/control.md") == routes.page(), "run ./bx docs"
    for path in (*GET, *POST):
        assert f"| `{path}` |" in routes.page()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_link_leads_to_a_file(name: str) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(name))
    assert [target for target in targets if not (ROOT / Path(name).parent / target).exists()] == []


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_is_short_and_says_what_speaks_against_it(name: str) -> None:
    text = read(name)
    assert text.count("\n") <= 45
    assert text.startswith("# ")
    assert "\n## Why\n" in text
    assert "\n## What it costs\n" in text


def test_every_dependency_has_its_reason() -> None:
    stated = tomllib.loads(read("pyproject.toml"))
    groups = [
        stated["project"]["dependencies"],
        stated["build-system"]["requires"],
        *stated["project"]["optional-dependencies"].values(),
    ]
    named = {re.split(r"[=<>\[]", text, maxsplit=1)[0] for group in groups for text in group}
    page = read("docs/decisions/dependencies.md")
    assert [name for name in sorted(named) if f"`{re.sub('part[0-9]+$', 'part1', name)}`" not in page] == []


def commands() -> set[str]:
    """The words that ``bx`` itself knows: the labels of its last ``case``."""
    text = read("bx").rpartition("case ${1:-help} in")[2]
    labels = re.findall(r"^([a-z| -]+)\)$", text, flags=re.MULTILINE)
    return {word.strip() for label in labels for word in label.split("|")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_command_of_bx_is_real(name: str) -> None:
    from bxctl.main import COMMANDS

    named = set(re.findall(r"\./bx ([a-z][a-z-]*)", read(name)))
    assert named - commands() - set(COMMANDS) == set()
