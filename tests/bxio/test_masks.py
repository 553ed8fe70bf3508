from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.sandbox import Mount, SandboxError
from bxcore.sandbox.mount_table import Mounted
from bxio import masks as module
from bxio.masks import pins


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name in ("notes/a/b/secret", "notes/secret", "notes2"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "notes"


def mounted(folder: Path, target: str = "/n", *, read_only: bool = True) -> Mount:
    return Mount(source=str(folder), target=target, read_only=read_only)


def masks(denied: Iterable[str], mounts: Sequence[Mount], mounted: Sequence[Mounted] = ()) -> tuple[str, ...]:
    return module.masks(denied, mounts, mounted)


def at(*points: Path) -> list[Mounted]:
    return [Mounted(number, 1, "0:99", "/", str(point)) for number, point in enumerate(points, start=2)]


def test_what_is_mounted_below_a_folder_is_hidden(notes: Path) -> None:
    found = at(notes / "a/b", notes / "secret", notes.parent / "notes2", notes, Path("/"))
    assert masks([], [mounted(notes)], found) == ("/n/a/b", "/n/secret")
    assert masks([str(notes / "a")], [mounted(notes)], found) == ("/n/a", "/n/secret")
    assert masks([], [mounted(notes / "a"), mounted(notes / "secret", "/m")], found) == ("/n/b",)


def test_a_file_that_is_mounted_by_itself_lets_nothing_run(notes: Path) -> None:
    (notes / "key").touch()
    with pytest.raises(SandboxError, match=f"{notes}/key in the folder {notes} is a file mounted by itself"):
        masks([], [mounted(notes)], at(notes / "key"))


def test_a_denied_folder_is_hidden_where_the_sandbox_sees_it(notes: Path) -> None:
    assert masks([str(notes / "a/b/secret")], [mounted(notes)]) == ("/n/a/b/secret",)
    assert masks([str(notes / "secret")], [mounted(notes), mounted(notes / "a", "/m")]) == ("/n/secret",)


def test_a_mount_that_is_denied_or_lies_in_what_is_denied_is_hidden_whole(notes: Path) -> None:
    assert masks([str(notes)], [mounted(notes)]) == ("/n",)
    assert masks([str(notes)], [mounted(notes / "a")]) == ("/n",)


def test_what_lies_elsewhere_is_let_be(notes: Path) -> None:
    gone = str(notes.parent / "gone")
    assert masks([str(notes.parent / "notes2"), gone], [mounted(notes)]) == ()


def test_a_denied_folder_is_looked_for_where_it_really_is(notes: Path) -> None:
    alias = notes.parent / "alias"
    alias.symlink_to(notes / "secret")
    assert masks([str(alias)], [mounted(notes)]) == ("/n/secret",)


def test_a_mask_in_a_mask_is_none_of_its_own(notes: Path) -> None:
    denied = [str(notes / "a/b/secret"), str(notes / "a"), str(notes / "secret")]
    assert masks(denied, [mounted(notes)]) == ("/n/a", "/n/secret")


@pytest.mark.parametrize("left", ["nothing", "file", "link"])
def test_a_denied_folder_that_is_not_there_any_more_lets_nothing_run(notes: Path, left: str) -> None:
    place = notes / "secret"
    place.rmdir()
    if left == "file":
        place.touch()
    elif left == "link":
        place.symlink_to(notes / "missing")
    with pytest.raises(SandboxError, match=f"the folder {place}, which a grant denies, is not there"):
        masks([str(place)], [mounted(notes)])


def test_links_in_a_circle_let_nothing_run(notes: Path) -> None:
    (notes / "round").symlink_to(notes / "round")
    with pytest.raises(SandboxError, match="cannot be looked at: its links lead in a circle"):
        masks([str(notes / "round")], [mounted(notes)])


def test_each_folder_on_the_way_to_a_mask_is_a_mount_where_it_could_be_moved(notes: Path) -> None:
    mount = mounted(notes, read_only=False)
    assert pins(["/n/a/b/secret", "/n/a/b/other", "/n/secret"], [mount]) == (
        Mount(source=str(notes / "a"), target="/n/a", read_only=False),
        Mount(source=str(notes / "a/b"), target="/n/a/b", read_only=False),
    )
    assert pins(["/n/a/b/secret"], [mounted(notes)]) == ()
    assert pins(["/n", "/m/a"], [mount]) == ()


steps = st.lists(st.sampled_from("abc"), max_size=4)


@given(st.lists(steps, max_size=4), steps)
def test_no_mask_lies_in_another_and_each_denied_folder_is_under_one(
    tmp_path_factory: pytest.TempPathFactory, denied: list[list[str]], mount: list[str]
) -> None:
    root = tmp_path_factory.getbasetemp() / "masks"
    for each in [*denied, mount]:
        root.joinpath(*each).mkdir(parents=True, exist_ok=True)
    source = root.joinpath(*mount)
    found = [Path(each) for each in masks([str(root.joinpath(*each)) for each in denied], [mounted(source)])]
    assert not any(one in other.parents for one in found for other in found)
    for folder in (root.joinpath(*each) for each in denied):
        if source in (folder, *folder.parents):
            seen = Path("/n", folder.relative_to(source))
            assert any(mask in (seen, *seen.parents) for mask in found)
