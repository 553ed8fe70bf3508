"""Private folders, and files that are whole or absent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bxio.folders import make_private, sync_folder, write_beside, write_whole

ROOT = Path(__file__).parents[2]
WRITE = """
import sys
from pathlib import Path
from bxio.folders import write_whole
write_whole(Path(sys.argv[1]), b"new")
"""


def test_a_folder_is_made_with_its_parents_for_us_alone(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    make_private(tmp_path / "a" / "b")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OSError, match="must be ours alone, with mode 0700"):
        make_private(tmp_path / "open")
    with pytest.raises(OSError, match="must be ours alone"):
        make_private(tmp_path / "link")
    with pytest.raises(OSError, match="file"):
        make_private(tmp_path / "file")


def test_a_file_is_replaced_whole_and_is_private(tmp_path: Path) -> None:
    write_whole(tmp_path / "x", b"old")
    write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_file_that_cannot_take_a_place_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x" / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="irectory"):
        write_whole(tmp_path / "x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_file_that_cannot_be_written_whole_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_beside(tmp_path / "x", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_cannot_be_synced(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "missing")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("call", ["openat", "write", "fsync", "rename"])
def test_a_kill_at_each_call_leaves_the_old_file_or_the_new_one(tmp_path: Path, call: str) -> None:
    file = tmp_path / "x"
    write_whole(file, b"old")
    beside = tmp_path / ".x.new"
    tracing = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        str(beside),
        "-P",
        str(file),
        "-P",
        str(tmp_path),
    ]
    inject = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when=1"]
    command = [*tracing, *inject, sys.executable, "-c", WRITE, str(file)]
    done = subprocess.run(command, cwd=ROOT, timeout=20, check=False)
    assert done.returncode != 0
    assert file.read_bytes() in (b"old", b"new")
    write_whole(file, b"newer")
    assert file.read_bytes() == b"newer"
