"""Folders in folders, deeper than a function may call itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DEPTH = 1_500


@contextmanager
def nested(folder: Path) -> Iterator[Path]:
    """The deepest of them; those that are still there are removed again."""
    made = [folder]
    folder.mkdir(parents=True)
    for _ in range(DEPTH):
        made.append(made[-1] / "d")
        made[-1].mkdir()
    try:
        yield made[-1]
    finally:
        for each in reversed(made):
            with suppress(FileNotFoundError):
                each.rmdir()
