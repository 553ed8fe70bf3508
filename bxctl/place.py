"""Which process a command speaks to: its socket, from flags, environment and configuration (spec 6.2)."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path

from bxcore.paths import Paths, anchored, find


def paths_of(args: Namespace) -> Paths:
    """Every path for the flags of a command; raises ``PathError``."""
    return find(os.environ, cwd=Path.cwd(), home=args.home, config=args.config)


def socket_of(args: Namespace) -> Path:
    """Find the control socket; raises ``PathError``.

    Only ``[control] socket`` is read of the configuration, and a broken file counts as silent here: the
    process may run well on what it read before. ``boxmaker check`` says what is wrong with it.
    """
    named = args.socket or os.environ.get("BOXMAKER_CONTROL__SOCKET")
    if named:
        return anchored(named, Path.cwd(), os.environ.get("HOME"))
    paths = paths_of(args)
    for file in paths.config_files:
        found = _configured(file.path)
        if found is not None:
            return found
    return paths.socket


def _configured(file: Path) -> Path | None:
    try:
        content = file.read_bytes()
    except OSError:
        return None
    if b"socket" not in content:
        return None
    import tomli

    try:
        control = tomli.loads(content.decode("utf-8")).get("control", {})
    except (ValueError, RecursionError):
        return None
    named = control.get("socket") if isinstance(control, dict) else None
    return anchored(named, file.parent, os.environ.get("HOME")) if isinstance(named, str) and named else None
