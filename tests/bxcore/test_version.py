from __future__ import annotations

import tomllib
from pathlib import Path

from bxcore.version import VERSION


def test_the_program_and_its_package_say_the_same() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    assert project["project"]["version"] == VERSION
