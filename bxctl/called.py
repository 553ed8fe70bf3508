"""What a person types for a command: ``./bx`` has its own names for those of ``boxmaker`` and ``bxctl``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from shlex import quote

BX_COMMANDS = ("chat", "serve", "init", "image", "check-config", "test", "check", "bench", "docs")
"""The commands that ``./bx`` knows itself; all others it hands to ``bxctl``."""
_BOXMAKERS = frozenset({"chat", "serve", "init", "image", "check"})
_NAMED_BY_BX = {"check": "check-config"}  # `./bx check` is lint and types


def typed(command: str) -> str:
    """Write a command as this person has to type it: ``./bx tree`` or ``bxctl tree``."""
    bx = _bx()
    if bx is not None:
        return f"{bx} {_NAMED_BY_BX.get(command, command)}"
    return f"{'boxmaker' if command in _BOXMAKERS else 'bxctl'} {command}"


def speaker(program: str) -> str:
    """Name who speaks in an error: the program, or ``bx`` where that was typed."""
    return program if _bx() is None else "bx"


def listing(program: str) -> str:
    """Write the command that lists all commands."""
    return _bx() or f"{program} --help"


def known(commands: Iterable[str]) -> list[str]:
    """List the names that may have been meant by a mistyped one."""
    return [*commands, *(BX_COMMANDS if _bx() is not None else ())]


def _bx() -> str | None:
    """How ``./bx`` was typed, ready for a shell; None when it was not."""
    bx = os.environ.get("BX_TYPED")
    return quote(bx) if bx else None
