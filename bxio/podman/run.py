"""One job in one fresh container: created, compared, attached to, started, read, waited for, removed.

Every step ends at the run's own deadline, and a cut ends each at once. Whatever happens, the container is
removed on a connection of its own; one that podman makes after we stopped listening was never started, and
the next sweep takes it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from podman import PodmanClient
from podman.domain.containers import Container
from podman.errors import APIError

from bxcore.errors import SentenceError
from bxcore.sandbox import BrokenOffError, Job, Ran, SandboxError, Stream
from bxcore.sandbox.podman_payload import Payload
from bxcore.sandbox.podman_readback import differences
from bxcore.sandbox.podman_words import command_problem, refusal
from bxio.cut import Cut
from bxio.podman.attach import Said, Wire, attached
from bxio.podman.client import client, post, saying, words
from bxio.podman.site import Site, created_from

REMOVE_S = 4.0
"""For a removal, also when the run's own time is over; whoever waits for the run waits 5 s longer."""
INTERVAL = "20ms"
KILLED = 137
_ENDED = ["stopped", "exited"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    site: Site
    job: Job
    payload: Payload
    ends_s: float
    cut: Cut

    @property
    def name(self) -> str:
        return str(self.payload["name"])

    @property
    def left_s(self) -> float:
        return max(0.001, self.ends_s - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.cut.was_cut or time.monotonic() >= self.ends_s


def run(site: Site, job: Job, deadline_s: float, cut: Cut) -> Ran:
    """Run ``job``; see ``bxio.sandbox.Backend.run``. Raises ``SandboxError``, saying why nothing ran."""
    ends_s = min(deadline_s, time.monotonic() + job.limits.time_s)
    one = _Run(site=site, job=job, payload=created_from(site, job), ends_s=ends_s, cut=cut)
    try:
        with client(site.socket, ends_s, cut) as podman:
            return _from_start_to_end(podman, one)
    except (SandboxError, APIError, OSError) as error:
        if cut.was_cut:
            return _stopped(Said(stdout=Stream(), stderr=Stream(), whole=False), one)
        if isinstance(error, SandboxError):
            raise
        raise SandboxError(f"podman lost sight of the sandbox: {words(error)}") from None
    finally:
        remove(site.socket, one.name)


def remove(socket: Path, name: str) -> bool:
    """Remove a container, killing what runs in it, on a connection of its own; whether it is gone.

    Never raises, and takes ``REMOVE_S`` at the most: what could not be removed ends by its own
    time-out, and the next sweep takes it.
    """
    try:
        with client(socket, time.monotonic() + REMOVE_S, Cut()) as podman:
            answer = podman.api.delete(f"/containers/{name}", params={"force": True, "v": True})
            return answer.status_code in {200, 204, 404}
    except (APIError, OSError):
        return False


def _from_start_to_end(podman: PodmanClient, one: _Run) -> Ran:
    made = _made(podman, one)
    if isinstance(made, Ran):
        return made
    stdin = one.job.stdin
    with attached(
        one.site.socket, one.name, stdin=stdin is not None, deadline_s=one.ends_s, cut=one.cut
    ) as wire:
        try:
            return _started(made, wire, one)
        except SentenceError as error:
            raise BrokenOffError(error.sentence) from None
        except (APIError, OSError) as error:
            raise BrokenOffError(f"podman lost sight of the sandbox: {words(error)}") from None


def _started(made: Container, wire: Wire, one: _Run) -> Ran:
    """From its start on, an error leaves open what was done."""
    with saying("start the sandbox"):
        made.start()
    said = wire.exchange(one.job.stdin, most=one.job.limits.output, ends_s=one.ends_s)
    code = None if one.is_over else _exit_code(made, one)
    if code is None or code < 0:  # below zero is podman's own time-out, behind ours
        return _stopped(said, one)
    if not said.whole:
        raise BrokenOffError("the sandbox's output ended in the middle")
    return Ran(
        exit_code=code, stdout=said.stdout, stderr=said.stderr, out_of_memory=_starved(made, code, one)
    )


def _made(podman: PodmanClient, one: _Run) -> Container | Ran:
    """Create and prepare it, and refuse one that is not what was asked for; no such command is a result."""
    try:
        post(podman, "/containers/create", one.payload)
        container = podman.containers.get(one.name)
        container.init()
        container.reload()
    except APIError as error:
        ran = _no_command(error, one.job)
        if ran is None:
            raise SandboxError(_refused(error, one)) from None
        return ran
    wrong = differences(one.payload, container.attrs)
    if wrong:
        raise SandboxError(f"podman made another sandbox than it was asked for: {'; '.join(wrong)}")
    return container


def _no_command(error: APIError, job: Job) -> Ran | None:
    problem = command_problem(error.explanation or "") if error.response is not None else None
    if problem is None:
        return None
    code, why = problem
    line = f"{job.command[0]}: {why}\n".encode()
    return Ran(exit_code=code, stdout=Stream(), stderr=Stream(data=line, total=len(line)))


def _refused(error: APIError, one: _Run) -> str:
    if error.response is not None:
        return refusal(error.explanation or str(error), one.site.image_name)
    late = time.monotonic() >= one.ends_s
    return f"nothing ran: {'the sandbox was not ready within the time limit' if late else words(error)}"


def _exit_code(container: Container, one: _Run) -> int | None:
    """Wait for its end, for it may run on with its streams closed; None when its time is over before."""
    try:
        code = container.wait(condition=_ENDED, interval=INTERVAL, timeout=one.left_s)
        container.reload()
    except APIError:
        if one.is_over:
            return None
        raise
    return code


def _starved(container: Container, code: int, one: _Run) -> bool:
    """Whether it was killed for want of memory; with control groups of version 1 podman does not see that."""
    seen = bool(container.attrs.get("State", {}).get("OOMKilled"))
    return seen or (one.site.cgroups == "v1" and code == KILLED)


def _stopped(said: Said, one: _Run) -> Ran:
    return Ran(exit_code=None, stdout=said.stdout, stderr=said.stderr, timed_out=not one.cut.was_cut)
