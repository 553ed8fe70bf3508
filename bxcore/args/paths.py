"""Paths in arguments: what is refused, and the normal form that grants are matched with (spec 1.6)."""

from __future__ import annotations

import unicodedata

from bxcore.args.errors import ArgsError

MAX_PATH = 4096
"""Characters of a path."""


def check_path(path: str) -> None:
    """Raise ``ArgsError``: empty, too long, a control or invisible character, ``..`` that climbs out."""
    if not path.strip():
        raise ArgsError("path is empty; write the path of a file")
    if len(path) > MAX_PATH:
        raise ArgsError(f"path has {len(path)} characters, over the limit of {MAX_PATH}; write a shorter one")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in path):
        raise ArgsError("path holds a control or invisible character; write the path with visible ones only")
    if normalised(path) is None:
        raise ArgsError("path leaves its folder with ..; write a path inside it")


def normalised(path: str) -> str | None:
    """The path without ``.``, empty and ``..`` steps; None when ``..`` climbs above its start.

    An absolute path stays absolute; a relative one is relative to the session's work folder, which is ``.``.
    """
    steps: list[str] = []
    for step in path.split("/"):
        if step in ("", "."):
            continue
        if step != "..":
            steps.append(step)
        elif steps:
            steps.pop()
        else:
            return None
    joined = "/".join(steps)
    return "/" + joined if path.startswith("/") else joined or "."
