"""Messages of the runner: tools that run in a container, and fetches (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.args import HttpFetchArgs, ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants import Grant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTool:
    """Run one call under its grant. Asked; the reply is a ``ToolAnswer``. Abandoning the ask kills the run.

    ``limit_s`` is how long the run itself may take; the asker waits a little longer (spec 2.3).
    """

    args: ReadFileArgs | WriteFileArgs | ShellArgs | HttpFetchArgs
    grant: Grant
    session: str
    call: str
    limit_s: float
    kind: Literal["run_tool"] = "run_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """The runner tells itself: find a backend, prove it, sweep what an earlier box left."""

    kind: Literal["prepare"] = "prepare"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOver:
    """The runner tells itself: the child that had run ``key`` has answered, or did not in time."""

    key: str
    outcome: object
    kind: Literal["run_over"] = "run_over"


RunnerMessage: TypeAlias = RunTool | Prepare | RunOver
