"""From a call's text to its checked argument value: the one door for what a model writes (spec 1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from bxcore.args.ask_memory import AskMemoryArgs
from bxcore.args.errors import ArgsError
from bxcore.args.files import MAX_CONTENT, ReadFileArgs, WriteFileArgs
from bxcore.args.http_fetch import HttpFetchArgs
from bxcore.args.mcp_call import McpArgs
from bxcore.args.memory import MemoryArgs
from bxcore.args.recall import RecallArgs
from bxcore.args.shape import shape
from bxcore.args.shell import ShellArgs
from bxcore.args.tool_lookup import CallToolArgs, ClockArgs, FindToolArgs
from bxcore.mcp_names import split
from bxcore.untrusted_json import MAX_TEXT, UntrustedJsonError, read_object

OwnArgs: TypeAlias = (
    ClockArgs
    | RecallArgs
    | MemoryArgs
    | AskMemoryArgs
    | FindToolArgs
    | CallToolArgs
    | ReadFileArgs
    | WriteFileArgs
    | ShellArgs
    | HttpFetchArgs
)
Args: TypeAlias = OwnArgs | McpArgs

ARGUMENT_TYPES: Mapping[str, type[OwnArgs]] = {
    kind.TOOL: kind
    for kind in (
        ClockArgs,
        RecallArgs,
        MemoryArgs,
        AskMemoryArgs,
        FindToolArgs,
        CallToolArgs,
        ReadFileArgs,
        WriteFileArgs,
        ShellArgs,
        HttpFetchArgs,
    )
}
"""The argument type of every tool of the box itself; those of MCP servers take a ``McpArgs``."""

MAX_WRITING_TEXT = MAX_TEXT + 6 * MAX_CONTENT
"""Characters of a text that may carry a file's content, which alone may have more than 64 KiB.

Six times the content leaves room for its escapes: JSON writes a control character as ``\\u0001``.
"""


def parse(tool: str, text: str) -> Args:
    """Read the argument text of a call; raises ``ArgsError`` and nothing else, whatever the text is.

    ``text`` has at most 65,536 characters; for ``write_file``, and for ``call_tool`` that carries it, the
    limit is raised by room for the content. The object that ``call_tool`` carries is not read as its tool's
    arguments here: parse its ``inner_text()`` for that.
    """
    kind = ARGUMENT_TYPES.get(tool)
    if kind is None and split(tool) is None:
        raise ArgsError("no tool has this name; look one up with find_tool")
    limit = MAX_WRITING_TEXT if kind in (WriteFileArgs, CallToolArgs) else MAX_TEXT
    try:
        raw = read_object(text, max_text=limit)
    except UntrustedJsonError as error:
        raise ArgsError(error.sentence) from None
    return McpArgs(tool, raw) if kind is None else shape(kind, raw)


def is_tool(name: str) -> bool:
    """Whether it is a tool's name: of the box itself, or in the form of an MCP server's."""
    return name in ARGUMENT_TYPES or split(name) is not None
