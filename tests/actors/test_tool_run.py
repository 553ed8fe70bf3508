from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors.base import Late, Mailbox, Reply, Runtime
from actors.supervising import Supervisor
from actors.tool_run import Folders, ToolRun
from bxcore.args import ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants import Grant
from bxcore.grants.grant import Mode
from bxcore.labels import Label, Level
from bxcore.messages.runner import RunTool
from bxcore.messages.supervision import StartChild
from bxcore.sandbox import Mount, SandboxError
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.tool_answer import Effect, ToolAnswer
from bxio.bubblewrap import make
from bxio.cut import Cut
from bxio.sandbox import Backend
from bxio.work_folder import SANDBOX_ID
from tests.doubles.scripted_backend import LONG_S, Hanging, ScriptedBackend

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not on this machine; install bubblewrap"
)
SandboxArgs = ReadFileArgs | WriteFileArgs | ShellArgs
FLOOR = Label(Level.SECRET, untrusted=True)


def grant(tool: str, *paths: Path, read_only: bool = True) -> Grant:
    return Grant(
        id="g",
        tool=tool,
        mode=Mode.AUTO,
        text="",
        result_class=Level.SECRET,
        paths=tuple(map(str, paths)),
        read_only=read_only,
    )


class Runs:
    """The supervisor of the runs, and a box's folders."""

    def __init__(self, runtime: Runtime, home: Path) -> None:
        self.runtime, self.home = runtime, home
        self.folders = Folders(work=home / "state" / "work", own=(home / "config", home / "state"))
        for folder in self.folders.own:
            folder.mkdir()
        spec = SupervisorSpec(max_children=8)
        self.supervisor = runtime.start("runs", lambda context: Supervisor(context, spec))
        self.boxes: list[Mailbox] = []

    def start(self, backend: Backend) -> Mailbox:
        name = f"runs/1-{len(self.boxes)}"
        box = self.runtime.mailbox(name, bound=2)
        self.boxes.append(box)
        make_run = partial(ToolRun, backend=backend, folders=self.folders)
        spec = ChildSpec(name=name, start=make_run, restart=Restart.TEMPORARY)
        self.supervisor.tell(StartChild(spec=spec, mailbox=box))
        return box

    def ask(
        self,
        backend: Backend,
        args: SandboxArgs,
        *paths: Path,
        read_only: bool = True,
        denied: tuple[Path, ...] = (),
        within_s: float = LONG_S,
    ) -> Reply:
        message = RunTool(
            args=args,
            grant=grant(args.TOOL, *paths, read_only=read_only),
            session="main",
            call="c",
            limit_s=10.0,
            masked=tuple(map(str, denied)),
        )
        return self.start(backend).ask(message, time.monotonic() + within_s)

    def answer(
        self,
        backend: Backend,
        args: SandboxArgs,
        *paths: Path,
        read_only: bool = True,
        denied: tuple[Path, ...] = (),
    ) -> ToolAnswer:
        answered = self.ask(backend, args, *paths, read_only=read_only, denied=denied).get(LONG_S)
        assert isinstance(answered, ToolAnswer)
        return answered

    def all_ended(self) -> bool:
        return until(lambda: all(box.closed for box in self.boxes))


def until(holds: Callable[[], bool]) -> bool:
    deadline_s = time.monotonic() + 10
    pause = threading.Event()
    while not holds():
        if time.monotonic() > deadline_s:
            return False
        pause.wait(0.005)
    return True


@pytest.fixture
def runs(runtime: Runtime, tmp_path: Path) -> Runs:
    return Runs(runtime, tmp_path)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "a.txt").write_text("the blue tin\n")
    (folder / "a.txt").chmod(0o644)
    return folder


# Its own rules, on a backend that runs nothing.


def test_a_call_is_run_once_and_the_actor_ends(runs: Runs) -> None:
    backend = ScriptedBackend()
    answered = runs.answer(backend, ShellArgs("make"))
    assert answered == ToolAnswer(ok=True, content="exit code 0\nstdout:\ndone", label=FLOOR)
    assert [job.name for job in backend.jobs] == ["runs-1-0"]
    assert runs.all_ended()


def test_a_reading_gets_its_folder_and_the_work_folder_for_reading(runs: Runs, docs: Path) -> None:
    backend = ScriptedBackend()
    other = runs.home / "other"
    other.mkdir()
    runs.answer(backend, ReadFileArgs(str(docs / "a.txt")), docs, other)
    assert backend.jobs[0].mounts == (
        Mount(source=str(docs), target=str(docs), read_only=True),
        Mount(source=str(runs.folders.work / "main"), target="/session", read_only=True),
    )


def test_the_run_is_over_before_its_asker_gives_up(runs: Runs) -> None:
    backend = ScriptedBackend()
    began_s = time.monotonic()
    runs.ask(backend, ShellArgs("make"), within_s=5.0).get(LONG_S)
    assert backend.deadlines[0] < began_s + 5.0


