"""All that is wrong with a box's configuration and grants, before anything is started (spec 5.4, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bxcore.config import ConfigProblem, Secrets, Settings, read, read_secrets
from bxcore.config.derived import secret_files
from bxcore.grants import SANDBOXED_TOOLS, Grants, Mode, load
from bxcore.paths import Paths, socket_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong, of the configuration or of a grant alike; ``line`` counts from 1."""

    file: str
    line: int | None
    problem: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.problem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """``settings`` is None when the configuration could not be read as a whole; a start needs no problem."""

    settings: Settings | None
    secrets: Secrets
    problems: tuple[Problem, ...]


def examine(paths: Paths, environ: Mapping[str, str], *, cwd: Path) -> Examined:
    """Read the configuration, its secrets and the grants through ``paths``; every problem of all of them."""
    loaded = read(paths, environ, cwd=cwd)
    problems = [_of_configuration(each) for each in loaded.problems]
    secrets = Secrets()
    if loaded.settings is not None:
        paths = replace(paths, secret_files=secret_files(loaded.settings))
        secrets, more = read_secrets(loaded.settings, paths, environ, loaded.origins)
        problems += [_of_configuration(each) for each in more]
    granted = owners_grants(loaded.settings.broker.grants if loaded.settings else None, paths)
    problems += [Problem(file=each.file, line=each.line, problem=each.problem) for each in granted.problems]
    problems += _of_socket(loaded.settings.control.socket if loaded.settings else None, paths.socket)
    return Examined(settings=loaded.settings, secrets=secrets, problems=tuple(problems))


def _of_configuration(each: ConfigProblem) -> Problem:
    sentence = f"{each.key}: {each.sentence}".removeprefix(": ")
    return Problem(file=each.place, line=each.line, problem=sentence)


def owners_grants(named: Path | None, paths: Paths) -> Grants:
    """The owner's grants, from the folder that ``[broker] grants`` names or the usual one.

    A folder that nobody named and that is not there holds none. None of the box's own files is granted.
    """
    if named is None and not paths.grants.exists():
        return Grants((), ())
    return load(named or paths.grants, map(str, paths.own))


def needs_sandbox(named: Path | None, paths: Paths) -> bool:
    """Whether a grant of the owner, read as by ``owners_grants``, permits a tool that runs in a sandbox."""
    grants = owners_grants(named, paths).grants
    return any(grant.tool in SANDBOXED_TOOLS and grant.mode is not Mode.DENY for grant in grants)


def _of_socket(named: Path | None, usual: Path) -> Iterator[Problem]:
    """A socket that the configuration names was checked with it."""
    sentence = socket_problem(usual) if named is None else None
    if sentence is not None:
        yield Problem(file=str(usual.parent), line=None, problem=sentence)
