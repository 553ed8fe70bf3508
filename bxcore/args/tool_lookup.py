"""The arguments of ``clock``, ``find_tool`` and ``call_tool``, which the loop runs itself (spec 1.1, 1.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

CLOCK = "clock"
FIND_TOOL = "find_tool"
CALL_TOOL = "call_tool"
MAX_FIND_QUERY = 500
"""Characters of what is looked for."""
MAX_TOOL_NAME = 64
"""Characters of a tool's name."""

_TOOL_NAME = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_TOOL_NAME}}}")


@dataclass(frozen=True, slots=True)
class ClockArgs:
    """``clock`` takes nothing."""

    TOOL: ClassVar[str] = CLOCK
    SHAPE: ClassVar[Mapping[str, Kind]] = {}

    def check(self) -> None:
        """Nothing can be wrong with no arguments."""


@dataclass(frozen=True, slots=True)
class FindToolArgs:
    """What a tool should do, in words."""

    TOOL: ClassVar[str] = FIND_TOOL
    SHAPE: ClassVar[Mapping[str, Kind]] = {"query": Kind.TEXT}

    query: str

    def check(self) -> None:
        """Raise ``ArgsError`` when the query is empty or too long."""
        if not self.query.strip():
            raise ArgsError("query is empty; write what the tool should do")
        if len(self.query) > MAX_FIND_QUERY:
            raise ArgsError(
                f"query has {len(self.query)} characters, over the limit of {MAX_FIND_QUERY}; "
                "say it in fewer words"
            )


@dataclass(frozen=True, slots=True)
class CallToolArgs:
    """A tool that is not core, and its own arguments as a decoded JSON object.

    ``inner_text`` gives them back as JSON text, for ``parse(args.name, args.inner_text())``.
    """

    TOOL: ClassVar[str] = CALL_TOOL
    SHAPE: ClassVar[Mapping[str, Kind]] = {"name": Kind.TEXT, "arguments": Kind.OBJECT}

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)

    def check(self) -> None:
        """Raise ``ArgsError`` for what cannot be a tool's name, and for ``find_tool`` and ``call_tool``."""
        if not _TOOL_NAME.fullmatch(self.name):
            raise ArgsError("name is no tool's name; write a name that find_tool has answered")
        if self.name in (FIND_TOOL, CALL_TOOL):
            raise ArgsError(f"call_tool cannot call {self.name}; write the name of the tool itself")

    def inner_text(self) -> str:
        """The tool's own arguments as JSON text."""
        from bxcore.args.canonical import compact

        return compact(self.arguments)
