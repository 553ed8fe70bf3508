"""The owner's grants, read from a folder: every problem at once, with its file and line (spec 2.2).

The folder is handed in and only its methods are used: this module opens nothing by a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from bxcore import toml_lines
from bxcore.args import HTTP_FETCH, READ_FILE, SHELL, WRITE_FILE
from bxcore.did_you_mean import hint
from bxcore.errors import system_reason
from bxcore.grants.examples import EXAMPLES, Found, failing, read_examples
from bxcore.grants.folders import meets, unfit
from bxcore.grants.grant import BUILT_IN, Grant, Mode, WhenUntrusted
from bxcore.grants.grant_file import Folder, UnreadableError, table_of, text_of
from bxcore.grants.inside import replaceable, writable
from bxcore.grants.keys import KEYS, REQUIRED, BuiltInPolicyError, WrongValueError

MEMORY_POLICY = "the policy of recall, memory and ask_memory is built in; remove this grant"

_ID = re.compile(r"[a-z0-9-]{1,64}")


class GrantProblem(NamedTuple):
    """One thing that is wrong: in which file, on which line (from 1), and a sentence that says what to do."""

    file: str
    line: int
    problem: str


class Grants(NamedTuple):
    """The good grants of a folder, by id, and all problems by file and line; ``BUILT_IN`` is apart."""

    grants: tuple[Grant, ...]
    problems: tuple[GrantProblem, ...]


def load(folder: Folder, own: Iterable[str] = ()) -> Grants:
    """Read every ``*.toml`` of a folder; a set with problems is a bad set, whatever grants are left.

    Never raises for what is in the folder. A folder that is not there is a problem too. No grant may hold
    the folder of grants, nor one of ``own``: absolute paths of what the box keeps for itself.
    """
    if not _is_folder(folder):
        return Grants((), (GrantProblem(str(folder), 1, "the folder of grants does not exist; make it"),))
    try:
        files = sorted(folder.iterdir(), key=lambda file: file.name)
    except OSError as error:
        return Grants(
            (), (GrantProblem(str(folder), 1, f"the folder cannot be read: {system_reason(error)}"),)
        )
    kept = (*own, _real(folder) or str(folder))
    taken = {grant.id: "a built-in grant" for grant in BUILT_IN}
    grants: dict[str, Grant] = {}
    problems: list[GrantProblem] = []
    for file in files:
        if file.suffix.lower() == ".toml" and not file.name.startswith("."):
            grant, found = _load_file(file, _Around(folder, kept, taken))
            problems += sorted(found)
            grants |= {str(file): grant} if grant else {}
            taken.setdefault(file.stem, file.name)
    return Grants(tuple(grants.values()), (*problems, *_set_problems(grants)))


def _set_problems(grants: Mapping[str, Grant]) -> Iterator[GrantProblem]:
    """What is wrong between the good grants, each by its file's name."""
    writes = writable(grants.values())
    for file, grant in grants.items():
        for key, problem in replaceable(grant, writes):
            yield GrantProblem(file, _line(toml_lines.lines(grant.text), key), problem)


class _Around(NamedTuple):
    """What a file is checked against: where it lies, the box's own folders, and whose each id is already."""

    folder: Folder
    own: tuple[str, ...]
    taken: Mapping[str, str]


Loaded: TypeAlias = tuple[Grant | None, list[GrantProblem]]


def _load_file(file: Folder, around: _Around) -> Loaded:
    problems = [GrantProblem(str(file), 1, problem) for problem in _id_problems(file.stem, around.taken)]
    try:
        text = text_of(file)
        table = table_of(text)
    except UnreadableError as error:
        return None, [*problems, GrantProblem(str(file), error.line, error.problem)]
    grant, found = _read(file.stem, text, table, around)
    lines = toml_lines.lines(text) if found else {}
    problems += [GrantProblem(str(file), _line(lines, path), problem) for path, problem in found]
    return (None if problems else grant), problems


def _line(lines: Mapping[toml_lines.KeyPath, int], path: toml_lines.KeyPath) -> int:
    return next((lines[path[:size]] for size in range(len(path), 0, -1) if path[:size] in lines), 1)


