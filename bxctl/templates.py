"""The files that ``init`` writes: the commented configuration and the example grants."""

from __future__ import annotations

from pathlib import Path

from bxcore.control import Exit
from bxctl.errors import CommandError

_ROOT = Path(__file__).resolve().parent.parent
_PLACES = (_ROOT / "bxcore" / "config_files", _ROOT / "config")
"""In an install the files lie in a package of ours; in a checkout in ``config/``."""


def templates() -> Path:
    """Find their folder."""
    for place in _PLACES:
        if (place / "boxmaker.toml").is_file():
            return place
    raise CommandError(Exit.FAILED, "the example files are missing from this install; install boxmaker again")
