"""From a call and its grant to a job: which folders it touches, and what runs (spec 1.6, 2.5).

A relative path is one in the session's work folder, which stands at ``/session``. A grant's folder stands
at its own path. A file's call gets the one folder that holds the file; a shell's call gets all folders of its
grant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from bxcore.args import ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.args.files import MAX_OFFSET
from bxcore.args.paths import normalised
from bxcore.grants import Grant
from bxcore.grants.folders import WORK
from bxcore.sandbox.job import Job, Limits, Mount
from bxcore.sandbox.scripts import READ, WRITE

DEFAULT_MEMORY_MB = 256

SandboxArgs: TypeAlias = ReadFileArgs | WriteFileArgs | ShellArgs


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A call to be run: ``name`` is the job's own, ``limit_s`` how long it may take in all."""

    args: SandboxArgs
    grant: Grant
    name: str
    limit_s: float


def place(path: str) -> str:
    """Where a checked path of a call is in the sandbox.

    >>> place("notes/../a.txt"), place("/srv//docs")
    ('/session/a.txt', '/srv/docs')
    """
    steps = normalised(path) or "."
    if steps.startswith("/"):
        return steps
    return WORK if steps == "." else f"{WORK}/{steps}"


def folders(args: SandboxArgs, grant: Grant) -> tuple[str, ...]:
    """The grant's folders that this call needs beside the work folder; none inside another."""
    granted = {normalised(folder) or "/" for folder in grant.paths}
    if isinstance(args, ShellArgs):
        return tuple(sorted(_outermost(granted)))
    covering = [folder for folder in granted if _covers(folder, place(args.path))]
    return (max(covering, key=len),) if covering else ()


def writes_work(args: SandboxArgs) -> bool:
    """Whether the session's work folder may be written: a reading needs no more than reading."""
    return not isinstance(args, ReadFileArgs)


def job(task: Task, mounts: Sequence[Mount]) -> Job:
    """What the backend is handed; ``mounts`` were checked, the work folder is one of them."""
    args = task.args
    limits = Limits(time_s=task.limit_s, memory_mb=task.grant.memory_mb or DEFAULT_MEMORY_MB)
    plain = Job(name=task.name, command=(), mounts=tuple(mounts), workdir=WORK, limits=limits)
    match args:
        case ReadFileArgs():
            first = str(min(args.offset + 1, MAX_OFFSET))
            return replace(plain, command=_script(READ, args, first, str(args.limit)))
        case WriteFileArgs():
            content = args.content.encode()
            how = "append" if args.append else "replace"
            return replace(plain, command=_script(WRITE, args, str(len(content)), how), stdin=content)
        case ShellArgs():
            time_s = min(task.limit_s, float(args.timeout_s))
            return replace(plain, command=("sh", "-c", args.command), limits=replace(limits, time_s=time_s))
        case _:
            assert_never(args)


def _script(script: str, args: ReadFileArgs | WriteFileArgs, *words: str) -> tuple[str, ...]:
    return ("sh", "-c", script, args.TOOL, place(args.path), *words)


def _outermost(granted: Iterable[str]) -> set[str]:
    kept = set(granted)
    return {
        folder for folder in kept if not any(other != folder and _covers(other, folder) for other in kept)
    }


def _covers(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
