from __future__ import annotations

import pytest

from bxcore.sandbox.mount_table import Origin, origin, points_in, same_files, table

LIST = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
30 22 8:2 / /home rw shared:2 - ext4 /dev/sda2 rw
31 30 8:1 /srv/box /home/me/g rw - ext4 /dev/sda1 rw
32 30 0:50 / /home/me/two\040words rw - tmpfs tmpfs rw
33 30 0:51 /x /home/mean rw - tmpfs tmpfs rw
"""


def test_each_mount_in_a_folder_is_found_by_its_plain_name() -> None:
    assert points_in("/home/me", table(LIST)) == ("/home/me/g", "/home/me/two words")
    assert points_in("/home/me/g", table(LIST)) == ()
    assert points_in("/", table(LIST))[0] == "/home"


def test_a_mount_that_another_one_stands_over_is_out_of_sight() -> None:
    over = (
        LIST + "40 30 0:52 / /home/me rw - tmpfs tmpfs rw\n41 31 0:53 / /home/me/g/deep rw - tmpfs tmpfs rw\n"
    )
    assert points_in("/home/me", table(over)) == ()
    twice = LIST + "40 31 0:52 / /home/me/g rw - tmpfs tmpfs rw\n"
    assert points_in("/home/me", table(twice)) == points_in("/home/me", table(LIST))
    assert origin("/home/me/g", table(twice)) == Origin("0:52", "/")


@pytest.mark.parametrize(
    ("folder", "device", "path"),
    [
        ("/", "8:1", "/"),
        ("/srv/a", "8:1", "/srv/a"),
        ("/home", "8:2", "/"),
        ("/home/me", "8:2", "/me"),
        ("/home/me/g", "8:1", "/srv/box"),
        ("/home/me/g/state", "8:1", "/srv/box/state"),
        ("/home/me/gg", "8:2", "/me/gg"),
    ],
)
def test_a_folder_comes_from_its_nearest_mount(folder: str, device: str, path: str) -> None:
    assert origin(folder, table(LIST)) == Origin(device, path)


def test_the_same_files_are_known_by_another_path() -> None:
    mounts = table(LIST)
    for own in ("/srv/box", "/srv/box/state", "/srv"):
        assert same_files("/home/me/g", own, mounts)
        assert same_files(own, "/home/me/g", mounts)
    for other in ("/srv/boxes", "/home/srv/box", "/home/me/two words"):
        assert not same_files("/home/me/g", other, mounts)
    assert not same_files("/a", "/a", ()), "an empty list says nothing"


def test_a_list_of_anything_crashes_nothing() -> None:
    assert table("") == table("\n\nx y\n") == ()
    assert len(table("1 1 0:1 / / rw - t t rw\n2 1 0:2 / /a rw - t t rw\n")) == 2, (
        "the first is its own parent"
    )
    looped = table("5 6 0:1 / /a rw - t t rw\n6 5 0:1 / /b rw - t t rw\n")
    assert [mount.point for mount in looped] == ["/a", "/b"]
