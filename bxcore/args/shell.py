"""The arguments of ``shell`` (spec 1.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

SHELL = "shell"
MAX_COMMAND = 8192
"""Characters of a command."""
MAX_TIMEOUT_S = 300
DEFAULT_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class ShellArgs:
    """A command line, and how many seconds it may take."""

    TOOL: ClassVar[str] = SHELL
    SHAPE: ClassVar[Mapping[str, Kind]] = {"command": Kind.TEXT, "timeout_s": Kind.WHOLE}

    command: str
    timeout_s: int = DEFAULT_TIMEOUT_S

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the command, the time."""
        if not self.command.strip():
            raise ArgsError("command is empty; write the command to run")
        if len(self.command) > MAX_COMMAND:
            raise ArgsError(
                f"command has {len(self.command)} characters, over the limit of {MAX_COMMAND}; "
                "write a shorter one, or put a script in a file"
            )
        if "\0" in self.command:
            raise ArgsError("command holds a NUL character; leave it out")
        if not 1 <= self.timeout_s <= MAX_TIMEOUT_S:
            raise ArgsError(f"timeout_s is out of range; write whole seconds from 1 to {MAX_TIMEOUT_S}")
