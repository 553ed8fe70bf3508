"""``boxmaker check``: every problem of the configuration and the grants, with file and line (spec 6.2)."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
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
    problems = examine(paths, os.environ, cwd=Path.cwd()).problems
    if args.json:
        as_json([{"file": each.file, "line": each.line, "problem": each.problem} for each in problems])
    else:
        for each in problems:
            data(str(each))
    talk(_summary(problems, paths))
    return Exit.USAGE if problems else Exit.OK


def _summary(problems: Sequence[object], paths: Paths) -> str:
    if problems:
        return f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    there = [str(file.path) for file in paths.config_files if file.path.is_file()]
    return f"the configuration is well: {', '.join(there) or 'no file, the defaults hold'}"
