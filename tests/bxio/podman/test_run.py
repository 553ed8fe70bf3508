"""What one call may do and may not, in a real container."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from podman import PodmanClient

from bxcore.sandbox import BrokenOffError, Job, Mount, SandboxError
from bxcore.sandbox.job import MAX_OUTPUT
from bxcore.sandbox.podman_payload import Payload
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend
from bxio.podman.run import remove
from bxio.podman.run import run as run_job
from bxio.podman.site import Site, created_from
from tests.bxio.podman.conftest import RunIt, containers
from tests.doubles.podman_box import Storage

pytestmark = pytest.mark.timeout(120)

KILL_S = 5.0
"""How much later than its limit a run may have ended, on a machine that does other things as well."""


def test_output_and_errors_come_apart_with_the_exit_code(run: RunIt) -> None:
    ran = run("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (ran.exit_code, ran.stdout.data, ran.stderr.data) == (3, b"out\n", b"err\n")
    assert (ran.timed_out, ran.out_of_memory) == (False, False)


@pytest.mark.parametrize(("command", "code"), [("no-such-command", 127), ("/etc/passwd", 126)])
def test_a_command_that_cannot_be_run_is_a_result(run: RunIt, command: str, code: int) -> None:
    ran = run(command)
    assert ran.exit_code == code
    assert ran.stderr.data.startswith(command.encode())


def test_a_tool_sees_no_more_than_it_was_given(run: RunIt) -> None:
    ran = run("sh", "-c", "id -u; id -g; env; ls /sys/class/net; cat /proc/self/status; cat /etc/resolv.conf")
    lines = ran.stdout.data.decode().splitlines()
    assert lines[:2] == ["1000", "1000"]
    assert {"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"} <= set(
        lines
    )
    names = {line.partition("=")[0] for line in lines[2:] if "=" in line}
    assert names <= {"PATH", "HOME", "TERM", "LANG", "HOSTNAME", "PWD", "SHLVL", "container"}
    assert "HOME=/tmp" in lines
    assert "lo" in lines
    assert not {"eth0", "tap0"} & set(lines)
    assert b"resolv.conf" in ran.stderr.data


def test_300_kilobytes_of_input_come_back_byte_for_byte(run: RunIt) -> None:
    sent = random.Random(7).randbytes(300_000)
    ran = run("sh", "-c", "cat | head -c 250000; cat >/dev/null", stdin=sent)
    assert ran.stdout.data == sent[:250_000]
    assert run("wc", "-c", stdin=sent).stdout.data == b"300000\n"


def test_every_byte_passes_the_detach_keys_too(run: RunIt) -> None:
    sent = bytes(range(256)) * 4 + b"a\x10\x11b"
    assert run("cat", stdin=sent).stdout.data == sent


def test_no_input_is_an_end_at_once_and_input_that_nobody_reads_is_no_fault(run: RunIt) -> None:
    assert run("cat").exit_code == 0
    assert run("cat", stdin=b"").exit_code == 0
    assert run("echo", "done", stdin=b"x" * 300_000).stdout.data == b"done\n"


def test_50_megabytes_are_read_to_the_end_and_cut(run: RunIt) -> None:
    ran = run("sh", "-c", "head -c 52428800 /dev/zero; head -c 300000 /dev/zero >&2; exit 5")
    assert (ran.exit_code, ran.stdout.total, ran.stderr.total) == (5, 52_428_800, 300_000)
    assert (len(ran.stdout.data), len(ran.stderr.data)) == (MAX_OUTPUT, MAX_OUTPUT)
    assert ran.stdout.cut


def test_a_process_that_ignores_term_is_killed_at_its_limit(run: RunIt) -> None:
    begun_s = time.monotonic()
    ran = run("sh", "-c", "trap '' TERM INT HUP; echo on; while :; do :; done", time_s=1.5)
    assert (ran.exit_code, ran.timed_out, ran.stdout.data) == (None, True, b"on\n")
    assert time.monotonic() - begun_s < 1.5 + KILL_S


def test_the_callers_deadline_ends_it_when_it_is_earlier(run: RunIt) -> None:
    assert run("sleep", "60", deadline_s=1.5).timed_out


def test_a_process_that_closes_its_streams_is_waited_for_and_killed_as_any_other(run: RunIt) -> None:
    assert run("sh", "-c", "exec >&- 2>&-; sleep 0.5; exit 4").exit_code == 4
    assert run("sh", "-c", "exec >&- 2>&-; sleep 60", time_s=1.5).timed_out


def test_children_that_hold_the_output_end_with_their_parent(run: RunIt) -> None:
    ran = run("sh", "-c", "(trap '' TERM; sleep 60) & echo started")
    assert (ran.exit_code, ran.stdout.data) == (0, b"started\n")


def test_a_cut_from_another_thread_kills_it(run: RunIt) -> None:
    cut = Cut()
    timer = threading.Timer(1.0, cut.cut)
    timer.start()
    begun_s = time.monotonic()
    ran = run("sh", "-c", "trap '' TERM; echo on; while :; do :; done", cut=cut)
    timer.join(timeout=10)
    assert (ran.exit_code, ran.timed_out) == (None, False)
    assert time.monotonic() - begun_s < 1.0 + KILL_S


def test_a_cut_ends_the_wait_for_a_process_whose_streams_are_closed(run: RunIt) -> None:
    cut = Cut()
    timer = threading.Timer(1.5, cut.cut)
    timer.start()
    begun_s = time.monotonic()
    ran = run("sh", "-c", "echo on; exec >&- 2>&-; sleep 60", cut=cut)
    timer.join(timeout=10)
    assert (ran.exit_code, ran.timed_out, ran.stdout.data) == (None, False, b"on\n")
    assert time.monotonic() - begun_s < 1.5 + KILL_S


def test_a_cut_before_the_start_runs_nothing(run: RunIt) -> None:
    cut = Cut()
    cut.cut()
    ran = run("echo", "hi", cut=cut)
    assert (ran.exit_code, ran.timed_out, ran.stdout.data) == (None, False, b"")


def test_a_fork_bomb_stays_in_its_own_limit(run: RunIt) -> None:
    ran = run("sh", "-c", "b() { b | b & }; b; sleep 1; echo end", pids=12, time_s=6)
    assert b"fork" in ran.stderr.data


def test_more_memory_than_allowed_is_an_end_that_says_so(run: RunIt) -> None:
    ran = run("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1", memory_mb=64)
    assert (ran.exit_code, ran.out_of_memory) == (137, True)


def test_nothing_but_the_mounts_and_tmp_can_be_written(run: RunIt, tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o777)
    (tmp_path / "rw").mkdir()
    (tmp_path / "ro" / "a").write_text("text")
    for name in ("ro", "rw"):
        (tmp_path / name).chmod(0o777)
    script = "cat /ro/a; touch /rw/new /tmp/new; for at in / /bin /etc /ro; do touch $at/x || echo no; done"
    ran = run(
        "sh",
        "-c",
        script,
        mounts=(
            Mount(source=str(tmp_path / "ro"), target="/ro", read_only=True),
            Mount(source=str(tmp_path / "rw"), target="/rw", read_only=False),
        ),
    )
    assert ran.stdout.data == b"textno\nno\nno\nno\n"
    assert ran.stderr.data.count(b"Read-only file system") >= 1
    assert b"/ro/x: Read-only" in ran.stderr.data
    assert [each.name for each in (tmp_path / "rw").iterdir()] == ["new"]


def test_a_file_system_below_a_read_only_folder_is_not_seen(run: RunIt, tmp_path: Path) -> None:
    """Mounted along, it would be writable: read-only holds for the folder's own file system alone."""
    below = tmp_path / "below"
    below.mkdir()
    for folder in (tmp_path, below):
        folder.chmod(0o777)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "mode=1777", "none", str(below)],
        capture_output=True,
        timeout=20,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("only root can mount a file system")
    try:
        (below / "inner").write_text("")
        mounts = (Mount(source=str(tmp_path), target="/m", read_only=True),)
        ran = run("sh", "-c", "ls /m/below; touch /m/below/x", mounts=mounts)
    finally:
        subprocess.run(["umount", str(below)], timeout=20, check=True)
    assert ran.stdout.data == b""
    assert b"Read-only" in ran.stderr.data


