"""Why a command could not do what it was asked."""

from __future__ import annotations

from bxcore.control.exit_codes import Exit


class CommandError(Exception):
    """One sentence for stderr, and the exit code."""

    def __init__(self, exit_code: Exit, sentence: str) -> None:
        super().__init__(sentence)
        self.exit = exit_code
        self.sentence = sentence
