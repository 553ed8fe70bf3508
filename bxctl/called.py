"""What a person types for a command: ``./bx`` has its own names for those of ``boxmaker`` and ``bxctl``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from shlex import quote

BX_COMMANDS = ("chat", "serve", "init", "image", "check-config", "test", "check", "bench", "docs")
"""The commands that ``./bx`` knows itself; all others it hands to ``bxctl``."""
_BOXMAKERS = frozenset({"chat", "serve", "init", "image", "check"})
_COMMAND = re.compile(r"(?<![\w./-])(bxctl|boxmaker) ([a-z]+(?:-[a-z]+)*)(?![\w-])")
_NAMED_BY_BX = {"check": "check-config"}  # `./bx check` is lint and types


def typed(command: str) -> str:
    """Write a command as this person has to type it: ``./bx tree`` or ``bxctl tree``."""
    bx = _bx()
    if bx is not None:
        return f"{bx} {_NAMED_BY_BX.get(command, command)}"
    return f"{'boxmaker' if command in _BOXMAKERS else 'bxctl'} {command}"


def retyped(sentence: str) -> str:
    """A sentence of the box's, which cannot know how its commands are typed here. No call may go through it.

    Where ``./bx`` was typed, each ``bxctl tree`` and ``boxmaker check`` in it is written as ``typed`` has it.
    """
    return sentence if _bx() is None else _COMMAND.sub(_as_typed, sentence)


def _as_typed(found: re.Match[str]) -> str:
    from bxctl import boxmaker, main

    known_there = main.COMMANDS if found[1] == "bxctl" else boxmaker.COMMANDS
    return typed(found[2]) if found[2] in known_there else found[0]


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
