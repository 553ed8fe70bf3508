"""Arguments of every tool: read from the model's text, refused in one sentence, written in one form."""

from bxcore.args.ask_memory import (
    ASK_MEMORY,
    MAX_QUESTION,
    MAX_WORKSPACE_NAME,
    MAX_WORKSPACES,
    OWN_WORKSPACE,
    AskMemoryArgs,
)
from bxcore.args.canonical import canonical_json
from bxcore.args.errors import ArgsError, refusal_line
from bxcore.args.files import READ_FILE, WRITE_FILE, ReadFileArgs, WriteFileArgs
from bxcore.args.http_fetch import HTTP_FETCH, HttpFetchArgs
from bxcore.args.mcp_call import McpArgs
from bxcore.args.memory import MAX_ENTRY, MEMORY, SEPARATOR, MemoryArgs, check_entry
from bxcore.args.reading import ARGUMENT_TYPES, Args, is_tool, parse
from bxcore.args.recall import RECALL, RecallArgs
from bxcore.args.shell import SHELL, ShellArgs
from bxcore.args.tool_lookup import CALL_TOOL, CLOCK, FIND_TOOL, CallToolArgs, ClockArgs, FindToolArgs

__all__ = [
    "ARGUMENT_TYPES",
    "ASK_MEMORY",
    "CALL_TOOL",
    "CLOCK",
    "FIND_TOOL",
    "HTTP_FETCH",
    "MAX_ENTRY",
    "MAX_QUESTION",
    "MAX_WORKSPACES",
    "MAX_WORKSPACE_NAME",
    "MEMORY",
    "OWN_WORKSPACE",
    "READ_FILE",
    "RECALL",
    "SEPARATOR",
    "SHELL",
    "WRITE_FILE",
    "Args",
    "ArgsError",
    "AskMemoryArgs",
    "CallToolArgs",
    "ClockArgs",
    "FindToolArgs",
    "HttpFetchArgs",
    "McpArgs",
    "MemoryArgs",
    "ReadFileArgs",
    "RecallArgs",
    "ShellArgs",
    "WriteFileArgs",
    "canonical_json",
    "check_entry",
    "is_tool",
    "parse",
    "refusal_line",
]
