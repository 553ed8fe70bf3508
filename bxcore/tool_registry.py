"""Which tools a session offers, in which order, and where each call goes (spec 1.1, 3.2, 3.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bxcore.args import (
    ARGUMENT_TYPES,
    ASK_MEMORY,
    CALL_TOOL,
    CLOCK,
    FIND_TOOL,
    READ_FILE,
    RECALL,
    Args,
    ArgsError,
    CallToolArgs,
    ClockArgs,
    FindToolArgs,
    parse,
)
from bxcore.did_you_mean import hint
from bxcore.grants.grant import GRANTED_TOOLS
from bxcore.mcp_names import split
from bxcore.mcp_tools import McpTool
from bxcore.mcp_view import McpKnown
from bxcore.records import ToolCall
from bxcore.schemas import CORE_TOOLS, TOOLS, schema_json

LOOK_UP = (FIND_TOOL, CALL_TOOL)
"""Always the last two of the tools array."""
READS = frozenset({CLOCK, RECALL, ASK_MEMORY, FIND_TOOL, READ_FILE})
"""Calls that change nothing: a round of only these runs side by side."""
MAX_FOUND = 3
"""Tools that one ``find_tool`` answers."""
MAX_NAMED = 20
"""Tools of MCP servers that it names when none matches."""

Wire: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Own:
    """The loop answers this call itself; ``args`` are checked."""

    tool: str
    args: ClockArgs | FindToolArgs


@dataclass(frozen=True, slots=True)
class ToBroker:
    """The broker decides and runs this call; ``arguments`` are as the model wrote them."""

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """The call is a failed result; ``sentence`` is what the model sees."""

    tool: str
    arguments: str
    sentence: str


Route: TypeAlias = Own | ToBroker | NotRun


ALSO_CALLED: Mapping[str, str] = {
    "read_file": "open view show look cat document notes text",
    "write_file": "save create edit change append document text",
    "shell": "bash terminal execute script program python list folder directory process calculate",
    "http_fetch": "internet online website site browse download link url api open",
}
"""What people and models call these tools, beside the words of their descriptions."""


@dataclass(frozen=True, slots=True)
class ToolRegistry:
    """The core tools by name and in order, and the ``others`` that only ``find_tool`` shows.

    Those that no grant allows are shown too: the refusal of a call tells the owner what grant is wanting.
    ``gone`` were there when the session's epoch began, and are not any more. ``mcp`` are the tools of MCP
    servers that are there now: servers come and go, so no epoch keeps them, and none stands in the array. It
    is None where nobody knows them; then any such name goes to the broker.
    """

    core: tuple[str, ...] = field(default_factory=lambda: tuple(CORE_TOOLS))
    others: tuple[str, ...] = GRANTED_TOOLS
    gone: frozenset[str] = frozenset()
    mcp: McpKnown | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, in order; what an epoch that begins now has."""
        return (*self.core, *self.others)

    def kept(self, names: Sequence[str], offered: Sequence[str]) -> ToolRegistry:
        """The tools of an epoch that began with ``names``, in a session whose tools array has ``offered``.

        What has come since waits for the next epoch; an epoch without names, of before there were any, has
        those of now.
        """
        began = (*offered, *(names or self.names))
        return ToolRegistry(
            core=tuple(name for name in self.core if name in began),
            others=tuple(name for name in self.others if name in began),
            gone=frozenset(began) - {*self.names, *LOOK_UP},
        )

    def array(self) -> tuple[Wire, ...]:
        """The tools array that the model sees: the core tools, then ``find_tool``, then ``call_tool``."""
        names = (*(name for name in self.core if name not in LOOK_UP), *LOOK_UP)
        return tuple(TOOLS[name] for name in names)

    def find(self, query: str) -> str:
        """What ``find_tool`` answers: up to three tools, a schema a line, the best match first."""
        names = [name for name in (*self.others, *self.core) if name not in LOOK_UP]
        scored = [(_score(query, name, _about(name)), schema_json(name)) for name in names]
        scored += [(_score(query, tool.name, tool.description), tool.line()) for tool in self._mcp_tools]
        found = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])[:MAX_FOUND]
        if not found:
            names += [tool.name for tool in self._mcp_tools[:MAX_NAMED]]
            return f"no tool matches; you have {', '.join(names)}: use one of these, or answer without"
        return "\n".join(line for _, line in found)

    def route(self, call: ToolCall) -> Route:
        """Where a call goes; never raises, whatever the model wrote. ``call_tool`` is unwrapped."""
        name = _wrapped(call) if call.name == CALL_TOOL else call.name
        if name in self.gone:
            return NotRun(name, call.arguments, _taken_away(name))
        if self._is_of_mcp(call.name):
            return ToBroker(call.name, call.arguments)
        if call.name not in ARGUMENT_TYPES:
            return NotRun(call.name, call.arguments, self._unknown(call.name))
        if call.name not in {CLOCK, *LOOK_UP}:
            return ToBroker(call.name, call.arguments)
        try:
            return self._own(parse(call.name, call.arguments), call)
        except ArgsError as error:
            return NotRun(call.name, call.arguments, error.line)

    def _is_of_mcp(self, name: str) -> bool:
        """Whether it is such a tool, or may be one: a server that is not ready says itself that it is not."""
        found = split(name)
        if found is None or self.mcp is None:
            return found is not None
        return name in self._mcp_names or found[0] in self.mcp.silent

    @property
    def _mcp_tools(self) -> tuple[McpTool, ...]:
        return () if self.mcp is None else self.mcp.tools

    @property
    def _mcp_names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self._mcp_tools)

    def _own(self, args: Args, call: ToolCall) -> Route:
        match args:
            case ClockArgs() | FindToolArgs():
                return Own(call.name, args)
            case CallToolArgs(name=name):
                return self.route(ToolCall(id=call.id, name=name, arguments=args.inner_text()))
            case _:
                return ToBroker(call.name, call.arguments)

    def _unknown(self, name: str) -> str:
        said = re.sub(r"[^ -~]", "?", name[:64])
        known = (*self.core, *self.others, *LOOK_UP, *self._mcp_names)
        return f"no tool is named {said}{hint(said, known)}; look one up with find_tool"


def _wrapped(call: ToolCall) -> str:
    """The tool that a ``call_tool`` names, when it can be read."""
    try:
        return str(json.loads(call.arguments)["name"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return call.name


def _taken_away(name: str) -> str:
    said = re.sub(r"[^ -~]", "?", name[:64])
    return f"the tool {said} is gone since this session began; use another one, find_tool shows them"


def all_reads(calls: Sequence[ToolCall]) -> bool:
    """Whether a round changes nothing, so that its calls may run side by side."""
    return all(call.name in READS for call in calls)


def _words(text: str) -> set[str]:
    """Words of three letters and more, without a plural's s, so that "files" finds "file"."""
    return {word.removesuffix("s") for word in re.findall(r"[a-z]{3,}", text.lower())}


def _about(name: str) -> str:
    return f"{TOOLS[name]['description']} {ALSO_CALLED.get(name, '')}"


def _score(query: str, name: str, about: str) -> int:
    wanted = _words(query)
    in_name = _words(re.sub(r"[_.-]", " ", name))
    return 3 * len(wanted & in_name) + len(wanted & _words(about))
