from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bxio.state_folder import SCHEMA, StateFolderError, make_folder, open_state


def test_a_new_state_folder_is_private_and_has_the_schema_version(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "state"
    open_state(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "schema").read_text() == f"{SCHEMA}\n"


def test_opening_twice_changes_nothing(tmp_path: Path) -> None:
    open_state(tmp_path / "state")
    before = (tmp_path / "state" / "schema").stat().st_ino
    open_state(tmp_path / "state")
    assert (tmp_path / "state" / "schema").stat().st_ino == before


@pytest.mark.parametrize("written", ["2", "999999999999", "", "one", "\x00"])
def test_a_state_of_another_version_is_refused_and_left_as_it_is(tmp_path: Path, written: str) -> None:
    folder = tmp_path / "state"
    make_folder(folder)
    (folder / "schema").write_text(written)
    with pytest.raises(StateFolderError, match="has schema version"):
        open_state(folder)
    assert (folder / "schema").read_text() == written


def test_a_file_in_the_folder_s_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("x")
    with pytest.raises(StateFolderError, match="is not a folder"):
        open_state(tmp_path / "state")


def test_a_folder_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    open_state(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_read_only_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    """Tried as another user, because root may write anywhere."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from bxio.state_folder import StateFolderError, open_state\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "try: open_state(Path(sys.argv[1]) / 'inner')\n"
        "except StateFolderError as error: print(error.sentence)\n"
    )
    for parent in [tmp_path, *tmp_path.parents]:
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/pytest"):
            parent.chmod(0o755)
    folder.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "cannot be made: permission denied; choose another folder" in done.stdout
