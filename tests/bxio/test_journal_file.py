"""The log file under real faults: a full disk, a failed sync, a killed writer, another opener."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxio.journal_file import JournalError, JournalFile, read_beside

ROOT = Path(__file__).parents[2]
WRITER = [sys.executable, "-m", "tests.doubles.journal_writer"]
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
unprivileged = pytest.mark.skipif(os.geteuid() == 0, reason="root may write where modes say no")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[JournalFile]:
    file = JournalFile.open(path)
    try:
        yield file
    finally:
        file.close()


def held(path: Path) -> tuple[str, ...]:
    with opened(path) as file:
        return file.payloads


def test_what_was_appended_is_there_after_a_second_open(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    with opened(path) as file:
        assert file.payloads == ()
        file.append(['"one"', '"two"'], sync=True)
        file.append(['"three"'], sync=False)
        file.append(['"four"'], sync=True)
    assert held(path) == ('"one"', '"two"', '"three"', '"four"')
    assert path.stat().st_mode & 0o777 == 0o600
    assert [json.loads(line)["b"] for line in path.read_bytes().splitlines()] == [0, 0, 2, 2]


def test_a_torn_tail_is_cut_kept_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    for number, torn in enumerate((b'{"crc":"0', b"\x00\x00"), start=1):
        with opened(path) as file:
            file.append([str(number)], sync=True)
        with path.open("ab") as raw:
            raw.write(torn)
        with opened(path) as file:
            assert file.torn is not None
            assert (file.torn.size, file.torn.kept.name) == (len(torn), f"0.jsonl.torn-{number}")
            assert file.torn.kept.read_bytes() == torn
    assert held(path) == ("1", "2")


def test_a_damaged_log_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    with opened(path) as file:
        file.append(["1"], sync=True)
        file.append(["2"], sync=True)
    data = path.read_bytes().replace(b'"record":1', b'"record":7')
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"0\.jsonl: line 1 of the log is damaged.*left as it is"):
        JournalFile.open(path)
    assert path.read_bytes() == data


def test_a_second_opener_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    with opened(tmp_path / "log"), pytest.raises(JournalError, match="is open elsewhere"):
        JournalFile.open(tmp_path / "log")
    assert held(tmp_path / "log") == ()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_log_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "log"
    path.touch(0o600)
    path.chmod(mode)
    with pytest.raises(JournalError, match=r"is open to others; type chmod 600 .*"):
        JournalFile.open(path)


def test_a_link_and_a_folder_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "real").touch(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("link", ".", "missing/log"):
        with pytest.raises(JournalError, match="cannot be opened"):
            JournalFile.open(tmp_path / name)


@unprivileged
def test_a_read_only_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(JournalError, match="cannot be opened: Permission denied"):
        JournalFile.open(tmp_path / "log")
    tmp_path.chmod(0o700)


def test_a_full_disk_takes_nothing_back_that_was_acknowledged(tmp_path: Path) -> None:
    """RLIMIT_FSIZE behaves as a full disk does: a short write first, then an error."""
    path = tmp_path / "log"
    said = _run_writer(path, "1000", "400", limit_bytes=100_000)
    acked = int(said.split()[0])
    assert "cannot be written: the disk took" in said
    assert held(path) == tuple(json.dumps(f"{number}:" + "x" * 1000) for number in range(acked))
    assert 50 < acked < 100
    with opened(path) as file:
        assert file.torn is None
        file.append(['"there is room again"'], sync=True)


def test_a_log_goes_on_once_there_is_room_again(tmp_path: Path) -> None:
    """What a short write had left is taken back, so that the next line follows the last good one."""
    path = tmp_path / "log"
    _run_writer(path, "1000", "200", "then-grow", limit_bytes=100_000)
    with opened(path) as file:
        assert len(file.payloads) == 199, "the one that found the disk full was refused"
        assert file.torn is None


def _run_writer(path: Path, *arguments: str, limit_bytes: int | None = None) -> str:
    def limit() -> None:
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))

    command = [*WRITER, str(path), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, preexec_fn=limit, capture_output=True, text=True, timeout=20, check=True
    )
    return done.stdout.strip().splitlines()[-1]


@needs_strace
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("write:error=ENOSPC:when=2", "cannot be written: No space left on device"),
        ("write:retval=4:when=2", "the disk took 4 of"),
        ("write:error=EIO:when=2+", "cannot be written: Input/output error"),
        ("fdatasync:error=EIO:when=2", "could not be synced"),
        ("fdatasync:error=EIO:when=3", "could not be synced"),
    ],
)
def test_a_fault_of_the_disk_ends_in_a_sentence_and_loses_nothing(
    tmp_path: Path, fault: str, sentence: str
) -> None:
    path = tmp_path / "log"
    path.touch(0o600)
    said = _under_strace(path, fault)
    acked = int(said.split()[0])
    assert sentence in said
    kept = held(path)
    assert len(kept) >= acked
    assert kept[:acked] == tuple(json.dumps(f"{number}:" + "x" * 10) for number in range(acked))


@needs_strace
@pytest.mark.parametrize("call", ["fsync", "ftruncate", "openat", "write", "fdatasync"])
def test_a_kill_at_each_call_loses_nothing_acknowledged(tmp_path: Path, call: str) -> None:
    path = tmp_path / "log"
    with opened(path) as file:
        file.append([json.dumps("0:" + "x" * 10)], sync=True)
    with path.open("ab") as raw:
        raw.write(b"torn")
    _under_strace(path, f"{call}:signal=KILL:when=1", check=False)
    with opened(path) as file:
        assert file.payloads[0] == json.dumps("0:" + "x" * 10)
    kept = sorted(tmp_path.glob("log.torn-*"))
    assert kept
    assert all(b"torn".startswith(tail.read_bytes()) for tail in kept)


@needs_strace
def test_a_log_that_failed_to_sync_takes_no_more_and_cannot_be_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch(0o600)
    said = _under_strace(path, "fdatasync:error=EIO:when=1", "then-try-again")
    assert said.count("could not be synced") == 3
    assert "restart the box" in said
    assert len(held(path)) <= 1


def _under_strace(path: Path, fault: str, *more: str, check: bool = True) -> str:
    name = fault.partition(":")[0]
    tracing = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(path), "-e", f"trace={name}"]
    command = [*tracing, "-e", f"inject={fault}", *WRITER, str(path), "10", "6", *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=check)
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


@pytest.mark.timeout(60)
def test_a_killed_writer_loses_no_acknowledged_record(tmp_path: Path) -> None:
    """Only records over 64 kB are ever torn by a kill, so these are up to 3 MB."""
    path = tmp_path / "log"
    torn = 0
    for round_ in range(25):
        acked = _killed_after(path, 0.02 + 0.011 * (round_ % 9))
        with opened(path) as file:
            torn += file.torn is not None
            kept = [int(json.loads(payload).partition(":")[0]) for payload in file.payloads]
        assert kept == list(range(len(kept)))
        assert len(kept) >= acked
        if path.stat().st_size > 20_000_000:
            path.unlink()


def _killed_after(path: Path, delay_s: float) -> int:
    """Start a real writer, kill it in the middle, and return how many records it had acknowledged."""
    with subprocess.Popen(
        [*WRITER, str(path), "3000000", "1000000"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        deadline = time.monotonic() + delay_s
        said = [first]
        while time.monotonic() < deadline and (line := writer.stdout.readline()):
            said.append(line)
        writer.kill()
        said += writer.stdout.readlines()
    whole = [line for line in said if line.endswith("\n")]
    return int(whole[-1].split()[0]) if whole else 0


def test_a_journal_is_read_beside_its_writer_without_the_line_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert read_beside(path) == ()
    with contextlib.closing(JournalFile.open(path)) as file:
        file.append(['{"a":1}', '{"a":2}'], sync=True)
        with path.open("ab") as beside:
            beside.write(b'{"half')
        assert read_beside(path) == ('{"a":1}', '{"a":2}')


def test_a_journal_that_is_damaged_is_refused_beside_its_writer_too(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with contextlib.closing(JournalFile.open(path)) as file:
        file.append(['{"a":1}'], sync=True)
        file.append(['{"a":2}'], sync=True)
    path.write_bytes(path.read_bytes().replace(b'"a":1', b'"a":7'))
    with pytest.raises(JournalError, match="restore it from a backup"):
        read_beside(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(JournalError, match="cannot be read"):
        read_beside(path)
