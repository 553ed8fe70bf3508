"""The command line and the environment of the supervised process, and of others of ours."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path


def serve_command(args: Namespace) -> list[str]:
    """Build the command that runs the supervised process with the flags of this one."""
    return module_command("supervisor", args, "serve")


def module_command(module: str, args: Namespace, word: str) -> list[str]:
    """Build the command that runs a module of ours with the flags of this command, behind ``word``.

    ``-P`` keeps the current folder off the path: a ``supervisor.py`` lying there must not run as ours.
    Without debug ranges, the columns of each instruction, the process is half a megabyte smaller; a traceback
    names lines all the same.
    """
    flags = [flag for name in ("home", "config") for flag in _flag(args, name)]
    return [sys.executable, "-P", "-X", "no_debug_ranges", "-m", module, word, *flags]


def _flag(args: Namespace, name: str) -> Iterator[str]:
    value: str | None = getattr(args, name)
    if value is not None:
        yield from (f"--{name}", value)


def serve_environ() -> dict[str, str]:
    """The environment of that process: our own modules come first, before any other ``supervisor``."""
    root = str(Path(__file__).resolve().parent.parent)
    there = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{there}" if there else root}
