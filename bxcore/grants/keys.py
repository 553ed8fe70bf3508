"""The keys of a grant's file: which tools have them, and what may be written there (spec 2.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from bxcore.args import HTTP_FETCH, READ_FILE, SHELL, WRITE_FILE
from bxcore.args.http_fetch import METHODS
from bxcore.did_you_mean import hint
from bxcore.fetch_target import MAX_PORT
from bxcore.grants.folders import plain_folder, unfit
from bxcore.grants.grant import GRANTED_TOOLS, MEMORY_TOOLS, Mode, WhenUntrusted
from bxcore.labels import Level
from bxcore.mcp_names import PREFIX, SERVER_RULE, granted_server

CONTAINER_TOOLS = (READ_FILE, WRITE_FILE, SHELL)
MAX_TIME_LIMIT_MS = 3_600_000
MAX_MEMORY_MB = 1_048_576
MAX_LIST = 100
"""Entries of a list."""
MAX_BYTES = 1_073_741_824

_COMMAND = re.compile(r"[^\s\x00-\x1f\x7f'\"\\`$;&|<>()]{1,200}")
_PORT = re.compile(r"(?:[^:\[\]]+|\[[^\]]+\]):([0-9]{1,20})")

E = TypeVar("E", bound=StrEnum)


class WrongValueError(ValueError):
    """A value that may not stand there; ``.args`` are what is wrong, each to go on after the key's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """``read`` turns a TOML value into the grant's, or raises ``WrongValueError``; ``tools`` have the key.

    ``mcp`` is whether a grant for tools of an MCP server has it.
    """

    read: Callable[[object], object]
    tools: tuple[str, ...] = GRANTED_TOOLS
    mcp: bool = True

    def fits(self, tool: str) -> bool:
        """Whether a grant for this tool may have the key."""
        return self.mcp if tool.startswith(PREFIX) else tool in self.tools


def _tool(value: object) -> str:
    if not isinstance(value, str):
        raise WrongValueError("is no string; write a tool's name")
    if value in MEMORY_TOOLS:
        raise BuiltInPolicyError
    if value.startswith(PREFIX):
        return _of_mcp(value)
    if value not in GRANTED_TOOLS:
        meant = hint(value, GRANTED_TOOLS) or _choices(GRANTED_TOOLS)
        raise WrongValueError(f"is no tool that takes a grant{meant}")
    return value


def _of_mcp(value: str) -> str:
    if granted_server(value) is None:
        raise WrongValueError(
            "is no tool of an MCP server; write mcp.SERVER.TOOL, or mcp.SERVER.* for all of its tools, "
            f"where a server's name has {SERVER_RULE}"
        )
    return value


class BuiltInPolicyError(WrongValueError):
    """The grant names a memory tool."""


def _choices(values: tuple[str, ...]) -> str:
    return f"; write {', '.join(values[:-1])} or {values[-1]}"


def _meant(value: object, names: tuple[str, ...]) -> str:
    """The nearest name, else all of them."""
    return (hint(value, names) if isinstance(value, str) else "") or _choices(names)


def _one_of(kind: type[E]) -> Callable[[object], E]:
    names = tuple(member.value for member in kind)

    def read(value: object) -> E:
        if not isinstance(value, str) or value not in names:
            raise WrongValueError(f"is not known{_meant(value, names)}")
        return kind(value)

    return read


def read_level(value: object) -> Level:
    """A class by its name; raises ``WrongValueError``."""
    names = tuple(level.text for level in Level)
    if not isinstance(value, str) or value not in names:
        raise WrongValueError(f"is no class{_meant(value, names)}")
    return Level.parse(value)


def read_boolean(value: object) -> bool:
    """True or false, and nothing that merely looks so; raises ``WrongValueError``."""
    if not isinstance(value, bool):
        raise WrongValueError("is no boolean; write true or false, without quotes")
    return value


def _whole(most: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if type(value) is not int:
            raise WrongValueError(f"is no whole number; write one from 1 to {most}, without quotes")
        if not 1 <= value <= most:
            raise WrongValueError(f"is out of range; write a whole number from 1 to {most}")
        return value

    return read


def _moment(value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise WrongValueError("is no date-time with a time zone; write one such as 2027-01-31T12:00:00Z")
    return value


def _list(read: Callable[[str], str], example: str) -> Callable[[object], tuple[str, ...]]:
    def read_all(value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise WrongValueError(f"is no list of strings; write one such as {example}")
        if not 1 <= len(value) <= MAX_LIST:
            raise WrongValueError(f"has {len(value)} entries; write 1 to {MAX_LIST}, or leave the key out")
        return _each_once(value, read)

    return read_all


def _each_once(value: list[str], read: Callable[[str], str]) -> tuple[str, ...]:
    """Read all entries, so that everything wrong with any of them is told."""
    made: list[str] = []
    wrong: list[str] = []
    for written in value:
        try:
            entry = read(written)
        except WrongValueError as error:
            wrong.append(f"holds {shown(written, 'an entry')}, {error}")
            continue
        if entry in made:
            wrong.append(f"names {shown(entry, 'the same')} twice; write each once")
        made.append(entry)
    if wrong:
        raise WrongValueError(*wrong)
    return tuple(made)


def shown(written: str, otherwise: str) -> str:
    """An entry as a sentence may hold it: short and of visible ASCII, else other words for it."""
    return written if re.fullmatch(r"[\x21-\x7e](?:[\x20-\x7e]{0,98}[\x21-\x7e])?", written) else otherwise


def _path(value: str) -> str:
    folder = plain_folder(value)
    if folder is None:
        raise WrongValueError("which is no absolute and plain path; write one such as /home/me/notes")
    if reason := unfit(folder):
        raise WrongValueError(reason)
    return folder


def _host(value: str) -> str:
    from bxcore.grants.host_rule import HostError, host_rule, never_dialled

    if "://" in value:
        raise WrongValueError("which is an address; drop http:// and all behind the host")
    port = _PORT.fullmatch(value)
    if port is not None and not 1 <= int(port[1]) <= MAX_PORT:
        raise WrongValueError(f"whose port is out of range; write one from 1 to {MAX_PORT}")
    try:
        rule = host_rule(value)
    except HostError as error:
        raise WrongValueError(error.sentence) from None
    never = never_dialled(rule)
    if never is not None:
        raise WrongValueError(never)
    return str(rule)


def _method(value: str) -> str:
    if value not in METHODS:
        raise WrongValueError(f"which is no method that is known{_choices(METHODS)}")
    return value


def _command(value: str) -> str:
    if not _COMMAND.fullmatch(value):
        raise WrongValueError('which is more than a first word; write words alone, such as "ls" and "git"')
    return value


KEYS: Mapping[str, Key] = {
    "tool": Key(read=_tool),
    "mode": Key(read=_one_of(Mode)),
    "max_taint": Key(read=read_level),
    "result_class": Key(read=read_level),
    "untrusted": Key(read=read_boolean),
    "when_untrusted": Key(read=_one_of(WhenUntrusted)),
    "expires": Key(read=_moment),
    "paths": Key(read=_list(_path, '["/home/me/notes"]'), tools=CONTAINER_TOOLS, mcp=False),
    "read_only": Key(read=read_boolean, tools=CONTAINER_TOOLS, mcp=False),
    "hosts": Key(read=_list(_host, '["example.org"]'), tools=(HTTP_FETCH,), mcp=False),
    "methods": Key(read=_list(_method, '["GET"]'), tools=(HTTP_FETCH,), mcp=False),
    "max_bytes": Key(read=_whole(MAX_BYTES), tools=(HTTP_FETCH,), mcp=False),
    "commands": Key(read=_list(_command, '["ls"]'), tools=(SHELL,), mcp=False),
    "time_limit_ms": Key(read=_whole(MAX_TIME_LIMIT_MS), tools=CONTAINER_TOOLS),
    "memory_mb": Key(read=_whole(MAX_MEMORY_MB), tools=CONTAINER_TOOLS, mcp=False),
}
"""Every key that a grant may have."""

REQUIRED = ("tool", "mode")
