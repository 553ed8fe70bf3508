"""The grants in force as one value, filed once, so that a decision looks only at those that may matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from bxcore.args import HTTP_FETCH, SHELL
from bxcore.grants.grant import Grant, Mode
from bxcore.grants.host_rule import host_rule
from bxcore.mcp_names import every, split

ANY = ""
"""What a grant is filed under that reaches every destination of its tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawer:
    """The grants of one tool by id, those that deny folders, and all places by what they are filed under."""

    grants: tuple[Grant, ...]
    denying: tuple[Grant, ...]
    places: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class GrantSet:
    """All grants by id, and those of each tool; no decision depends on the order they were given in."""

    grants: tuple[Grant, ...]
    drawers: Mapping[str, _Drawer]

    @classmethod
    def of(cls, grants: Iterable[Grant]) -> Self:
        """Sort and file them; two with one id are kept both, ``load`` refuses such a set."""
        ordered = tuple(sorted(grants, key=lambda grant: (grant.id, grant.sha256)))
        tools: dict[str, list[Grant]] = {}
        for grant in ordered:
            tools.setdefault(grant.tool, []).append(grant)
        return cls(ordered, {tool: _drawer(tuple(found)) for tool, found in tools.items()})

    def __iter__(self) -> Iterator[Grant]:
        return iter(self.grants)

    def __len__(self) -> int:
        return len(self.grants)

    def for_tool(self, tool: str) -> tuple[Grant, ...]:
        """The grants that name ``tool``, or all tools of its MCP server, expired ones too, by id."""
        drawer = self.drawers.get(tool)
        named = () if drawer is None else drawer.grants
        mcp = split(tool)
        whole = None if mcp is None else self.drawers.get(every(mcp[0]))
        if whole is None:
            return named
        return tuple(sorted((*named, *whole.grants), key=lambda grant: (grant.id, grant.sha256)))

    def denying(self, tool: str) -> tuple[Grant, ...]:
        """The grants that deny ``tool`` in folders of theirs, expired ones too, by id."""
        drawer = self.drawers.get(tool)
        return () if drawer is None else drawer.denying

    def near(self, tool: str, keys: Iterable[str] | None) -> tuple[Grant, ...]:
        """The grants of ``tool`` that are filed under one of ``keys`` or reach all; all of them for None."""
        drawer = self.drawers.get(tool)
        if drawer is None or keys is None:
            return self.for_tool(tool)
        places = {place for key in (ANY, *keys) for place in drawer.places.get(key, ())}
        return tuple(drawer.grants[place] for place in sorted(places))


def _drawer(grants: tuple[Grant, ...]) -> _Drawer:
    places: dict[str, list[int]] = {}
    for place, grant in enumerate(grants):
        for key in _filed_under(grant):
            places.setdefault(key, []).append(place)
    return _Drawer(
        grants=grants,
        denying=tuple(grant for grant in grants if grant.mode is Mode.DENY and grant.paths),
        places={key: tuple(found) for key, found in places.items()},
    )


def _filed_under(grant: Grant) -> Iterable[str]:
    """A file's grant under its folders, a fetch's under its hosts, a shell's under its commands' names."""
    if grant.tool == HTTP_FETCH:
        return {host_key(rule.host, below=rule.below) for rule in map(host_rule, grant.hosts)} or (ANY,)
    if grant.tool == SHELL:
        return command_names(grant.commands) or (ANY,)
    return grant.paths or ((ANY,) if grant.mode is Mode.DENY else ())


def host_key(host: str, *, below: bool) -> str:
    """What a grant for a host, or for all below it, is filed under; a port makes no difference."""
    return f"*.{host}" if below else host


def command_names(words: Iterable[str]) -> frozenset[str]:
    """Each word, and the name alone of one that is a path."""
    return frozenset(name for word in words for name in (word, word.rpartition("/")[2]))