def _read(
    stem: str, text: str, table: Mapping[str, object], around: _Around
) -> tuple[Grant | None, list[Found]]:
    """The grant, and what is wrong; its examples are tried once the grant itself is whole."""
    values, found = _values({key: value for key, value in table.items() if key != EXAMPLES})
    if any(sentence == MEMORY_POLICY for _, sentence in found):
        return None, found
    found += [(("paths",), problem) for problem in _folder_problems(values.get("paths", ()), around)]
    examples, wrong = read_examples(table.get(EXAMPLES, []))
    if found:
        return None, found + wrong
    real = tuple(_real(around.folder / path) or path for path in values.get("paths", ()))
    grant = _grant(stem, text, {**values, "real_paths": real})
    return grant, wrong + failing(examples, grant)


def _id_problems(stem: str, taken: Mapping[str, str]) -> Iterator[str]:
    if not _ID.fullmatch(stem):
        yield "a grant's id is its file's name: 1 to 64 of a-z, 0-9 and -; rename the file"
    elif stem in taken:
        yield f"the id {stem} is that of {taken[stem]} already; rename the file"


def _values(table: Mapping[str, object]) -> tuple[dict[str, Any], list[Found]]:
    """The keys' values as a grant has them, and what is wrong."""
    values: dict[str, Any] = {}
    problems: list[Found] = [((key,), f"{key} is missing; write it") for key in REQUIRED if key not in table]
    for key, value in table.items():
        if key not in KEYS:
            near = hint(key, (*KEYS, EXAMPLES)) or "; remove it"
            problems.append(((key,), f"{_shown(key)} is no key of a grant{near}"))
            continue
        try:
            values[key] = KEYS[key].read(value)
        except BuiltInPolicyError:
            return {}, [((key,), MEMORY_POLICY)]
        except WrongValueError as error:
            problems += [((key,), f"{key} {wrong}") for wrong in error.args]
    return values, [*problems, *_misplaced(values), *_pointless(values, table)]


def _shown(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", key) else "this"


def _misplaced(values: Mapping[str, Any]) -> Iterator[Found]:
    tool = values.get("tool")
    for key in values:
        if tool is not None and not KEYS[key].fits(tool):
            yield (key,), f"{key} is no key of a grant for {tool}; remove it"


def _pointless(values: Mapping[str, Any], table: Mapping[str, object]) -> Iterator[Found]:
    """Keys that are all right alone, and make a grant that could never mean what its owner thinks."""
    tool, denies = values.get("tool"), values.get("mode") is Mode.DENY
    if tool == HTTP_FETCH and "hosts" not in table and not denies:
        yield ("hosts",), 'hosts is missing; write it, such as hosts = ["example.org"]'
    if tool == WRITE_FILE and values.get("read_only") is True and not denies:
        yield ("read_only",), "read_only = true lets write_file write nothing; remove it"
    if tool == SHELL and denies and "paths" in values:
        yield ("paths",), "paths says nothing in a grant that denies shell; remove it, or name commands"


def _folder_problems(paths: Iterable[str], around: _Around) -> Iterator[str]:
    """Each folder is looked at where it really is, so that a link hides nothing."""
    for path in paths:
        if not _is_folder(around.folder / path):
            yield _no_folder(around.folder / path, path)
            continue
        real = _real(around.folder / path) or path
        if real != path and (reason := unfit(real)):
            yield f"the folder {path} is really {real}, {reason}"
        for kept in around.own:
            if meets(real, kept) or meets(path, kept):
                yield f"the folder {path} meets {kept}, which is the box's own; name a folder apart from it"
                break


def _no_folder(there: Folder, path: str) -> str:
    try:
        if there.is_file():
            return f"{path} is a file; name its folder"
    except OSError:
        pass
    return f"the folder {path} does not exist; make it or take it out"


def _is_folder(folder: Folder) -> bool:
    try:
        return folder.is_dir()
    except OSError:
        return False


def _real(folder: Folder) -> str | None:
    """Where it really is; None where that cannot be told, such as behind a ring of links."""
    try:
        return str(folder.resolve())
    except (OSError, RuntimeError):
        return None


def _grant(stem: str, text: str, values: Mapping[str, Any]) -> Grant:
    """Where nothing is said, reading is allowed in an untrusted session, and all but writing is read-only."""
    tool = values["tool"]
    unsaid = {
        "when_untrusted": WhenUntrusted.ALLOW if tool == READ_FILE else WhenUntrusted.ASK,
        "read_only": tool != WRITE_FILE,
    }
    return Grant(id=stem, text=text, **{**unsaid, **values})
