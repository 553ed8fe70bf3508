"""``boxmaker check``: every problem of the configuration and the grants, with file and line (spec 6.2)."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bxcore.control import Exit
from bxcore.paths import Paths
from bxctl.place import paths_of
from bxctl.printing import as_json, data, talk

EPILOG = "exits 0 when there is no problem, 2 when there are; the problems go to stdout, the rest to stderr"


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Examine what a start would examine, and print every problem."""
    from bxcore.startup import examine

    paths = paths_of(args)
    examined = examine(paths, os.environ, cwd=Path.cwd())
    problems = examined.problems
    if args.json:
        as_json([{"file": each.file, "line": each.line, "problem": each.problem} for each in problems])
    else:
        for each in problems:
            data(str(each))
    if problems:
        (talk if args.json else data)(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
        return Exit.USAGE
    for line in _well(paths, examined.settings.broker.grants if examined.settings else None):
        talk(line)
    return Exit.OK


def _well(paths: Paths, named: Path | None) -> Iterator[str]:
    """What was read, and what in it may not be what its owner thinks."""
    from bxcore.startup import owners_grants
    from bxctl.granted_text import counted, expired, left_over

    there = [str(file.path) for file in paths.config_files if file.path.is_file()]
    yield f"the configuration is well: {', '.join(there) or 'no file, the defaults hold'}"
    grants, folder = owners_grants(named, paths).grants, named or paths.grants
    yield counted(grants) if grants else f"no grant of yours in {folder}"
    yield from expired(grants, folder, datetime.now(UTC))
    rest = left_over(folder)
    if rest is not None:
        yield rest
