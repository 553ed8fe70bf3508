"""The owner's grants, read from a folder: every problem at once, with its file and line (spec 2.2).

The folder is handed in and only its methods are used: this module opens nothing by a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from bxcore import toml_lines
from bxcore.args import READ_FILE, WRITE_FILE
from bxcore.did_you_mean import hint
from bxcore.errors import system_reason
from bxcore.grants.grant import BUILT_IN, Grant, WhenUntrusted
from bxcore.grants.keys import KEYS, REQUIRED, BuiltInPolicyError, WrongValueError

MAX_FILE = 65_536
"""Bytes of a grant's file."""
MEMORY_POLICY = "the policy of recall, memory and ask_memory is built in; remove this grant"

_ID = re.compile(r"[a-z0-9-]{1,64}")


class Folder(Protocol):
    """What is used of a ``pathlib.Path``."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    @property
    def stem(self) -> str:
        """The name without its suffix."""

    @property
    def suffix(self) -> str:
        """The name's ending, with its dot."""

    def iterdir(self) -> Iterable[Self]:
        """What is in the folder; may raise ``OSError``."""

    def is_dir(self) -> bool:
        """Whether it is a folder that is there."""

    def read_bytes(self) -> bytes:
        """The file's bytes; may raise ``OSError``."""

    def __truediv__(self, key: str, /) -> Self: ...


class GrantProblem(NamedTuple):
    """One thing that is wrong: in which file, on which line (from 1), and a sentence that says what to do."""

    file: str
    line: int
    problem: str


class Grants(NamedTuple):
    """The good grants of a folder, by id, and all problems by file and line; ``BUILT_IN`` is apart."""

    grants: tuple[Grant, ...]
    problems: tuple[GrantProblem, ...]


def load(folder: Folder) -> Grants:
    """Read every ``*.toml`` of a folder; a set with problems is a bad set, whatever grants are left.

    Never raises for what is in the folder. A folder that is not there is a problem too.
    """
    if not folder.is_dir():
        return Grants((), (GrantProblem(str(folder), 1, "the folder of grants does not exist; make it"),))
    try:
        files = sorted(folder.iterdir(), key=lambda file: file.name)
    except OSError as error:
        return Grants(
            (), (GrantProblem(str(folder), 1, f"the folder cannot be read: {system_reason(error)}"),)
        )
    taken = {grant.id: "a built-in grant" for grant in BUILT_IN}
    grants: list[Grant] = []
    problems: list[GrantProblem] = []
    for file in files:
        if file.suffix.lower() == ".toml" and not file.name.startswith("."):
            grant, found = _load_file(file, folder, taken)
            problems += sorted(found)
            grants += [grant] if grant else []
            taken.setdefault(file.stem, file.name)
    return Grants(tuple(grants), tuple(problems))


Loaded: TypeAlias = tuple[Grant | None, list[GrantProblem]]


def _load_file(file: Folder, folder: Folder, taken: Mapping[str, str]) -> Loaded:
    problems = [GrantProblem(str(file), 1, problem) for problem in _id_problems(file.stem, taken)]
    try:
        text = _text_of(file)
        table = _table_of(text)
    except _UnreadableError as error:
        return None, [*problems, GrantProblem(str(file), error.line, error.problem)]
    values, found = _values(table)
    found += _missing_folders(values, folder)
    problems += [
        GrantProblem(str(file), toml_lines.line_of(text, (key,)) if key in table else 1, problem)
        for key, problem in found
    ]
    return (None if problems else _grant(file.stem, text, values)), problems


class _UnreadableError(Exception):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def _id_problems(stem: str, taken: Mapping[str, str]) -> Iterator[str]:
    if not _ID.fullmatch(stem):
        yield "a grant's id is its file's name: 1 to 64 of a-z, 0-9 and -; rename the file"
    elif stem in taken:
        yield f"the id {stem} is that of {taken[stem]} already; rename the file"


def _text_of(file: Folder) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _UnreadableError(1, f"the file cannot be read: {system_reason(error)}") from None
    if len(data) > MAX_FILE:
        raise _UnreadableError(1, f"the file has {len(data)} bytes, over the limit of {MAX_FILE}; shorten it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _UnreadableError(line, "this is no UTF-8; save the file as UTF-8") from None


def _table_of(text: str) -> dict[str, Any]:
    import tomli

    try:
        return tomli.loads(text)
    except RecursionError:
        raise _UnreadableError(1, "this is nested too deep; write plain keys") from None
    except ValueError as error:
        raise _UnreadableError(*toml_lines.syntax_problem(error, text)) from None


def _values(table: Mapping[str, object]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The keys' values as a grant has them, and what is wrong: the key and the sentence."""
    values: dict[str, Any] = {}
    problems = [(key, f"{key} is missing; write it") for key in REQUIRED if key not in table]
    for key, value in table.items():
        if key not in KEYS:
            problems.append((key, f"{_shown(key)} is no key of a grant{hint(key, KEYS) or '; remove it'}"))
            continue
        try:
            values[key] = KEYS[key].read(value)
        except BuiltInPolicyError:
            return {}, [(key, MEMORY_POLICY)]
        except WrongValueError as error:
            problems.append((key, f"{key} {error}"))
    return values, problems + _misplaced(values)


def _shown(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", key) else "this"


def _misplaced(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    tool = values.get("tool")
    if tool is None:
        return []
    return [
        (key, f"{key} is no key of a grant for {tool}; remove it")
        for key in values
        if tool not in KEYS[key].tools
    ]


def _missing_folders(values: Mapping[str, Any], folder: Folder) -> list[tuple[str, str]]:
    return [
        ("paths", f"the folder {path} does not exist; make it or take it out")
        for path in values.get("paths", ())
        if not (folder / path).is_dir()
    ]


def _grant(stem: str, text: str, values: Mapping[str, Any]) -> Grant:
    """Where nothing is said, reading is allowed in an untrusted session, and all but writing is read-only."""
    tool = values["tool"]
    unsaid = {
        "when_untrusted": WhenUntrusted.ALLOW if tool == READ_FILE else WhenUntrusted.ASK,
        "read_only": tool != WRITE_FILE,
    }
    return Grant(id=stem, text=text, **{**unsaid, **values})
