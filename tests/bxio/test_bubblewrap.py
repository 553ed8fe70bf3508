"""The backend on the real bubblewrap: limits, streams, kills, and that nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from bxcore.sandbox import BrokenOffError, Guarantee, Job, Limits, Mount, Ran, SandboxError
from bxcore.sandbox.job import LARGEST_FILE
from bxio.bubblewrap import Bubblewrap, make
from bxio.bubblewrap.arguments import Programs
from bxio.cut import Cut
from bxio.sandbox import Backend
from bxio.work_folder import work_folder
from tests.bxio.test_bubblewrap_leftover import gone, processes

LONG_S = 25.0

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not on this machine; install bubblewrap"
)

Shell: TypeAlias = Callable[..., Ran]


@pytest.fixture(scope="module")
def backend() -> Bubblewrap:
    return make(Cut())


@pytest.fixture
def shell(backend: Bubblewrap) -> Shell:
    def run(script: str, *mounts: Mount, stdin: bytes | None = None, **limits: float) -> Ran:
        job = Job(
            name="test",
            command=("sh", "-c", script),
            mounts=mounts,
            stdin=stdin,
            limits=Limits(**{"time_s": LONG_S, **limits}),  # type: ignore[arg-type]  # whole where it must be
        )
        return backend.run(job, time.monotonic() + LONG_S, Cut())

    return run


def lines(ran: Ran) -> list[str]:
    assert ran.exit_code == 0, ran
    return ran.stdout.data.decode().splitlines()


# What it is.


def test_it_is_a_backend_and_tells_what_it_is_made_of(backend: Bubblewrap) -> None:
    shared: Backend = backend
    assert (shared.name, shared.broken()) == ("bubblewrap", None)
    assert shared.sweep() >= 0, "those of other boxes on this machine, if any"
    assert shared.facts()["version"][0].isdigit()
    shared.close()
    shared.close()


def test_the_probe_proves_all_but_the_memory_of_all_processes_together(backend: Bubblewrap) -> None:
    probe = backend.probe(Cut())
    assert probe.proven >= set(Guarantee) - {Guarantee.MEMORY_LIMIT, Guarantee.PIDS_LIMIT}
    assert dict(probe.missing).keys() == set(Guarantee) - probe.proven
    assert "each process" in dict(probe.missing)[Guarantee.MEMORY_LIMIT]


def test_without_the_program_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SandboxError, match="bubblewrap is not on this machine; install it"):
        make(Cut())


# Apart from the machine.


def test_it_is_user_1000_without_any_privilege(shell: Shell) -> None:
    status = dict(line.split(":\t", 1) for line in lines(shell("cat /proc/self/status")) if ":\t" in line)
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Uid"].split(), status["Gid"].split()) == (
        "1",
        ["1000"] * 4,
        ["1000"] * 4,
    )
    assert status["Groups"].split() in ([], ["1000"], ["65534"]) or os.geteuid() != 0


def test_it_sees_no_process_and_no_network_of_the_machine(shell: Shell) -> None:
    assert len([entry for entry in lines(shell("ls /proc")) if entry.isdigit()]) < 8
    assert [line.split(":")[0].strip() for line in lines(shell("tail -n +3 /proc/net/dev"))] == ["lo"]


def test_its_environment_holds_nothing_of_ours(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOXMAKER_TOKEN", "hidden")
    names = {line.split("=")[0] for line in lines(shell("env"))}
    assert names <= {"PATH", "HOME", "LANG", "TERM", "container", "PWD", "SHLVL", "_", "OLDPWD"}


def test_no_descriptor_of_ours_is_open_in_it(shell: Shell) -> None:
    assert lines(shell("ls /proc/self/fd")) == ["0", "1", "2", "3"], "3 is the listing's own"


@pytest.mark.parametrize("place", ["/", "/usr", "/etc", "/dev", "/proc/sys/kernel", "/bin"])
def test_nothing_of_its_root_can_be_written(shell: Shell, place: str) -> None:
    assert shell(f": > {place}/new").exit_code != 0


def test_its_root_is_mounted_for_reading_only(shell: Shell) -> None:
    options = {line.split()[1]: line.split()[3].split(",") for line in lines(shell("cat /proc/mounts"))}
    assert [options[place][0] for place in ("/", "/usr")] == ["ro", "ro"]


def test_its_temporary_folder_is_writable_small_and_its_own(shell: Shell) -> None:
    assert shell("echo x > /tmp/a && cat /tmp/a && echo y > /dev/shm/b").exit_code == 0
    assert lines(shell("ls -A /tmp /dev/shm")) == ["/dev/shm:", "", "/tmp:"]
    assert shell("head -c 80000000 /dev/zero > /tmp/big", memory_mb=512).exit_code != 0


def test_the_machines_secrets_are_not_there(shell: Shell) -> None:
    assert shell("cat /etc/shadow").exit_code != 0
    assert lines(shell("ls /")) == sorted(lines(shell("ls /")))
    assert not {"root", "home", "var", "srv", "run"} & set(lines(shell("ls /")))


# Mounts.


def test_a_folder_is_read_where_it_stands_and_not_written(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    tmp_path.chmod(0o777)
    (tmp_path / "a").chmod(0o666)
    mount = Mount(source=str(tmp_path), target="/srv/docs", read_only=True)
    assert lines(shell("cat /srv/docs/a", mount)) == ["text"]
    assert shell("echo x > /srv/docs/b || echo x >> /srv/docs/a", mount).exit_code != 0
    assert shell("rm -f /srv/docs/a", mount).exit_code != 0
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_work_folder_is_written_as_its_owner(shell: Shell, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    mount = work_folder(tmp_path / "work", "main", writable=True)
    assert lines(shell("echo x > /session/a && stat -c %u /session/a", mount)) == ["1000"]
    owner = (tmp_path / "work" / "main" / "a").stat().st_uid
    assert owner == (1000 if os.geteuid() == 0 else os.geteuid())


def test_a_link_in_a_mount_leads_to_nothing_of_the_machine(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc/shadow")
    (tmp_path / "up").symlink_to("../../../../../../../root")
    mount = Mount(source=str(tmp_path), target="/srv/docs", read_only=True)
    assert shell("cat /srv/docs/out", mount).exit_code != 0
    assert shell("ls /srv/docs/up/", mount).exit_code != 0


def test_what_is_masked_is_empty_and_cannot_be_written(backend: Bubblewrap, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("hidden")
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777)
    script = "cd /srv/n; find .; echo x >secret/new; chmod 777 secret; rm -rf secret; find ."
    job = Job(
        name="test",
        command=("sh", "-c", script),
        mounts=(Mount(source=str(tmp_path), target="/srv/n", read_only=False),),
        masked=("/srv/n/secret",),
    )
    ran = backend.run(job, time.monotonic() + LONG_S, Cut())
    assert lines(ran) == [".", "./secret"] * 2
    assert [path.name for path in (tmp_path / "secret").iterdir()] == ["key.txt"]


def test_a_source_that_is_not_there_is_a_sentence(shell: Shell, tmp_path: Path) -> None:
    missing = Mount(source=str(tmp_path / "missing"), target="/srv/docs", read_only=True)
    with pytest.raises(SandboxError, match=r"bubblewrap did not run it: .*missing"):
        shell("true", missing)


def test_one_that_is_ended_from_outside_is_no_run_whose_end_is_known(shell: Shell) -> None:
    word = f"1234.{os.getpid()}"  # of this run of the tests alone

    def end() -> None:
        until_s = time.monotonic() + LONG_S
        while not processes(f"sleep\0{word}") and time.monotonic() < until_s:
            threading.Event().wait(0.01)
        os.kill(min(processes(f"sleep {word}")), signal.SIGKILL)

    ending = threading.Thread(target=end)
    ending.start()
    with pytest.raises(BrokenOffError, match="bubblewrap was ended before the command"):
        shell(f"echo a word of its own >&2; sleep {word}")
    ending.join(LONG_S)
    assert gone(word)


def test_what_a_setup_that_ended_too_early_has_left_is_killed_at_the_limit(tmp_path: Path) -> None:
    word = f"4321.{os.getpid()}"
    leaving = tmp_path / "bwrap"
    leaving.write_text(f"#!/bin/sh\nsleep {word} &\n")
    leaving.chmod(0o755)
    job = Job(name="test", command=("true",), limits=Limits(time_s=0.5))
    backend = Bubblewrap(Programs(bwrap=str(leaving)), version="0")
    assert backend.run(job, time.monotonic() + LONG_S, Cut()).timed_out
    assert gone(word)


def test_where_no_user_namespace_can_be_made_the_sentence_says_so(tmp_path: Path) -> None:
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    backend = Bubblewrap(
        Programs(bwrap="/bin/false", unshare=str(refusing), setpriv="/bin/false"), version="0"
    )
    with pytest.raises(
        SandboxError, match="no user namespace can be made here: user namespaces are switched off"
    ):
        backend.run(Job(name="test", command=("true",)), time.monotonic() + LONG_S, Cut())


def test_a_box_without_root_lets_bubblewrap_make_the_namespace() -> None:
    backend = Bubblewrap(Programs(bwrap=str(shutil.which("bwrap"))), version="0")
    for stdin, said in ((None, b""), (b"fed", b"fed")):
        job = Job(name="test", command=("sh", "-c", "cat; id -u; grep CapBnd /proc/self/status"), stdin=stdin)
        ran = backend.run(job, time.monotonic() + LONG_S, Cut())
        assert ran.stdout.data == said + b"1000\nCapBnd:\t0000000000000000\n"
    assert backend.facts()["user"] == "rootless"


# Streams and ends.


def test_streams_come_apart_and_the_exit_code_is_the_commands(shell: Shell) -> None:
    ran = shell("echo out; echo err >&2; exit 42")
    assert (ran.exit_code, ran.stdout.data, ran.stderr.data) == (42, b"out\n", b"err\n")
    assert shell("kill -9 $$").exit_code == 137
    assert shell("exit 1").exit_code == 1


def test_stdin_is_closed_or_fed_whole(shell: Shell) -> None:
    assert shell("cat").stdout.total == 0
    data = bytes(range(256)) * 4000
    assert shell("cat", stdin=data, output=2_000_000).stdout.data == data
    assert shell("exit 3", stdin=data).exit_code == 3, "nobody reads it"
    assert shell("cat", stdin=b"").exit_code == 0


def test_of_fifty_megabytes_the_first_are_kept_and_all_are_counted(shell: Shell) -> None:
    ran = shell("head -c 50000000 /dev/zero; head -c 300000 /dev/zero >&2")
    assert (ran.exit_code, ran.stdout.total, ran.stderr.total) == (0, 50_000_000, 300_000)
    assert (len(ran.stdout.data), len(ran.stderr.data)) == (262_144, 262_144)


def test_what_it_left_running_ends_with_it(shell: Shell) -> None:
    began_s = time.monotonic()
    ran = shell("sleep 1234.5671 & (setsid sleep 1234.5671 >/dev/null 2>&1 &); echo left")
    assert (lines(ran), time.monotonic() - began_s < LONG_S / 2) == (["left"], True)
    assert gone("1234.5671")


@pytest.mark.parametrize(
    "script",
    [
        "trap '' TERM INT HUP; while :; do :; done",
        "sleep 1234.5672",
        "setsid sh -c 'exec >/dev/null 2>&1; sleep 1234.5672' & wait",
        "exec >/dev/null 2>&1; sleep 1234.5672",
        "b() { b | b & }; b; while :; do :; done",
    ],
)
def test_it_is_killed_at_its_limit_with_all_that_it_started(shell: Shell, script: str) -> None:
    began_s = time.monotonic()
    ran = shell(script, time_s=0.5)
    assert (ran.exit_code, ran.timed_out) == (None, True)
    assert 0.5 <= time.monotonic() - began_s < 5.0
    assert gone("1234.5672")


def test_the_earlier_deadline_holds(backend: Bubblewrap) -> None:
    began_s = time.monotonic()
    ran = backend.run(Job(name="t", command=("sleep", "1234")), began_s + 0.3, Cut())
    assert (ran.timed_out, time.monotonic() - began_s < 5.0) == (True, True)


def test_output_until_the_limit_is_kept(shell: Shell) -> None:
    ran = shell("echo before; sleep 1234", time_s=0.7)
    assert (ran.timed_out, ran.stdout.data) == (True, b"before\n")


def test_a_cut_kills_it_within_a_second(backend: Bubblewrap, tmp_path: Path) -> None:
    cut, ended = Cut(), []
    mount = work_folder(tmp_path, "main", writable=True)
    job = Job(name="t", command=("sh", "-c", "echo >/session/begun; sleep 1234.5673"), mounts=(mount,))
    running = threading.Thread(target=lambda: ended.append(backend.run(job, time.monotonic() + LONG_S, cut)))
    running.start()
    pause = threading.Event()
    while not (tmp_path / "main" / "begun").exists():
        assert running.is_alive()
        pause.wait(0.01)
    began_s = time.monotonic()
    cut.cut()
    running.join(LONG_S)
    assert time.monotonic() - began_s < 1.0
    assert [(ran.exit_code, ran.timed_out) for ran in ended] == [(None, False)]
    assert gone("1234.5673")


def test_one_that_was_cut_before_it_began_ends_at_once(backend: Bubblewrap) -> None:
    cut = Cut()
    cut.cut()
    ran = backend.run(Job(name="t", command=("sleep", "1234.5674")), time.monotonic() + LONG_S, cut)
    assert (ran.exit_code, ran.timed_out) == (None, False)
    assert gone("1234.5674")


def test_a_process_that_takes_too_much_memory_fails(shell: Shell) -> None:
    assert shell("tail /dev/zero", memory_mb=64).exit_code != 0


def test_a_file_larger_than_a_gibibyte_is_refused(shell: Shell, tmp_path: Path) -> None:
    mount = work_folder(tmp_path, "main", writable=True)
    assert shell(f"truncate -s {LARGEST_FILE} /session/a", mount).exit_code == 0
    assert shell(f"truncate -s {LARGEST_FILE + 1} /session/a", mount).exit_code != 0
    assert (tmp_path / "main" / "a").stat().st_size == LARGEST_FILE


def test_more_processes_than_its_limit_are_refused(backend: Bubblewrap, shell: Shell) -> None:
    if Guarantee.PIDS_LIMIT not in backend.probe(Cut()).proven:
        pytest.skip("this kernel counts processes by user alone")
    ran = shell("n=0; while [ $n -lt 60 ]; do sleep 5 & n=$((n+1)); echo $n; done", pids=10)
    assert 0 < ran.stdout.data.count(b"\n") <= 10


def test_many_run_at_once_without_mixing(backend: Bubblewrap) -> None:
    ended: dict[int, bytes] = {}

    def run(number: int) -> None:
        job = Job(name=f"t{number}", command=("sh", "-c", f"echo {number}"))
        ended[number] = backend.run(job, time.monotonic() + LONG_S, Cut()).stdout.data

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    assert ended == {number: f"{number}\n".encode() for number in range(8)}


def children() -> set[str]:
    """The processes of this one, ended ones that nobody has waited for among them."""
    threads = Path("/proc/self/task").iterdir()
    return {pid for thread in threads for pid in (thread / "children").read_text().split()}


def test_runs_leave_no_descriptor_and_no_child(shell: Shell) -> None:
    shell("true")
    before = len(list(Path("/proc/self/fd").iterdir()))
    others = children()  # such as the service of another test
    for _ in range(5):
        shell("true")
        shell("sleep 1234", time_s=0.05)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert children() <= others
