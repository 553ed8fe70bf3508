"""``boxmaker check``: every problem of the configuration and the grants, with file and line (spec 6.2)."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

from bxcore.control import Exit
from bxcore.paths import Paths
from bxctl.place import paths_of
from bxctl.printing import as_json, data, talk

EPILOG = "exits 2 when there are problems; what is right is said on stderr"


@dataclass(frozen=True, slots=True)
class _Problem:
    """One problem, of the configuration or of a grant alike."""

    file: str
    line: int | None
    problem: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.problem}"


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Check all, print all."""
    paths = paths_of(args)
    configured, grants = _configuration(paths)
    problems = configured + _grants(grants or paths.grants, named=grants is not None)
    if args.json:
        as_json([{"file": each.file, "line": each.line, "problem": each.problem} for each in problems])
    else:
        for each in problems:
            data(str(each))
    talk(_summary(problems, paths))
    return Exit.USAGE if problems else Exit.OK


def _configuration(paths: Paths) -> tuple[list[_Problem], Path | None]:
    """Check the configuration and its secrets; the folder of grants that it names."""
    from bxcore.config import read, read_secrets

    loaded = read(paths, os.environ, cwd=Path.cwd())
    found = list(loaded.problems)
    if loaded.settings is not None:
        found += read_secrets(loaded.settings, paths, os.environ, loaded.origins)[1]
    problems = [
        _Problem(each.place, each.line, f"{each.key}: {each.sentence}".removeprefix(": ")) for each in found
    ]
    return problems, loaded.settings.broker.grants if loaded.settings else None


def _grants(folder: Path, *, named: bool) -> list[_Problem]:
    """Check the grants; a folder that nobody named and that is not there holds none."""
    from bxcore.grants import load

    if not named and not folder.exists():
        return []
    return [_Problem(each.file, each.line, each.problem) for each in load(folder).problems]


def _summary(problems: list[_Problem], paths: Paths) -> str:
    if problems:
        return f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    there = [str(file.path) for file in paths.config_files if file.path.is_file()]
    return f"the configuration is well: {', '.join(there) or 'no file, the defaults hold'}"
