"""Rules of 4.5 over all of ``[honcho]``: reserved agents' names, and no name or workspace twice."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.config.settings import HonchoTable
from bxcore.workspaces import RESERVED

Where = tuple[str | int, ...]


def problems(table: HonchoTable) -> list[tuple[Where, str]]:
    """Each broken rule as the key's path below ``[honcho]`` and one sentence."""
    return [*_reserved(table), *_twice("agent", _agents(table)), *_twice("workspace", _workspaces(table))]


def _reserved(table: HonchoTable) -> Iterator[tuple[Where, str]]:
    for index, each in enumerate(table.read):
        if each.agent in RESERVED:
            yield (
                ("read", index, "agent"),
                f"{each.agent} is no agent's name; own, untrusted and fleet are taken",
            )


def _agents(table: HonchoTable) -> Iterator[tuple[Where, str]]:
    yield ("agent",), table.agent
    for index, each in enumerate(table.read):
        yield ("read", index, "agent"), each.agent


def _workspaces(table: HonchoTable) -> Iterator[tuple[Where, str]]:
    yield ("trusted",), table.trusted
    yield ("untrusted",), table.untrusted
    if table.fleet is not None:
        yield ("fleet",), table.fleet
    for index, each in enumerate(table.read):
        yield ("read", index, "workspace"), each.workspace


def _twice(noun: str, named: Iterator[tuple[Where, str]]) -> Iterator[tuple[Where, str]]:
    seen: set[str] = set()
    for where, name in named:
        if name in seen:
            yield where, f"the {noun} {name} is there twice; give each its own"
        seen.add(name)
