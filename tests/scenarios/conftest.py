"""What several scenarios need of the machine."""

from __future__ import annotations

import shutil

import pytest

from tests.scenarios.box import run

MISSING = [program for program in ("podman", "busybox") if shutil.which(program) is None]


@pytest.fixture(scope="session")
def tools_image(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The tools' image, made from this machine's busybox as an owner makes it."""
    if MISSING:
        pytest.skip(f"{' and '.join(MISSING)} not installed")
    home = tmp_path_factory.mktemp("image")
    built = run("bxctl.boxmaker", "image", "build", "--home", str(home), timeout_s=90)
    assert built.returncode == 0, built.stderr
