"""The texts of a chat that come by standard input, a line each (spec 6.2)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

LONGEST_LINE = 1_048_576


class NotTextError(ValueError):
    """A line of standard input that cannot be sent; ``sentence`` says which."""

    def __init__(self, number: int, why: str) -> None:
        self.sentence = f"line {number} {why}; it was not sent"
        super().__init__(self.sentence)


def lines_of_stdin() -> Iterator[str | NotTextError]:
    """Each line of standard input that says something; what cannot be sent is named and skipped."""
    number = 0
    while line := sys.stdin.buffer.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            yield NotTextError(number, "is longer than 1 MiB")
            _skip_rest(line)
            continue
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            yield NotTextError(number, "is not UTF-8 text")
            continue
        if text:
            yield text


def _skip_rest(line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = sys.stdin.buffer.readline(LONGEST_LINE)
