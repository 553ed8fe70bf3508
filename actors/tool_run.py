"""ToolRun: runs one call in a sandbox, answers, and ends (spec 2.5).

Its thread blocks in the run. What ends that is the call's own limit, and the cut: by an asker who gives up,
or by whoever wants the actor stopped. The sandbox is killed within a second then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from actors.base import Context, Errand, Reply
from bxcore.args import HttpFetchArgs, McpArgs
from bxcore.messages.runner import RunTool
from bxcore.sandbox import Mount, SandboxError, jobs, results
from bxcore.sandbox.jobs import Task
from bxcore.tool_answer import ToolAnswer
from bxio import masks, mount_check
from bxio.mounted import mounted
from bxio.sandbox import Backend
from bxio.work_folder import work_folder

"""How long it waits for its call, which is sent right behind its start."""
ANSWER_S = 0.5
"""How long before its asker's deadline a run is over, so that its answer still arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """``work`` holds the sessions' work folders; ``own`` are the box's folders, which no tool is shown."""

    work: Path
    own: tuple[Path, ...]


class ToolRun(Errand[RunTool]):
    """A temporary child: one ``RunTool``, one ``ToolAnswer``, then the end."""

    def __init__(self, context: Context, *, backend: Backend, folders: Folders) -> None:
        super().__init__(context)
        self._backend = backend
        self._folders = folders

    def run(self, message: RunTool, reply: Reply) -> None:
        """Run it, and answer; a cut has the sandbox killed."""
        reply.on_abandon(self.cutting.cut)
        answer = self._answer(message, reply.deadline_s - ANSWER_S)
        if reply.pending:
            reply.set(answer)

    def _answer(self, call: RunTool, deadline_s: float) -> ToolAnswer:
        args = call.args
        assert not isinstance(args, HttpFetchArgs | McpArgs)
        task = Task(args=args, grant=call.grant, name=self.name.replace("/", "-"), limit_s=call.limit_s)
        try:
            mounts = self._mounts(task, call.session)
            masked = masks.masks(call.masked, mounts, mounted())
            job = replace(jobs.job(task, (*mounts, *masks.pins(masked, mounts))), masked=masked)
            return results.answer(task, self._backend.run(job, deadline_s, self.cutting))
        except SandboxError as error:
            return results.failed(task, error)

    def _mounts(self, task: Task, session: str) -> tuple[Mount, ...]:
        leads = {each: task.grant.leads.get(each, each) for each in jobs.folders(task.args, task.grant)}
        granted = mount_check.granted(leads, read_only=task.grant.read_only, own=self._folders.own)
        work = work_folder(self._folders.work, session, writable=jobs.writes_work(task.args))
        return (*granted, work)
