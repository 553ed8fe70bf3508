"""The wheel: what is in it, and that its two programs run from any folder in an environment of their own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.house.source import PACKAGES, ROOT, SHIPPED, kept_files, modules

BACKEND = importlib.util.find_spec("hatchling")
BUILD_S = 60.0
RUN_S = 20.0

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(
        BACKEND is None, reason="the build backend, hatchling, is not installed; ./bx test installs it"
    ),
]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=BUILD_S, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    made = run(sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", folder, ROOT, cwd=folder)
    assert made.returncode == 0, made.stderr
    (found,) = folder.glob("boxmaker-*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it; it borrows what boxmaker builds on from the tests' own."""
    folder = tmp_path_factory.mktemp("environment")
    made = run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    assert made.returncode == 0, made.stderr
    python = folder / "bin" / "python"
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        wheel,
    )
    installed = run(*pip, cwd=folder)
    assert installed.returncode == 0, installed.stderr
    (site,) = folder.glob("lib/python3.*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return folder


def test_the_wheel_holds_every_module_and_nothing_beside(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {module.name for module in modules(*SHIPPED)} <= inside
    tops = {name.split("/", 1)[0] for name in inside if ".dist-info/" not in name}
    assert tops == set(SHIPPED)


def test_the_configuration_travels_inside_a_package(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    kept = {name.removeprefix("config/") for name in kept_files() if name.startswith("config/")}
    assert kept
    assert {f"bxcore/config_files/{name}" for name in kept} <= inside


@pytest.mark.parametrize("program", ["boxmaker", "bxctl"])
def test_a_program_runs_from_any_folder(environment: Path, tmp_path: Path, program: str) -> None:
    asked = run(environment / "bin" / program, "--help", cwd=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert program in asked.stdout


def test_an_installed_box_finds_its_defaults(environment: Path, tmp_path: Path) -> None:
    checked = run(environment / "bin" / "boxmaker", "check", "--home", tmp_path / "home", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_an_installed_box_writes_its_commented_configuration(environment: Path, tmp_path: Path) -> None:
    made = run(environment / "bin" / "boxmaker", "init", "--home", tmp_path / "home", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "[model]" in (tmp_path / "home" / "boxmaker.toml").read_text(encoding="utf-8")


def test_the_installed_box_owns_the_name_supervisor(environment: Path, tmp_path: Path) -> None:
    """Another distribution has a package of that name; in one environment it would win over ours silently."""
    script = (
        "import importlib.metadata as m, importlib.util as u;"
        "print(sorted(set(m.packages_distributions()['supervisor'])), u.find_spec('supervisor').origin)"
    )
    asked = run(environment / "bin" / "python", "-I", "-c", script, cwd=tmp_path)
    owners, origin = asked.stdout.split("] ")
    assert owners == "['boxmaker'"
    assert Path(origin.strip()).is_relative_to(environment)


def test_no_other_distribution_here_owns_one_of_our_names() -> None:
    owners = importlib.metadata.packages_distributions()
    names = (*PACKAGES, "supervisor")
    assert {name: owners[name] for name in names if set(owners.get(name, ())) - {"boxmaker"}} == {}
