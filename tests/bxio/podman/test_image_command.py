from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bxcore.control import Exit
from bxcore.sandbox.tool_image import DEFAULT_IMAGE
from bxio.podman.backend import PodmanBackend
from tests.doubles.podman_box import Storage

pytestmark = pytest.mark.timeout(120)


def command(storage: Storage, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    options = [f"--option={each}" for each in storage.options]
    line = [sys.executable, "-m", "bxio.podman.image_command", "--home", str(home), *options, *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_builds_and_shows_the_image(
    storage: Storage, backend: PodmanBackend, tmp_path: Path
) -> None:
    for what in ("build", "show"):
        done = command(storage, what, home=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (
            Exit.OK,
            f"{DEFAULT_IMAGE} {backend.site.image}\n",
            "",
        )


def test_the_command_says_what_is_missing(storage: Storage, tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text('[containers]\nimage = "localhost/none:1"\n')
    done = command(storage, "show", home=tmp_path)
    assert (done.returncode, done.stdout) == (Exit.NO_SUCH_THING, "")
    assert done.stderr.startswith("podman has no image localhost/none:1; mend the name, build it, or take ")


def test_the_command_refuses_a_broken_configuration(storage: Storage, tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[containers]\nimag = 1\n")
    done = command(storage, "show", home=tmp_path)
    assert (done.returncode, done.stderr) == (
        Exit.FAILED,
        "the configuration has problems; see boxmaker check\n",
    )
