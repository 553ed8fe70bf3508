"""Why a command could not do what it was asked."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.control.exit_codes import Exit


@dataclass(eq=False)
class CommandError(Exception):
    """One sentence for stderr, and the exit code."""

    exit: Exit
    sentence: str
