"""The scripts under the host's shell with coreutils, and under busybox alone, as an unprivileged user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bxcore.sandbox.scripts import READ, WRITE, Ended

Script: TypeAlias = Callable[..., "subprocess.CompletedProcess[bytes]"]
APPLETS = (
    "cat",
    "chmod",
    "dd",
    "head",
    "id",
    "mkdir",
    "mktemp",
    "mv",
    "readlink",
    "rm",
    "stat",
    "sync",
    "tail",
)
BUSYBOX = shutil.which("busybox")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(params=["coreutils", "busybox"])
def shell(request: pytest.FixtureRequest, stack: ExitStack) -> Script:
    """Run a script with its arguments; as root it runs as nobody, since root is refused nothing."""
    command, path = ["sh"], os.defpath
    if request.param == "busybox":
        if BUSYBOX is None:
            pytest.skip("busybox is not on this machine; install busybox-static")
        tools = stack.enter_context(open_folder())
        for name in APPLETS:
            (tools / name).symlink_to(BUSYBOX)
        command, path = [BUSYBOX, "sh"], str(tools)

    user = 65534 if os.geteuid() == 0 else None

    def run(script: str, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*command, "-c", script, "tool", *words],
            input=stdin, capture_output=True, timeout=20, check=False, env={"PATH": path},
            user=user, group=user, extra_groups=None if user is None else [],
        )  # fmt: skip

    return run


@pytest.fixture
def folder(stack: ExitStack) -> Path:
    return stack.enter_context(open_folder())


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user may write to; pytest's own lie in one that is root's alone."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(shell: Script, path: Path | str, first: int = 1, most: int = 65536) -> tuple[int, bytes, bytes]:
    ran = shell(READ, str(path), str(first), str(most))
    return ran.returncode, ran.stdout, ran.stderr


def write(shell: Script, path: Path | str, content: bytes, how: str = "replace") -> int:
    return shell(WRITE, str(path), str(len(content)), how, stdin=content).returncode


@pytest.mark.parametrize("name", ["a.txt", "-n", "--help", "with space", "$(id)", "'\"", "*", "grün"])
def test_a_file_of_any_name_is_written_and_read_back(shell: Script, folder: Path, name: str) -> None:
    content = bytes(range(256)) * 5
    assert write(shell, folder / name, content) == Ended.DONE
    assert (folder / name).read_bytes() == content
    assert read(shell, folder / name) == (0, content, b"size 1280\n")
    assert names(folder) == [name], "nothing is left beside it"


def test_a_part_is_read_by_first_byte_and_length(shell: Script, folder: Path) -> None:
    (folder / "a").write_bytes(b"0123456789")
    assert read(shell, folder / "a", 3, 4) == (0, b"2345", b"size 10\n")
    assert read(shell, folder / "a", 10, 4) == (0, b"9", b"size 10\n")
    assert read(shell, folder / "a", 11, 4) == (0, b"", b"size 10\n")
    assert read(shell, folder / "a", 2**63 - 1, 4) == (0, b"", b"size 10\n")


@pytest.mark.parametrize("size", [2**32 + 5, 10 * 2**30, 2**42 - 3])
def test_the_end_of_a_huge_file_is_read_at_once(shell: Script, folder: Path, size: int) -> None:
    with (folder / "huge").open("wb") as file:
        file.truncate(size)
        file.seek(size - 4)
        file.write(b"tail")
    told = f"size {size}\n".encode()
    assert read(shell, folder / "huge", size - 3, 65536) == (0, b"tail", told)
    assert read(shell, folder / "huge", size - 4, 2) == (0, b"\0t", told)
    assert read(shell, folder / "huge", size + 1) == (0, b"", told)


BLOCK = 65536
firsts = st.one_of(
    st.integers(1, 5 * BLOCK), st.sampled_from([n * BLOCK + d for n in (1, 2, 3) for d in (-1, 0, 1, 2)])
)
counts = st.one_of(st.integers(1, 4 * BLOCK), st.sampled_from([1, BLOCK - 1, BLOCK, BLOCK + 1, 4 * BLOCK]))


@given(firsts, counts)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_part_is_that_of_the_file_wherever_blocks_end(
    shell: Script, folder: Path, first: int, most: int
) -> None:
    content = b"".join(n.to_bytes(4, "big") for n in range(BLOCK))
    (folder / "a").write_bytes(content)
    assert read(shell, folder / "a", first, most)[:2] == (0, content[first - 1 : first - 1 + most])


def test_what_cannot_be_read_has_its_own_exit_code(shell: Script, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o700)
    (folder / "closed").chmod(0o000)
    (folder / "mine").touch(mode=0o000)
    (folder / "lost").symlink_to("/nowhere/at/all")
    os.mkfifo(folder / "pipe")
    assert read(shell, folder / "missing")[0] == Ended.NOT_FOUND
    assert read(shell, folder / "no" / "such")[0] == Ended.NOT_FOUND
    assert read(shell, folder)[0] == Ended.FOLDER
    assert read(shell, folder / "pipe")[0] == Ended.NO_FILE
    assert read(shell, folder / "mine")[0] == Ended.DENIED
    assert read(shell, folder / "closed" / "a")[0] == Ended.DENIED
    assert read(shell, folder / "lost")[0] == Ended.DANGLING


def test_a_new_file_gets_its_folders_and_a_plain_mode(shell: Script, folder: Path) -> None:
    assert write(shell, folder / "a" / "b" / "c", b"x") == Ended.DONE
    assert (folder / "a" / "b" / "c").stat().st_mode & 0o777 == 0o644


def test_a_replaced_file_keeps_its_mode_and_a_link_its_place(shell: Script, folder: Path) -> None:
    (folder / "run").write_bytes(b"old")
    (folder / "run").chmod(0o777)
    (folder / "link").symlink_to("run")
    assert write(shell, folder / "link", b"new") == Ended.DONE
    assert (folder / "link").is_symlink()
    assert ((folder / "run").read_bytes(), (folder / "run").stat().st_mode & 0o777) == (b"new", 0o777)


def test_appending_adds_at_the_end_and_makes_a_missing_file(shell: Script, folder: Path) -> None:
    assert write(shell, folder / "log", b"one\n", "append") == Ended.DONE
    assert write(shell, folder / "log", b"two\n", "append") == Ended.DONE
    assert (folder / "log").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("how", ["replace", "append"])
def test_content_that_did_not_come_whole_changes_nothing(shell: Script, folder: Path, how: str) -> None:
    (folder / "a").write_bytes(b"old")
    (folder / "a").chmod(0o666)
    assert shell(WRITE, str(folder / "a"), "5", how, stdin=b"cut").returncode == Ended.CUT_SHORT
    assert ((folder / "a").read_bytes(), names(folder)) == (b"old", ["a"])


def test_what_cannot_be_written_has_its_own_exit_code(shell: Script, folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0o555)
    (folder / "mine").touch()
    (folder / "mine").chmod(0o444)
    (folder / "file").touch()
    (folder / "lost").symlink_to("/nowhere/at/all")
    os.mkfifo(folder / "pipe")
    assert write(shell, folder, b"x") == Ended.FOLDER
    assert write(shell, folder / "pipe", b"x") == Ended.NO_FILE
    assert write(shell, folder / "mine", b"x") == Ended.DENIED
    assert write(shell, folder / "closed" / "a", b"x") == Ended.DENIED
    assert write(shell, folder / "file" / "a", b"x") == Ended.NO_FOLDER
    assert write(shell, folder / "lost", b"x") == Ended.DANGLING
