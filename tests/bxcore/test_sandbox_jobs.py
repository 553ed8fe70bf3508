from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.args import ArgsError, ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.args.paths import check_path
from bxcore.grants import Grant
from bxcore.grants.grant import Mode
from bxcore.sandbox import Limits, Mount
from bxcore.sandbox.jobs import Task, folders, job, place, writes_work
from bxcore.sandbox.scripts import READ, WRITE

WORK = Mount(source="/srv/box/work/main", target="/session", read_only=False)


def grant(tool: str, *paths: str, memory_mb: int | None = None) -> Grant:
    return Grant(id="g", tool=tool, mode=Mode.AUTO, text="", paths=paths, memory_mb=memory_mb)


def task(args: ReadFileArgs | WriteFileArgs | ShellArgs, *paths: str, **fields: int) -> Task:
    return Task(args=args, grant=grant(args.TOOL, *paths, **fields), name="runs-1-1", limit_s=30.0)


@pytest.mark.parametrize(
    ("path", "stands_at"),
    [
        ("a.txt", "/session/a.txt"),
        ("./sub/../a.txt", "/session/a.txt"),
        (".", "/session"),
        ("-n", "/session/-n"),
        ("/srv//docs/./a", "/srv/docs/a"),
        ("/session/a", "/session/a"),
    ],
)
def test_a_path_has_one_place_in_the_sandbox(path: str, stands_at: str) -> None:
    assert place(path) == stands_at


@given(st.text("ab./-* \n'\"$;", min_size=1, max_size=30))
def test_a_place_is_absolute_and_a_relative_one_never_leaves_the_work_folder(path: str) -> None:
    try:
        check_path(path)
    except ArgsError:
        return
    found = place(path)
    assert found.startswith("/")
    assert ".." not in found.split("/")
    assert path.startswith("/") or found == "/session" or found.startswith("/session/")


def test_a_file_gets_the_innermost_folder_that_holds_it_and_no_other() -> None:
    granted = grant("read_file", "/srv/docs", "/srv/docs/old", "/srv/photos", "/srv/doc")
    assert folders(ReadFileArgs("/srv/docs/old/a"), granted) == ("/srv/docs/old",)
    assert folders(ReadFileArgs("/srv/docs/older"), granted) == ("/srv/docs",)
    assert folders(ReadFileArgs("/srv/docs"), granted) == ("/srv/docs",)
    assert folders(ReadFileArgs("/srv/document"), granted) == ()


def test_a_file_of_the_work_folder_gets_no_folder_of_the_grant() -> None:
    assert folders(ReadFileArgs("srv/docs/a"), grant("read_file", "/srv/docs")) == ()


def test_a_shell_gets_every_folder_once_and_none_inside_another() -> None:
    granted = grant("shell", "/srv/docs/old", "/srv/docs/", "/srv/photos", "/srv/docs")
    assert folders(ShellArgs("ls"), granted) == ("/srv/docs", "/srv/photos")


def test_only_a_reading_leaves_the_work_folder_read_only() -> None:
    assert [writes_work(args) for args in (ReadFileArgs("a"), WriteFileArgs("a", ""), ShellArgs("ls"))] == [
        False,
        True,
        True,
    ]


def test_a_reading_hands_its_path_and_figures_as_arguments() -> None:
    made = job(task(ReadFileArgs("$(touch x)", 10, 20)), [WORK])
    assert made.command == ("sh", "-c", READ, "read_file", "/session/$(touch x)", "11", "20")
    assert (made.mounts, made.workdir, made.stdin, made.name) == ((WORK,), "/session", None, "runs-1-1")


def test_the_last_offset_of_all_is_still_a_number_that_a_shell_reads() -> None:
    assert job(task(ReadFileArgs("a", 2**63 - 1)), [WORK]).command[-2] == str(2**63 - 1)


def test_a_writing_counts_bytes_and_feeds_them_by_stdin() -> None:
    made = job(task(WriteFileArgs("/srv/ü", "grün\n")), [WORK])
    assert made.command == ("sh", "-c", WRITE, "write_file", "/srv/ü", "6", "replace")
    assert made.stdin == "grün\n".encode()
    assert job(task(WriteFileArgs("a", "", append=True)), [WORK]).command[-1] == "append"


def test_a_shell_runs_its_command_and_ends_at_the_shorter_limit() -> None:
    made = job(task(ShellArgs("ls; echo $HOME", 5)), [WORK])
    assert made.command == ("sh", "-c", "ls; echo $HOME")
    assert (made.stdin, made.limits) == (None, Limits(time_s=5.0))
    assert job(task(ShellArgs("ls", 300)), [WORK]).limits.time_s == 30.0


def test_the_grants_memory_is_the_jobs() -> None:
    assert job(task(ShellArgs("ls"), memory_mb=17), []).limits.memory_mb == 17
