"""The grants in force as one value, sorted once, so that a decision looks at those of its tool alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from bxcore.grants.grant import Grant


@dataclass(frozen=True, slots=True)
class GrantSet:
    """All grants by id, and those of each tool by id; no decision depends on the order they were given in."""

    grants: tuple[Grant, ...]
    by_tool: Mapping[str, tuple[Grant, ...]]

    @classmethod
    def of(cls, grants: Iterable[Grant]) -> Self:
        """Sort them; two with one id are kept both, ``load`` refuses such a set."""
        ordered = tuple(sorted(grants, key=lambda grant: (grant.id, grant.sha256)))
        tools = {grant.tool for grant in ordered}
        return cls(ordered, {tool: tuple(each for each in ordered if each.tool == tool) for tool in tools})

    def __iter__(self) -> Iterator[Grant]:
        return iter(self.grants)

    def __len__(self) -> int:
        return len(self.grants)

    def for_tool(self, tool: str) -> tuple[Grant, ...]:
        """The grants that name ``tool``, expired ones too, by id."""
        return self.by_tool.get(tool, ())
