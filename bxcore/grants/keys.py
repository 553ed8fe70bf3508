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
from bxcore.args.paths import normalised
from bxcore.did_you_mean import hint
from bxcore.grants.grant import GRANTED_TOOLS, MEMORY_TOOLS, Mode, WhenUntrusted
from bxcore.labels import Level

CONTAINER_TOOLS = (READ_FILE, WRITE_FILE, SHELL)
MAX_TIME_LIMIT_MS = 3_600_000
MAX_MEMORY_MB = 1_048_576
MAX_LIST = 100
"""Entries of a list."""
MAX_BYTES = 1_073_741_824
MAX_PORT = 65_535

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL}){{0,30}}(?::[0-9]{{1,5}})?")
_COMMAND = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}")

E = TypeVar("E", bound=StrEnum)


class WrongValueError(ValueError):
    """A value that may not stand there; ``.args[0]`` is what to write instead, after the key's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """``read`` turns a TOML value into the grant's, or raises ``WrongValueError``; ``tools`` have the key."""

    read: Callable[[object], object]
    tools: tuple[str, ...] = GRANTED_TOOLS


def _tool(value: object) -> str:
    if not isinstance(value, str):
        raise WrongValueError("is no string; write a tool's name")
    if value in MEMORY_TOOLS:
        raise BuiltInPolicyError
    if value not in GRANTED_TOOLS:
        meant = hint(value, GRANTED_TOOLS) or _choices(GRANTED_TOOLS)
        raise WrongValueError(f"is no tool that takes a grant{meant}")
    return value


class BuiltInPolicyError(WrongValueError):
    """The grant names a memory tool."""


def _choices(values: tuple[str, ...]) -> str:
    return f"; write {', '.join(values[:-1])} or {values[-1]}"


def _one_of(kind: type[E]) -> Callable[[object], E]:
    names = tuple(member.value for member in kind)

    def read(value: object) -> E:
        if not isinstance(value, str) or value not in names:
            raise WrongValueError(f"is not known{_choices(names)}")
        return kind(value)

    return read


def _level(value: object) -> Level:
    names = tuple(level.text for level in Level)
    if not isinstance(value, str) or value not in names:
        raise WrongValueError(f"is no class{_choices(names)}")
    return Level.parse(value)


def _boolean(value: object) -> bool:
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
        made = tuple(read(each) for each in value)
        if len(set(made)) != len(made):
            raise WrongValueError("names the same twice; write each once")
        return made

    return read_all


def _path(value: str) -> str:
    if not value.startswith("/") or "\0" in value or ".." in value.split("/"):
        raise WrongValueError("holds a path that is not absolute and plain; write one such as /home/me/notes")
    return normalised(value) or "/"


def _host(value: str) -> str:
    host = value.lower()
    port = host.partition(":")[2]
    if not _HOST.fullmatch(host) or (port and not 1 <= int(port) <= MAX_PORT):
        raise WrongValueError("holds what is no host; write a name, *.suffix or name:port")
    return host


def _method(value: str) -> str:
    if value not in METHODS:
        raise WrongValueError(f"holds a method that is not known{_choices(METHODS)}")
    return value


def _command(value: str) -> str:
    if not _COMMAND.fullmatch(value):
        raise WrongValueError(
            'holds more than a first word; write the first words alone, such as ["ls", "git"]'
        )
    return value


KEYS: Mapping[str, Key] = {
    "tool": Key(read=_tool),
    "mode": Key(read=_one_of(Mode)),
    "max_taint": Key(read=_level),
    "result_class": Key(read=_level),
    "untrusted": Key(read=_boolean),
    "when_untrusted": Key(read=_one_of(WhenUntrusted)),
    "expires": Key(read=_moment),
    "paths": Key(read=_list(_path, '["/home/me/notes"]'), tools=CONTAINER_TOOLS),
    "read_only": Key(read=_boolean, tools=CONTAINER_TOOLS),
    "hosts": Key(read=_list(_host, '["example.org"]'), tools=(HTTP_FETCH,)),
    "methods": Key(read=_list(_method, '["GET"]'), tools=(HTTP_FETCH,)),
    "max_bytes": Key(read=_whole(MAX_BYTES), tools=(HTTP_FETCH,)),
    "commands": Key(read=_list(_command, '["ls"]'), tools=(SHELL,)),
    "time_limit_ms": Key(read=_whole(MAX_TIME_LIMIT_MS), tools=CONTAINER_TOOLS),
    "memory_mb": Key(read=_whole(MAX_MEMORY_MB), tools=CONTAINER_TOOLS),
}
"""Every key that a grant may have."""

REQUIRED = ("tool", "mode")
