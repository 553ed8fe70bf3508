"""Doctor's word on the Python, the configuration, the grants and the state folder."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bxcore.config import Settings
from bxcore.doctor import Check, Verdict
from bxcore.grants import Grant
from bxcore.paths import Paths
from bxcore.startup import Problem, examine, owners_grants
from bxctl.called import typed
from bxctl.examining.folders import folder_checks
from bxctl.granted_text import counted

LEAST_FREE_MB = 200
"""Below that a log may soon be unable to grow."""
_MB = 1 << 20


def settings_of(paths: Paths) -> tuple[Settings | None, tuple[Problem, ...]]:
    """What a start would read, and every problem of it."""
    examined = examine(paths, os.environ, cwd=Path.cwd())
    return examined.settings, examined.problems


def python_check() -> Check:
    """Which Python this is."""
    sentence = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    return Check(name="python", verdict=Verdict.OK, sentence=sentence)


def configuration_checks(
    paths: Paths, settings: Settings | None, problems: tuple[Problem, ...]
) -> Iterator[Check]:
    """The files that were read, each problem, and how many grants there are."""
    there = [str(file.path) for file in paths.config_files if file.path.is_file()]
    for problem in problems:
        yield Check(
            name="configuration",
            verdict=Verdict.BAD,
            sentence=str(problem),
            help=f"edit it; {typed('check')}",
        )
    if not problems:
        sentence = ", ".join(there) or "no file, the defaults hold"
        hint = None if there else f"{typed('init')} writes one with comments"
        yield Check(name="configuration", verdict=Verdict.OK, sentence=sentence, help=hint)
        own = owners_grants(settings.broker.grants if settings else None, paths).grants
        yield _grants_check(own, (settings.broker.grants if settings else None) or paths.grants)
        yield from folder_checks(own, settings)


def _grants_check(own: Sequence[Grant], folder: Path) -> Check:
    if own:
        return Check(name="grants", verdict=Verdict.OK, sentence=counted(own))
    return Check(
        name="grants",
        verdict=Verdict.OK,
        sentence=f"none of yours in {folder}, so files, shell and fetches are refused",
        help=f"{typed('init')} writes examples",
    )


def state_check(folder: Path) -> Check:
    """Whether the box can keep what it knows there."""
    try:
        found = folder.stat()
        free_mb = shutil.disk_usage(folder).free // _MB
    except FileNotFoundError:
        sentence = f"{folder} is not there yet, the first start makes it"
        return Check(name="state", verdict=Verdict.OK, sentence=sentence)
    except OSError as error:
        sentence = f"{folder} cannot be looked at: {error.strerror}"
        return Check(name="state", verdict=Verdict.BAD, sentence=sentence, help=f"ls -ld {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            name="state",
            verdict=Verdict.BAD,
            sentence=f"{folder} cannot be written by you",
            help="run this as the user that runs the box, or give the folder to it",
        )
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        sentence = f"{folder} is open to others"
        return Check(name="state", verdict=Verdict.WARN, sentence=sentence, help=f"chmod 700 {folder}")
    if free_mb < LEAST_FREE_MB:
        sentence = f"{folder} has {free_mb} MB free"
        return Check(name="state", verdict=Verdict.WARN, sentence=sentence, help="free some space")
    return Check(name="state", verdict=Verdict.OK, sentence=f"{folder}, {free_mb} MB free")
