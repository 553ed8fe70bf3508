from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxio import whole_results
from bxio.whole_results import keep, kept, place

ROOT = Path(__file__).parents[2]
HOSTILE = [
    "",
    ".",
    "..",
    "../0",
    "/etc/passwd",
    "a/b",
    "t1c1\n",
    "t1c1\x00",
    "T1C1",
    "é" * 400,
    "\ud800",
    "-rf",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    return made


def names(folder: Path) -> list[str]:
    return [each.path.name for each in kept(folder)]


def dated(folder: Path, call: str, text: str, second: int, most_bytes: int = 10_000) -> None:
    path = keep(folder, call, text, most_bytes=most_bytes)
    os.utime(path, (second, second))


def test_the_whole_text_is_kept_for_the_owner_alone(folder: Path) -> None:
    path = keep(folder, "t4c1", "a\r\né\x00" * 20_000)
    assert path == folder / "results" / "t4c1.txt" == place(folder, "t4c1")
    assert path.read_bytes() == ("a\r\né\x00" * 20_000).encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("call", HOSTILE)
def test_a_hostile_call_id_names_a_file_in_the_folder_and_no_other(folder: Path, call: str) -> None:
    path = keep(folder, call, "text")
    assert path.parent == folder / "results"
    assert path.name.removesuffix(".txt").isalnum()
    assert [each.path for each in kept(folder)] == [path]
    assert place(folder, "t1c1") != path


@given(st.lists(st.text(max_size=20) | st.sampled_from(["t1c1", "t1c2", "t11c2"]), unique=True))
def test_two_calls_never_share_a_file_whatever_the_file_system_folds(calls: list[str]) -> None:
    assert len({str(place(Path("home"), call)).lower() for call in calls}) == len(calls)


def test_a_later_result_of_the_same_call_replaces_the_first(folder: Path) -> None:
    keep(folder, "t1c1", "first")
    assert keep(folder, "t1c1", "second").read_text() == "second"
    assert names(folder) == ["t1c1.txt"]


def test_half_a_character_is_kept_as_a_mark(folder: Path) -> None:
    assert keep(folder, "t1c1", "a\ud800b").read_text() == "a?b"


def test_the_oldest_go_when_there_are_too_many_bytes(folder: Path) -> None:
    for number in range(1, 5):
        dated(folder, f"t1c{number}", "x" * 30, number, most_bytes=100)
    assert names(folder) == ["t1c2.txt", "t1c3.txt", "t1c4.txt"]
    keep(folder, "t2c1", "y" * 500, most_bytes=100)
    assert names(folder) == ["t2c1.txt"]


def test_the_oldest_go_when_there_are_too_many_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_results, "MOST_FILES", 3)
    for number in range(1, 6):
        dated(folder, f"t1c{number}", "x", number)
    assert names(folder) == ["t1c3.txt", "t1c4.txt", "t1c5.txt"]


def test_no_results_are_an_empty_list(folder: Path) -> None:
    assert kept(folder) == []


def test_a_link_in_place_of_a_result_is_replaced_and_not_followed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    keep(folder, "t1c1", "text")
    place(folder, "t1c1").unlink()
    place(folder, "t1c1").symlink_to(other)
    assert kept(folder) == []
    assert keep(folder, "t1c1", "text").read_text() == "text"
    assert other.read_text() == "mine"


def test_a_folder_that_is_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (folder / "results").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="the folder must be ours alone"):
        keep(folder, "t1c1", "text")
    assert list((tmp_path / "elsewhere").iterdir()) == []


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from bxio.whole_results import keep

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
keep(Path(sys.argv[1]), "t1c1", "first")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    keep(Path(sys.argv[1]), "t1c1", "x" * 5000)
except OSError as error:
    print(error.strerror)
"""


def test_a_full_disk_keeps_what_was_there_and_leaves_nothing_behind(folder: Path) -> None:
    command = [sys.executable, "-c", _FULL_DISK, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "File too large\n"
    assert place(folder, "t1c1").read_text() == "first"
    assert [path.name for path in (folder / "results").iterdir()] == ["t1c1.txt"]


def test_what_a_kill_left_half_written_goes_with_the_next_result(folder: Path) -> None:
    keep(folder, "t1c1", "first")
    (folder / "results" / ".t1c2.txt.new").write_text("ha")
    keep(folder, "t1c3", "third")
    assert sorted(path.name for path in (folder / "results").iterdir()) == ["t1c1.txt", "t1c3.txt"]


def test_the_file_and_its_name_are_on_disk_before_the_old_ones_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dated(folder, "t1c1", "old", 1)
    done: list[str] = []
    fsync, rename = os.fsync, Path.rename
    unlink: Callable[..., object] = Path.unlink

    def noted(name: str, result: object) -> object:
        done.append(name)
        return result

    monkeypatch.setattr(os, "fsync", lambda fd: noted("fsync", fsync(fd)))
    monkeypatch.setattr(Path, "rename", lambda self, to: noted("rename", rename(self, to)))
    monkeypatch.setattr(Path, "unlink", lambda self, **more: noted("unlink", unlink(self, **more)))
    keep(folder, "t1c2", "new", most_bytes=5)
    assert done == ["fsync", "rename", "fsync", "unlink", "fsync"]
