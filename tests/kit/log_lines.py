"""The lines that were logged while a test looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loguru import logger


@contextmanager
def log_lines() -> Iterator[list[str]]:
    """A list that grows by ``LEVEL text`` with each line."""
    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line).rstrip("\n")), format="{level} {message}")
    try:
        yield lines
    finally:
        logger.remove(sink)