@pytest.mark.parametrize("read_only", [True, False])
def test_what_is_masked_is_an_empty_folder_that_cannot_be_written_or_moved(
    run: RunIt,
    tmp_path: Path,
    read_only: bool,  # noqa: FBT001
) -> None:
    secret = tmp_path / "own" / "secret"
    secret.mkdir(parents=True)
    (secret / "key.txt").write_text("hidden")
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777)
        if os.geteuid() == 0:
            os.chown(path, 1000, 1000)
    mounts = [Mount(source=str(tmp_path), target="/srv/n", read_only=read_only)]
    own = Mount(source=str(tmp_path / "own"), target="/srv/n/own", read_only=read_only)
    script = (
        "cd /srv/n; find own; echo x >own/secret/new; rm -rf own/secret; mv own other; umount own/secret;"
        " find own"
    )
    ran = run("sh", "-c", script, mounts=(*mounts, own), masked=("/srv/n/own/secret",))
    assert ran.stdout.data == b"own\nown/secret\n" * 2
    assert (secret / "key.txt").read_text() == "hidden"
    assert list(secret.iterdir()) == [secret / "key.txt"]


def test_a_full_tmp_is_an_error_and_no_end(run: RunIt) -> None:
    ran = run("sh", "-c", "dd if=/dev/zero of=/tmp/big bs=1M count=90; echo $?", memory_mb=256)
    assert ran.stdout.data == b"1\n"
    assert b"No space left" in ran.stderr.data


