"""All that is wrong with a box's configuration and grants, before anything is started (spec 5.4, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bxcore import grants
from bxcore.config import ConfigProblem, Secrets, Settings, read, read_secrets
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
        secrets, more = read_secrets(loaded.settings, paths, environ, loaded.origins)
        problems += [_of_configuration(each) for each in more]
    problems += _of_grants(loaded.settings.broker.grants if loaded.settings else None, paths.grants)
    problems += _of_socket(loaded.settings.control.socket if loaded.settings else None, paths.socket)
    return Examined(settings=loaded.settings, secrets=secrets, problems=tuple(problems))


def _of_configuration(each: ConfigProblem) -> Problem:
    sentence = f"{each.key}: {each.sentence}".removeprefix(": ")
    return Problem(file=each.place, line=each.line, problem=sentence)


def _of_grants(named: Path | None, usual: Path) -> Iterator[Problem]:
    """A folder that nobody named and that is not there holds no grants."""
    if named is None and not usual.exists():
        return
    for each in grants.load(named or usual).problems:
        yield Problem(file=each.file, line=each.line, problem=each.problem)


def _of_socket(named: Path | None, usual: Path) -> Iterator[Problem]:
    """A socket that the configuration names was checked with it."""
    sentence = socket_problem(usual) if named is None else None
    if sentence is not None:
        yield Problem(file=str(usual.parent), line=None, problem=sentence)
