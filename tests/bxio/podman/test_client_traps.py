"""What podman's package does without a word, beside what we do instead."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from podman import PodmanClient

from bxcore.sandbox import Job, Mount
from bxcore.sandbox.podman_readback import differences
from bxio.podman.backend import PodmanBackend
from bxio.podman.client import post
from bxio.podman.run import remove
from bxio.podman.site import created_from

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def package(backend: PodmanBackend) -> Iterator[PodmanClient]:
    with PodmanClient(base_url=f"unix://{backend.site.socket}", timeout=20) as podman:
        yield podman
        for container in podman.containers.list(all=True, sparse=True):
            container.remove(force=True, v=True)


def by_the_package(podman: PodmanClient, backend: PodmanBackend, **options: Any) -> dict[str, Any]:
    """What podman says of a container that the package created with these options."""
    made = podman.containers.create(backend.site.image, ["true"], entrypoint=[], **options)
    made.reload()
    found: dict[str, Any] = made.attrs
    return found


def ours(podman: PodmanClient, backend: PodmanBackend, folder: Path) -> dict[str, Any]:
    """The same by our payload, which is the same as it was asked for."""
    job = Job(
        name="x", command=("true",), mounts=(Mount(source=str(folder), target="/docs", read_only=True),)
    )
    asked = created_from(backend.site, job)
    post(podman, "/containers/create", asked)
    made = podman.containers.get(asked["name"])
    made.init()
    made.reload()
    found: dict[str, Any] = made.attrs
    assert differences(asked, found) == ()
    return found


def test_no_new_privileges_as_a_security_option_is_lost(
    package: PodmanClient, backend: PodmanBackend, tmp_path: Path
) -> None:
    theirs = by_the_package(package, backend, security_opt=["no-new-privileges"])
    assert "no-new-privileges" not in (theirs["HostConfig"]["SecurityOpt"] or [])
    assert ours(package, backend, tmp_path)["HostConfig"]["SecurityOpt"] == ["no-new-privileges"]


@pytest.mark.parametrize("option", [{"read_only": "true"}, {"ReadOnly": True}])
def test_a_mount_is_writable_for_any_other_word_for_read_only(
    package: PodmanClient, backend: PodmanBackend, tmp_path: Path, option: dict[str, Any]
) -> None:
    mount = {"type": "bind", "source": str(tmp_path), "target": "/docs", **option}
    assert by_the_package(package, backend, mounts=[mount])["Mounts"][0]["RW"] is True
    assert ours(package, backend, tmp_path)["Mounts"][0]["RW"] is False


def test_file_systems_below_a_mount_come_with_it_and_are_not_read_only(
    package: PodmanClient, backend: PodmanBackend, tmp_path: Path
) -> None:
    mount = {"type": "bind", "source": str(tmp_path), "target": "/docs", "read_only": True}
    assert "rbind" in by_the_package(package, backend, mounts=[mount])["Mounts"][0]["Options"]
    assert "rbind" not in ours(package, backend, tmp_path)["Mounts"][0]["Options"]


def test_a_filter_of_two_labels_finds_nothing(package: PodmanClient, backend: PodmanBackend) -> None:
    by_the_package(package, backend, labels={"a": "1", "boxmaker.box": backend.site.box})
    listed = package.containers.list(all=True, sparse=True, filters={"label": ["a=1"]})
    assert listed == []
    assert backend.sweep() == 1


def test_there_is_no_attach(package: PodmanClient, backend: PodmanBackend) -> None:
    made = package.containers.create(backend.site.image, ["true"])
    with pytest.raises(NotImplementedError):
        made.attach()


def test_a_removal_of_what_ignores_term_takes_the_images_ten_seconds_unless_it_is_told(
    package: PodmanClient, backend: PodmanBackend
) -> None:
    theirs = by_the_package(package, backend)
    assert theirs["Config"]["StopTimeout"] == 10
    job = Job(name="x", command=("sh", "-c", "trap '' TERM; while :; do :; done"))
    asked = created_from(backend.site, job)
    post(package, "/containers/create", asked)
    package.containers.get(asked["name"]).start()
    begun_s = time.monotonic()
    assert remove(backend.site.socket, asked["name"])
    assert time.monotonic() - begun_s < theirs["Config"]["StopTimeout"]
    assert not package.containers.exists(asked["name"])
