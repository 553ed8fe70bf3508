"""Messages of the runner: tools that run in a container, and fetches (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from bxcore.args import HttpFetchArgs, McpArgs, ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants import Grant
from bxcore.messages.errand import NobodyCame
from bxcore.sandbox.view import SandboxView


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTool:
    """Run one call under its grant. Asked; the reply is a ``ToolAnswer``. Abandoning the ask kills the run.

    ``limit_s`` is how long the run itself may take; the asker waits a little longer (spec 2.3). ``stricter``
    is the verdict's: the grants that a fetch's redirect must not come under; so is ``masked``: the folders of
    the host that the run must not see.
    """

    args: ReadFileArgs | WriteFileArgs | ShellArgs | HttpFetchArgs | McpArgs
    grant: Grant
    session: str
    call: str
    limit_s: float
    stricter: tuple[Grant, ...] = ()
    masked: tuple[str, ...] = ()
    kind: Literal["run_tool"] = "run_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """The runner tells itself: have a sandbox found and proven, and what an earlier box left swept."""

    kind: Literal["prepare"] = "prepare"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOver:
    """The runner tells itself: the child of ``key``, a run or a search, has answered, or did not in time."""

    key: str
    outcome: object
    kind: Literal["run_over"] = "run_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitedLong:
    """The runner tells itself: the call ``key`` has waited for a sandbox as long as it can."""

    key: str
    kind: Literal["waited_long"] = "waited_long"


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyWaits:
    """The runner tells itself: the call ``key``, which waited for a sandbox, is answered or given up."""

    key: str
    kind: Literal["nobody_waits"] = "nobody_waits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Find a sandbox and prove it. Asked of a ``SandboxSearch``; the reply is a ``Found``."""

    kind: Literal["search"] = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found: ``backend`` is a ``bxio.sandbox.Backend``, or None when tools do not run.

    ``swept`` is how many runs an earlier box had left behind.
    """

    backend: Any
    view: SandboxView
    swept: int = 0


RunnerMessage: TypeAlias = RunTool | Prepare | RunOver | WaitedLong | NobodyWaits
ToolRunMessage: TypeAlias = RunTool | NobodyCame
SandboxSearchMessage: TypeAlias = Search | NobodyCame
