from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from bxcore.sandbox import Mount, SandboxError
from bxio import work_folder as module
from bxio.work_folder import SANDBOX_ID, work_folder

OWNER = SANDBOX_ID if os.geteuid() == 0 else os.geteuid()


def test_it_is_made_private_and_the_sandbox_users_own(tmp_path: Path) -> None:
    mount = work_folder(tmp_path / "work", "main", writable=True)
    assert mount == Mount(source=str(tmp_path / "work" / "main"), target="/session", read_only=False)
    found = Path(mount.source).stat()
    assert (found.st_mode & 0o777, found.st_uid) == (0o700, OWNER)
    above = (tmp_path / "work").stat()
    assert (above.st_mode & 0o777, above.st_uid) == (0o700, os.geteuid())


def test_one_that_was_opened_up_is_closed_again_and_keeps_its_files(tmp_path: Path) -> None:
    folder = Path(work_folder(tmp_path, "main", writable=True).source)
    (folder / "a").write_text("kept")
    folder.chmod(0o777)
    assert work_folder(tmp_path, "main", writable=False).read_only
    assert (folder.stat().st_mode & 0o777, (folder / "a").read_text()) == (0o700, "kept")


def test_a_link_in_its_place_is_refused_and_what_it_leads_to_untouched(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir(mode=0o755)
    (tmp_path / "main").symlink_to("other")
    with pytest.raises(SandboxError, match="cannot be used"):
        work_folder(tmp_path, "main", writable=True)
    assert (tmp_path / "other").stat().st_uid == os.geteuid()


def test_on_a_disk_that_is_nearly_full_nothing_is_written_and_reading_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not work_folder(tmp_path, "main", writable=True).read_only
    monkeypatch.setattr(module, "LEAST_FREE_MB", 10**12)
    with pytest.raises(SandboxError) as refused:
        work_folder(tmp_path, "main", writable=True)
    said = re.fullmatch(
        r"the disk of the box has (\d+) MB left, so tools may not write; free some space",
        refused.value.sentence,
    )
    assert said is not None
    assert abs(int(said[1]) * 2**20 - shutil.disk_usage(tmp_path).free) < 2**30
    assert work_folder(tmp_path, "main", writable=False).read_only


@pytest.mark.parametrize("session", ["..", "../main", "", "A", "a/b"])
def test_a_name_that_no_session_has_is_refused(tmp_path: Path, session: str) -> None:
    with pytest.raises(SandboxError, match="session's name"):
        work_folder(tmp_path, session, writable=True)
    assert list(tmp_path.iterdir()) == []