def test_a_folder_that_may_not_be_mounted_is_a_sentence_and_nothing_runs(runs: Runs) -> None:
    backend = ScriptedBackend()
    answered = runs.answer(backend, ShellArgs("ls"), runs.home / "config")
    assert (answered.ok, answered.label, backend.jobs) == (False, FLOOR, [])
    assert answered.content.startswith("shell: the folder")


def test_a_sandbox_that_fails_is_a_sentence(runs: Runs) -> None:
    def fails(*_: object) -> None:
        raise SandboxError("podman's service has ended")

    answered = runs.answer(ScriptedBackend(fails), ShellArgs("ls"))  # type: ignore[arg-type]  # never returns
    assert (answered.ok, answered.content) == (False, "shell: podman's service has ended")


def test_an_asker_who_gives_up_has_the_run_killed_at_once(runs: Runs) -> None:
    hanging = Hanging()
    reply = runs.ask(ScriptedBackend(hanging), ShellArgs("make"))
    assert hanging.begun.wait(LONG_S)
    reply.abandon()
    assert runs.all_ended()
    assert hanging.cut_after_s is not None
    assert reply.peek() == Late()


def test_a_stop_has_the_run_killed_at_once(runs: Runs) -> None:
    hanging = Hanging()
    reply = runs.ask(ScriptedBackend(hanging), ShellArgs("make"))
    assert hanging.begun.wait(LONG_S)
    assert runs.runtime.stop("runs")
    assert hanging.cut_after_s is not None
    reply.outcome(time.monotonic() + LONG_S)


def test_one_that_is_never_asked_ends(runs: Runs) -> None:
    runs.start(ScriptedBackend())
    assert runs.all_ended()


# The whole way, in bubblewrap.


@pytest.fixture
def sandbox() -> Backend:
    return make(Cut())


@needs_bubblewrap
def test_files_are_written_appended_and_read_back(runs: Runs, docs: Path, sandbox: Backend) -> None:
    path = str(docs / "-new" / "b.txt")
    for args, content in (
        (WriteFileArgs(path, "one\n"), f"wrote 4 bytes to {path}"),
        (WriteFileArgs(path, "two\n", append=True), f"appended 4 bytes to {path}"),
        (WriteFileArgs("-n", "dash\n"), "wrote 5 bytes to -n"),
    ):
        assert runs.answer(sandbox, args, docs, read_only=False) == ToolAnswer(
            ok=True, content=content, label=FLOOR
        )
    assert (docs / "-new" / "b.txt").read_text() == "one\ntwo\n"
    assert runs.answer(sandbox, ReadFileArgs(path), docs).content == "one\ntwo\n"
    assert runs.answer(sandbox, ReadFileArgs("-n")).content == "dash\n"
    assert (
        runs.answer(sandbox, ReadFileArgs(path, 4, 2), docs).content
        == "bytes 4 to 6 of 8; read on with offset 6\ntw"
    )


@needs_bubblewrap
def test_a_refused_file_is_one_plain_sentence(runs: Runs, docs: Path, sandbox: Backend) -> None:
    secret = runs.home / "secret.txt"
    secret.write_text("hidden")
    (docs / "out").symlink_to(secret)
    (docs / "bin").write_bytes(bytes(range(256)))
    (docs / "bin").chmod(0o644)

    def read(name: str, offset: int = 0) -> str:
        return runs.answer(sandbox, ReadFileArgs(str(docs / name), offset), docs).content

    path = docs / "a.txt"
    assert read("out") == f"read_file: {docs}/out is a link that leads to nothing which this call may touch"
    assert read("none") == f"read_file: {docs}/none is not there"
    assert read("") == f"read_file: {docs} is a folder; name a file in it"
    assert read("a.txt", 500) == f"{path} has 13 bytes, and offset 500 is at or behind its end"
    assert read("bin") == f"{docs}/bin has 256 bytes; those from 0 to 256 are no text, not shown"
    denied = runs.answer(sandbox, WriteFileArgs(str(path), "x"), docs)
    assert denied.content.startswith(f"write_file: {path} may not be opened")
    assert (path.read_text(), denied.label) == ("the blue tin\n", FLOOR)


@needs_bubblewrap
def test_a_denied_folder_is_reached_by_no_link_and_moved_by_no_command(
    runs: Runs, docs: Path, sandbox: Backend
) -> None:
    secret = docs / "own" / "secret"
    secret.mkdir(parents=True)
    (secret / "key.txt").write_text("hidden")
    (docs / "link.txt").symlink_to(secret / "key.txt")
    for path in (docs, *docs.rglob("*")):
        path.chmod(0o777)
        if os.geteuid() == 0:
            os.chown(path, SANDBOX_ID, SANDBOX_ID)
    read = ReadFileArgs(str(docs / "link.txt"))
    assert runs.answer(sandbox, read, docs).content == "hidden"
    assert "leads to nothing" in runs.answer(sandbox, read, docs, denied=(secret,)).content
    for command in ("cat own/secret/key.txt", "mv own other", "rm -rf own/secret", "echo >own/secret/new"):
        line = ShellArgs(f"cd {docs} && {command}")
        assert not runs.answer(sandbox, line, docs, read_only=False, denied=(secret,)).ok, command
    assert (secret / "key.txt").read_text() == "hidden"
    line = ShellArgs(f"cd {docs} && echo >own/new && cat own/new")
    assert runs.answer(sandbox, line, docs, read_only=False, denied=(secret,)).ok, "all else is as it was"


