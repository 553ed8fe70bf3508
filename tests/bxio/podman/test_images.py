from __future__ import annotations

import time
from pathlib import Path

import pytest
from podman import PodmanClient

from bxcore.sandbox import SandboxError
from bxcore.sandbox.tool_image import DEFAULT_IMAGE
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend
from bxio.podman.images import build_image, image_id

pytestmark = pytest.mark.timeout(120)


def soon() -> float:
    return time.monotonic() + 40


def test_an_image_of_the_same_content_is_kept(backend: PodmanBackend) -> None:
    socket = backend.site.socket
    assert build_image(socket, deadline_s=soon(), cut=Cut()) == backend.site.image
    assert image_id(socket, DEFAULT_IMAGE, deadline_s=soon(), cut=Cut()) == backend.site.image


def test_another_image_of_that_name_is_replaced(backend: PodmanBackend) -> None:
    socket, name = backend.site.socket, "localhost/replaced:latest"
    first = build_image(socket, deadline_s=soon(), cut=Cut(), name=name)
    assert image_id(socket, name, deadline_s=soon(), cut=Cut()) == first
    with PodmanClient(base_url=f"unix://{socket}", timeout=20) as podman:
        podman.images.remove(name)
    assert image_id(socket, name, deadline_s=soon(), cut=Cut()) is None
    assert build_image(socket, deadline_s=soon(), cut=Cut(), name=name)


def test_without_busybox_it_is_said_how_to_get_it(
    backend: PodmanBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "busybox"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match=r"needs libraries of this machine; install a static one \(Debian"):
        build_image(backend.site.socket, deadline_s=soon(), cut=Cut())