def test_a_link_inside_a_mount_leads_nowhere_on_the_host(run: RunIt, tmp_path: Path) -> None:
    folder, secret = tmp_path / "folder", tmp_path / "secret"
    folder.mkdir(mode=0o755)
    secret.write_text("hidden")
    (folder / "link").symlink_to(secret)
    (folder / "up").symlink_to("../secret")
    mounts = (Mount(source=str(folder), target=str(folder), read_only=True),)
    ran = run("sh", "-c", f"cat {folder}/link {folder}/up {folder}/../secret", mounts=mounts)
    assert ran.exit_code == 1
    assert ran.stdout.data == b""


def test_a_mount_that_is_a_link_or_is_gone_is_refused(run: RunIt, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    for source, said in ((tmp_path / "link", "behind a link"), (tmp_path / "gone", "no such file")):
        with pytest.raises(SandboxError, match=said):
            run("true", mounts=(Mount(source=str(source), target="/x", read_only=True),))


def test_what_a_tool_writes_belongs_to_the_folders_owner(run: RunIt, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 1234, 4321)
    run("touch", "/f/new", mounts=(Mount(source=str(folder), target="/f", read_only=False),))
    made = (folder / "new").stat()
    assert (made.st_uid, made.st_gid) == (1234, 4321)


def test_a_folder_to_work_in_that_is_not_there_is_said(run: RunIt) -> None:
    with pytest.raises(SandboxError, match="the folder /nowhere is not in the sandbox"):
        run("true", workdir="/nowhere")


def test_an_image_that_is_gone_is_named_and_never_pulled(backend: PodmanBackend) -> None:
    site = replace(backend.site, image="sha256:" + "ab" * 32, image_name="docker.example/gone:1")
    with pytest.raises(SandboxError, match=r"podman has no image docker\.example/gone:1; pull it"):
        run_job(site, Job(name="x", command=("true",)), time.monotonic() + 20, Cut())


def test_a_service_that_is_gone_is_said(backend: PodmanBackend, tmp_path: Path) -> None:
    site = replace(backend.site, socket=tmp_path / "none.sock")
    with pytest.raises(SandboxError, match="nothing ran: its service does not answer"):
        run_job(site, Job(name="x", command=("true",)), time.monotonic() + 20, Cut())


def test_a_service_that_ends_in_the_middle_of_a_run_leaves_its_end_unknown(
    storage: Storage, backend: PodmanBackend, tmp_path: Path
) -> None:
    lost = storage.open("lost", "lost.sock")

    def lose() -> None:
        until_s = time.monotonic() + 20
        while not (tmp_path / "on").exists() and time.monotonic() < until_s:
            threading.Event().wait(0.01)
        lost.close()

    tmp_path.chmod(0o777)
    losing = threading.Thread(target=lose)
    losing.start()
    mount = Mount(source=str(tmp_path), target="/srv/there", read_only=False)
    job = Job(name="lost", command=("sh", "-c", "echo >/srv/there/on; exec sleep 60"), mounts=(mount,))
    try:
        with pytest.raises(BrokenOffError, match=r"podman lost sight of the sandbox|ended in the middle"):
            lost.run(job, time.monotonic() + 30, Cut())
    finally:
        losing.join(30)
        for left in containers(backend):
            remove(backend.site.socket, left)


def test_a_container_that_is_not_as_it_was_asked_for_is_not_started(
    backend: PodmanBackend, run: RunIt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that podman does not know is no error to it: here as if one were spelled wrong."""

    def misspelled(site: Site, job: Job) -> Payload:
        asked = created_from(site, job)
        asked["no_new_privilege"] = asked.pop("no_new_privileges")
        return asked

    monkeypatch.setattr("bxio.podman.run.created_from", misspelled)
    tmp_path.chmod(0o777)
    mounts = (Mount(source=str(tmp_path), target="/m", read_only=False),)
    with pytest.raises(
        SandboxError, match=r"another sandbox than it was asked for: security options is \[\]"
    ):
        run("touch", "/m/ran", mounts=mounts)
    assert list(tmp_path.iterdir()) == []


def test_podmans_own_time_out_behind_ours_is_one(run: RunIt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxcore.sandbox.podman_payload.BACKSTOP_S", -29)
    ran = run("sh", "-c", "echo on; sleep 60", time_s=30)
    assert (ran.exit_code, ran.timed_out, ran.stdout.data) == (None, True, b"on\n")


def test_nothing_is_left_behind(backend: PodmanBackend) -> None:
    with PodmanClient(base_url=f"unix://{backend.site.socket}", timeout=20) as podman:
        assert podman.containers.list(all=True) == []
