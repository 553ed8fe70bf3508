from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import bxio.mounted
from bxcore.sandbox import Mount, SandboxError
from bxio import mount_check, socket_search
from bxio.mount_check import granted


@pytest.fixture
def own(tmp_path: Path) -> tuple[Path, ...]:
    folders = (tmp_path / "box" / "config", tmp_path / "box" / "state")
    for folder in folders:
        folder.mkdir(parents=True)
    return folders


def as_is(folder: Path | str) -> dict[str, str]:
    return {str(folder): os.path.realpath(folder)}


def refusal(folder: Path | str, own: tuple[Path, ...] = ()) -> str:
    with pytest.raises(SandboxError) as refused:
        granted(as_is(folder), read_only=True, own=own)
    return refused.value.sentence


def test_a_plain_folder_stands_at_its_own_path(tmp_path: Path, own: tuple[Path, ...]) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a").touch()
    (folder / "link").symlink_to("/etc")
    for read_only in (True, False):
        mount = Mount(source=str(folder), target=str(folder), read_only=read_only)
        assert granted(as_is(folder), read_only=read_only, own=own) == (mount,)


def test_a_link_is_followed_once_and_its_real_path_is_mounted(tmp_path: Path, own: tuple[Path, ...]) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "docs").symlink_to(tmp_path / "real")
    (found,) = granted(as_is(tmp_path / "docs"), read_only=True, own=own)
    assert (found.source, found.target) == (str(tmp_path / "real"), str(tmp_path / "docs"))


def test_a_folder_that_leads_elsewhere_than_when_its_grant_was_loaded_is_refused(tmp_path: Path) -> None:
    for name in ("docs", "keys", "other"):
        (tmp_path / name).mkdir()
    leads = as_is(tmp_path / "docs")
    (tmp_path / "docs").rmdir()
    for now in ("keys", "other"):
        (tmp_path / "docs").unlink(missing_ok=True)
        (tmp_path / "docs").symlink_to(now)
        with pytest.raises(SandboxError) as refused:
            granted(leads, read_only=True, own=())
        assert refused.value.sentence == (
            f"the folder {tmp_path}/docs led to {leads[str(tmp_path / 'docs')]} when the grant was loaded"
            f" and leads to {tmp_path}/{now} now; look, then bxctl grants reload"
        )
        leads = as_is(tmp_path / "docs")


def test_what_is_not_there_or_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert "is not there" in refusal(tmp_path / "missing")
    assert "is no folder" in refusal(tmp_path / "file")
    assert "cannot be used" in refusal(tmp_path / "round")


@pytest.mark.parametrize("folder", ["/", "/proc", "/proc/self", "/sys/kernel", "/dev"])
def test_the_systems_own_folders_are_refused(folder: str) -> None:
    assert "is the system's own" in refusal(folder)


def test_the_boxs_folders_are_refused_and_what_holds_them_or_lies_in_them(
    tmp_path: Path, own: tuple[Path, ...]
) -> None:
    inside = own[1] / "sessions"
    inside.mkdir()
    for folder in (own[0], inside, tmp_path / "box", tmp_path):
        assert "boxmaker's own files" in refusal(folder, own)


@pytest.mark.parametrize("leads_to", ["box/state", "box", "/", "/proc"])
def test_a_link_to_a_forbidden_place_is_refused_under_its_real_name(
    tmp_path: Path, own: tuple[Path, ...], leads_to: str
) -> None:
    (tmp_path / "docs").symlink_to(tmp_path / leads_to)
    assert f"(really {tmp_path / leads_to})" in refusal(tmp_path / "docs", own)


def test_a_box_folder_behind_a_link_is_known_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "real")
    assert "boxmaker's own files" in refusal(tmp_path / "real", (tmp_path / "state",))


def test_another_mount_of_the_boxs_folders_is_refused(
    tmp_path: Path, own: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "mountinfo"
    monkeypatch.setattr(bxio.mounted, "LIST", str(listed))
    (tmp_path / "docs" / "in").mkdir(parents=True)

    def mount(root: Path) -> None:
        listed.write_text(f"1 0 8:1 / / rw - x x rw\n2 1 8:1 {root} {tmp_path}/docs rw - x x rw\n")

    for root in (own[1], own[1] / "work", tmp_path / "box"):
        mount(root)
        assert "is a mount of boxmaker's own files" in refusal(tmp_path / "docs", own)
    mount(tmp_path / "other")
    assert granted(as_is(tmp_path / "docs" / "in"), read_only=True, own=own)


def test_a_folder_with_a_socket_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "agent.sock"))
        assert "holds the socket 'agent.sock'" in refusal(folder)
        assert "holds the socket 'd/agent.sock'" in refusal(tmp_path)


def test_a_folder_too_full_to_look_through_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").touch()
    assert len(granted(as_is(tmp_path), read_only=True, own=())) == 1
    monkeypatch.setattr(socket_search, "LOOK_S", -1.0)
    assert "too many entries to look through" in refusal(tmp_path)


def test_a_folder_where_the_sessions_own_stands_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mount_check, "WORK", str(tmp_path))
    (tmp_path / "x").mkdir()
    assert "is the session's own" in refusal(tmp_path / "x")
