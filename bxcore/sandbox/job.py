"""One run in a sandbox as values: what a backend is handed, and what it gives back (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from bxcore.errors import SentenceError

LARGEST_FILE = 1 << 30
"""Bytes of a file that a tool writes."""
MAX_OUTPUT = 262_144
"""Bytes of each stream that are kept; all of it is read and counted."""


class SandboxError(SentenceError):
    """Nothing ran; ``sentence`` says why, and what to do."""


class BrokenOffError(SandboxError):
    """It may have begun, and nobody knows what it did; ``sentence`` says how sight of it was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host folder inside the sandbox; ``source`` is a real path, without a link in it."""

    source: str
    target: str
    read_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``time_s`` is for the whole run; ``output`` bytes a stream are kept; ``memory_mb`` holds swap too."""

    time_s: float = 60.0
    memory_mb: int = 256
    pids: int = 64
    output: int = MAX_OUTPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command and all that it may touch. ``stdin`` None is a closed one; ``name`` is unique in the box.

    ``masked`` are folders as the sandbox sees them, none inside another, each a mount's target or in one:
    over each stands an empty one that cannot be written.
    """

    name: str
    command: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()
    masked: tuple[str, ...] = ()
    workdir: str = "/"
    stdin: bytes | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A stream's first bytes, and how many there were in all."""

    data: bytes = b""
    total: int = 0

    @property
    def cut(self) -> bool:
        """Whether some are missing."""
        return self.total > len(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a run ended. ``exit_code`` is None when it was killed at its time limit or by a stop."""

    exit_code: int | None
    stdout: Stream
    stderr: Stream
    timed_out: bool = False
    out_of_memory: bool = False