@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system")
def test_what_is_mounted_below_a_granted_folder_is_not_seen(runs: Runs, docs: Path, sandbox: Backend) -> None:
    for name in ("in", "in/other", "in/box"):
        (docs / name).mkdir()
    secret = runs.home / "state"
    (secret / "key.txt").write_text("hidden")
    mount, umount = shutil.which("mount"), shutil.which("umount")
    assert mount is not None
    assert umount is not None
    made = [
        subprocess.run([mount, *words], check=False, capture_output=True, timeout=10).returncode == 0
        for words in (
            ("-t", "tmpfs", "-o", "mode=777", "other", f"{docs}/in/other"),
            ("--bind", str(secret), f"{docs}/in/box"),
        )
    ]
    try:
        if not all(made):
            pytest.skip("this container may not mount")
        (docs / "in" / "other" / "file").touch()
        for path in (docs, docs / "in"):
            os.chown(path, SANDBOX_ID, SANDBOX_ID)
        line = f"cd {docs} && find in; mv in out; echo >in/other/new; echo >in/box/new; find in"
        told = runs.answer(sandbox, ShellArgs(line), docs, read_only=False)
        seen = told.content.partition("stderr:")[0].split("\n")[2:8]
        assert sorted(seen) == sorted(["in", "in/other", "in/box"] * 2)
        assert sorted(path.name for path in secret.iterdir()) == ["key.txt", "work"]
    finally:
        for name in ("in/box", "in/other"):
            subprocess.run([umount, f"{docs}/{name}"], check=False, capture_output=True, timeout=10)


def test_a_denied_folder_that_is_gone_lets_nothing_run(runs: Runs, docs: Path) -> None:
    backend = ScriptedBackend()
    told = runs.answer(backend, ShellArgs("make"), docs, denied=(docs / "secret",))
    assert (told.ok, told.effect, backend.jobs) == (False, Effect.DONE, [])
    assert "which a grant denies, is not there" in told.content


@needs_bubblewrap
def test_a_writing_through_a_link_changes_nothing_outside(runs: Runs, docs: Path, sandbox: Backend) -> None:
    outside = runs.home / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    (docs / "out").symlink_to(outside)
    (docs / "file").symlink_to(outside / "f")
    for name in ("out/f", "file"):
        args = WriteFileArgs(str(docs / name), "x")
        assert not runs.answer(sandbox, args, docs, read_only=False).ok
    assert list(outside.iterdir()) == []


@needs_bubblewrap
def test_a_shell_works_in_its_folder_and_sees_the_granted_ones(
    runs: Runs, docs: Path, sandbox: Backend
) -> None:
    command = f"pwd; cat {docs}/a.txt; echo kept > note; cat /etc/shadow; ls {runs.home}"
    answered = runs.answer(sandbox, ShellArgs(command), docs)
    assert answered.content.startswith(
        "exit code 0\nstdout:\n/session\nthe blue tin\ndocs\nstderr:\ncat: /etc/shadow"
    )
    assert (runs.folders.work / "main" / "note").read_text() == "kept\n"


@needs_bubblewrap
@pytest.mark.parametrize(
    ("command", "starts"),
    [
        (
            "head -c 50000000 /dev/zero | tr '\\0' x",
            "exit code 0\nstdout (the first 262144 of 50000000 bytes):\nxxx",
        ),
        (
            "trap '' TERM; while :; do :; done",
            "killed at its limit of 1 s; what had run until then stays done",
        ),
        ("b() { b | b & }; b; while :; do :; done", "killed at its limit of 1 s;"),
        ("head -c 99 /dev/urandom; exit 7", "exit code 7\nstdout: 99 bytes that are no text, not shown"),
    ],
)
def test_hostile_commands_end_in_a_sentence(runs: Runs, sandbox: Backend, command: str, starts: str) -> None:
    answered = runs.answer(sandbox, ShellArgs(command, 1))
    assert answered.content.startswith(starts)
    assert len(os.fsencode(answered.content)) < 600_000


@needs_bubblewrap
def test_a_stop_in_the_middle_of_a_call_kills_it_within_a_second(runs: Runs, sandbox: Backend) -> None:
    reply = runs.ask(sandbox, ShellArgs("echo > begun; sleep 1234"))
    assert until((runs.folders.work / "main" / "begun").exists)
    began_s = time.monotonic()
    reply.abandon()
    assert runs.all_ended()
    assert time.monotonic() - began_s < 1.0
