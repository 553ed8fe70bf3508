from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.grants import load
from bxcore.grants.folders import below

SYSTEMS = "which is the system's; name a folder of yours"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "config" / "grants"
    made.mkdir(parents=True)
    return made


def problems(folder: Path, *paths: Path | str, own: tuple[str, ...] = ()) -> list[str]:
    listed = ", ".join(f'"{path}"' for path in paths)
    (folder / "g.toml").write_text(f'tool = "read_file"\nmode = "auto"\npaths = [{listed}]\n')
    return [found.problem for found in load(folder, own).problems]


def test_a_link_into_a_system_folder_is_seen_through(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "all").symlink_to("/")
    (tmp_path / "conf").symlink_to("/etc")
    found = problems(folder, tmp_path / "all", tmp_path / "conf")
    assert f"the folder {tmp_path}/conf is really /etc, {SYSTEMS}" in found
    assert f"the folder {tmp_path}/all is really /, {SYSTEMS}" in found


def test_a_link_to_a_folder_of_the_owner_is_fine(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    assert problems(folder, tmp_path / "link") == []
    (grant,) = load(folder).grants
    assert grant.leads == {f"{tmp_path}/link": f"{tmp_path}/notes"}


@pytest.mark.parametrize("inside", ["", "config", "config/grants"])
def test_no_grant_holds_the_grants_themselves(folder: Path, tmp_path: Path, inside: str) -> None:
    meant = tmp_path / inside
    assert problems(folder, meant) == [
        f"the folder {meant} meets {folder}, which is the box's own; name a folder apart from it"
    ]


def test_no_grant_holds_the_grants_by_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "config")
    assert problems(folder, tmp_path / "link") == [
        f"the folder {tmp_path}/link meets {folder}, which is the box's own; name a folder apart from it"
    ]


def test_no_grant_meets_another_folder_of_the_box(folder: Path, tmp_path: Path) -> None:
    for name in ("state/sessions", "state2"):
        (tmp_path / name).mkdir(parents=True)
    own = (str(tmp_path / "state"),)
    assert problems(folder, tmp_path / "state2", own=own) == []
    assert problems(folder, tmp_path / "state/sessions", own=own) == [
        (
            f"the folder {tmp_path}/state/sessions meets {tmp_path}/state, which is the box's own; "
            "name a folder apart from it"
        )
    ]


def test_a_file_and_a_ring_of_links_are_no_folders(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "ring").symlink_to(tmp_path / "ring")
    assert problems(folder, tmp_path / "file", tmp_path / "ring") == [
        f"{tmp_path}/file is a file; name its folder",
        f"the folder {tmp_path}/ring does not exist; make it or take it out",
    ]


def test_a_pipe_named_like_a_grant_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.toml")
    (folder / "gone.toml").symlink_to(folder / "nowhere")
    assert [(Path(found.file).name, found.problem) for found in load(folder).problems] == [
        ("gone.toml", "this is no file that can be read; mend the link or remove it"),
        ("pipe.toml", "this is no file that can be read; mend the link or remove it"),
    ]


def test_a_link_to_another_grant_is_a_grant_of_its_own_name(folder: Path) -> None:
    (folder / "a.toml").write_text('tool = "shell"\nmode = "deny"\n')
    (folder / "b.toml").symlink_to(folder / "a.toml")
    assert [grant.id for grant in load(folder).grants] == ["a", "b"]


@pytest.mark.parametrize(
    ("path", "folder", "is_below"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a", True),
        ("/a", "/", True),
        ("/ab", "/a", False),
        ("/a", "/a/b", False),
        ("/a b", "/a", False),
    ],
)
def test_below_is_a_matter_of_steps(path: str, folder: str, is_below: bool) -> None:  # noqa: FBT001
    assert below(path, folder) is is_below


STEPS = st.lists(st.sampled_from(["a", "b", "ab", "a.b"]), max_size=4).map(tuple)


@given(STEPS, STEPS)
def test_below_agrees_with_the_steps_one_by_one(path: tuple[str, ...], folder: tuple[str, ...]) -> None:
    assert below("/" + "/".join(path), "/" + "/".join(folder)) is (path[: len(folder)] == folder)
