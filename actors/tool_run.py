"""ToolRun: runs one call in a sandbox, answers, and ends (spec 2.5).

Its thread blocks in the run. What ends that is the call's own limit, and the cut: by an asker who gives up,
or by whoever wants the actor stopped. The sandbox is killed within a second then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from actors.base import Actor, Context
from bxcore.args import HttpFetchArgs
from bxcore.messages.runner import NobodyRuns, RunTool, ToolRunMessage
from bxcore.sandbox import Mount, SandboxError, jobs, results
from bxcore.sandbox.jobs import Task
from bxcore.tool_answer import ToolAnswer
from bxio import masks, mount_check
from bxio.cut import Cut
from bxio.sandbox import Backend
from bxio.work_folder import work_folder

IDLE_S = 1.0
"""How long it waits for its call, which is sent right behind its start."""
ANSWER_S = 0.5
"""How long before its asker's deadline a run is over, so that its answer still arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """``work`` holds the sessions' work folders; ``own`` are the box's folders, which no tool is shown."""

    work: Path
    own: tuple[Path, ...]


class ToolRun(Actor):
    """A temporary child: one ``RunTool``, one ``ToolAnswer``, then the end."""

    def __init__(self, context: Context, *, backend: Backend, folders: Folders) -> None:
        super().__init__(context)
        self._backend = backend
        self._folders = folders
        self._cut = Cut()

    def on_start(self) -> None:
        """Wait for the call, not for ever: it may have expired unread."""
        self.tell_later(IDLE_S, NobodyRuns())

    def on_receive(self, message: ToolRunMessage) -> None:
        """Run it, and end."""
        match message:
            case RunTool():
                self._run(message)
            case NobodyRuns():
                pass
            case _:
                assert_never(message)
        self.end()

    def cut(self) -> None:
        """Have the sandbox killed. Any thread."""
        self._cut.cut()

    def _run(self, call: RunTool) -> None:
        reply = self.reply_later()
        if reply is None:  # told: nobody waits for an answer
            return
        reply.on_abandon(self._cut.cut)
        answer = self._answer(call, reply.deadline_s - ANSWER_S)
        if reply.pending:
            reply.set(answer)

    def _answer(self, call: RunTool, deadline_s: float) -> ToolAnswer:
        args = call.args
        assert not isinstance(args, HttpFetchArgs)
        task = Task(args=args, grant=call.grant, name=self.name.replace("/", "-"), limit_s=call.limit_s)
        try:
            mounts = self._mounts(task, call.session)
            masked = masks.masks(call.masked, mounts)
            job = replace(jobs.job(task, (*mounts, *masks.pins(masked, mounts))), masked=masked)
            return results.answer(task, self._backend.run(job, deadline_s, self._cut))
        except SandboxError as error:
            return results.failed(task, error)

    def _mounts(self, task: Task, session: str) -> tuple[Mount, ...]:
        granted = mount_check.granted(
            jobs.folders(task.args, task.grant), read_only=task.grant.read_only, own=self._folders.own
        )
        work = work_folder(self._folders.work, session, writable=jobs.writes_work(task.args))
        return (*granted, work)
