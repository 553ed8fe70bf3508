"""What ``serve`` was told on its command line, examined before anything is started (spec 5.4, 6.2)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bxcore import paths as path_rules
from bxcore.config import Secrets, Settings
from bxcore.control import Exit
from bxcore.paths import Paths
from bxcore.startup import examine


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A configuration without a problem, its secrets, and where the box keeps what."""

    settings: Settings
    secrets: Secrets
    paths: Paths


def opening(argv: Sequence[str] | None) -> Opening | Exit:
    """Read ``serve [--home DIR] [--config FILE]``; every problem of the configuration is on stderr then."""
    arguments = _arguments(argv)
    try:
        paths = path_rules.find(os.environ, cwd=Path.cwd(), home=arguments.home, config=arguments.config)
    except path_rules.PathError as error:
        return refuse([error.sentence], Exit.USAGE)
    examined = examine(paths, os.environ, cwd=Path.cwd())
    if examined.settings is None or examined.problems:
        return refuse(map(str, examined.problems), Exit.USAGE)
    return Opening(settings=examined.settings, secrets=examined.secrets, paths=paths)


def refuse(sentences: Iterable[str], code: Exit) -> Exit:
    """Say on stderr why nothing is started; the code is the process's."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)  # noqa: T201 - no log is set up before the configuration is known
    return code


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="boxmaker serve", description="run the supervised process")
    parser.add_argument("command", nargs="?", choices=["serve"], default="serve", help=argparse.SUPPRESS)
    parser.add_argument("--home", metavar="DIR", help="configuration, state and socket under one folder")
    parser.add_argument("--config", metavar="FILE", help="read this boxmaker.toml")
    return parser.parse_args(argv)
