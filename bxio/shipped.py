"""The files that come with boxmaker: in the installed package, else in the checkout (``config/``)."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Find ``config/<name>``; raises ``FileNotFoundError`` when this installation lost it."""
    for folder in (_ROOT / "bxcore" / "config_files", _ROOT / "config"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"boxmaker's own file {name} is missing; install it again")
