"""``./bx``: installs once, from any folder, repairs what was interrupted, and says plainly what is missing.

Each test runs the real script in a checkout of its own whose lock is empty, so that no registry is asked; the
build backend of the editable install is lent by the environment of the tests.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.house.source import ROOT

RUN_S = 100.0
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "boxmaker"
version = "0.0.1"

[project.scripts]
boxmaker = "bxctl.boxmaker:main"
bxctl = "bxctl.main:main"

[tool.hatch.build.targets.wheel]
only-include = ["bxctl"]
dev-mode-dirs = ["."]
"""
WANTS = "import os, sys\n\nsys.exit(1 if os.environ.get('BOXMAKER_MODEL__URL') else 0)\n"
PROGRAM = """
import os, sys


def main():
    print({name!r}, *sys.argv[1:])
    if sys.argv[1:2] == ["typed"]:
        print(os.environ.get("BX_TYPED"))
"""
TOOLS = ("awk", "cat", "cmp", "date", "df", "dirname", "grep", "mkdir", "mv", "readlink", "rm", "sh", "uname")

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(
        importlib.util.find_spec("hatchling") is None,
        reason="the build backend, hatchling, is not installed; ./bx test installs it",
    ),
]


def make_checkout(folder: Path) -> Path:
    (folder / "bxctl").mkdir(parents=True)
    (folder / "bxctl" / "__init__.py").touch()
    (folder / "bxctl" / "boxmaker.py").write_text(PROGRAM.format(name="boxmaker"), encoding="utf-8")
    (folder / "bxctl" / "main.py").write_text(PROGRAM.format(name="bxctl"), encoding="utf-8")
    (folder / "tools").mkdir()
    (folder / "tools" / "wants_embedded.py").write_text(WANTS, encoding="utf-8")
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    for lock in ("requirements.lock", "requirements-embedded.lock", "requirements-dev.lock"):
        (folder / lock).touch()
    shutil.copy(ROOT / "bx", folder / "bx")
    return folder


def environment(**more: str) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("BX_", "BOXMAKER_", "PIP_", "VIRTUAL_ENV"))
    }
    base = Path(sys.base_prefix, "bin")
    path = f"{base}{os.pathsep}{kept['PATH']}"
    return kept | {"PATH": path, "PYTHONPATH": sysconfig.get_paths()["purelib"], "PIP_NO_INDEX": "1"} | more


def bx(
    checkout: Path, *arguments: str, cwd: Path = Path("/"), **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(checkout / "bx"), *arguments],
        cwd=cwd,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout after its first command, run from another folder and without a terminal."""
    checkout = make_checkout(tmp_path_factory.mktemp("a box") / "checkout")
    first = bx(checkout, "status", "--json")
    assert first.returncode == 0, first.stderr
    assert first.stdout == "bxctl status --json\n"
    assert "bx: making .venv with Python 3." in first.stderr
    assert "bx: installed in " in first.stderr
    return checkout


def test_the_second_run_installs_nothing_and_says_nothing(installed: Path, tmp_path: Path) -> None:
    second = bx(installed, "restart", "memory", cwd=tmp_path)
    assert (second.returncode, second.stdout, second.stderr) == (0, "bxctl restart memory\n", "")


@pytest.mark.parametrize(
    ("arguments", "ran"),
    [
        (("init", "--home", "x y"), "boxmaker init --home x y\n"),
        (("check-config", "--home", "h"), "boxmaker check --home h\n"),
        (("boxmaker", "check"), "boxmaker check\n"),
        (("bxctl", "--help"), "bxctl --help\n"),
        (("tree",), "bxctl tree\n"),
        (("--version",), "bxctl version\n"),
        (("bxctl", "typed"), "bxctl typed\nNone\n"),
    ],
)
def test_a_command_reaches_its_program(installed: Path, arguments: tuple[str, ...], ran: str) -> None:
    assert bx(installed, *arguments).stdout == ran


def test_a_program_is_told_how_bx_was_typed(installed: Path) -> None:
    assert bx(installed, "typed").stdout == f"bxctl typed\n{installed / 'bx'}\n"
    (installed / ".venv" / ".bx-runtime").unlink()  # and after an install, which starts bx again
    assert bx(installed, "typed").stdout == f"bxctl typed\n{installed / 'bx'}\n"


@pytest.mark.parametrize("command", ["check", "bench", "docs"])
def test_help_for_a_command_of_bx_itself_does_nothing_else(installed: Path, command: str) -> None:
    shown = bx(installed, command, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("./bx COMMAND")


def test_a_model_server_of_ones_own_needs_no_embedded_model(installed: Path) -> None:
    spoken = bx(installed, "chat", "-m", "hi", BOXMAKER_MODEL__URL="http://127.0.0.1:9/v1")
    assert (spoken.stdout, spoken.stderr) == ("boxmaker chat -m hi\n", "")


def test_the_embedded_model_is_announced_with_its_size_before_it_is_fetched(installed: Path) -> None:
    (installed / ".venv" / ".bx-embedded").unlink(missing_ok=True)
    spoken = bx(installed, "chat", "-m", "hi")
    assert spoken.stdout == "boxmaker chat -m hi\n"
    assert "bx: installing the embedded model: 511 MB to download, once" in spoken.stderr
    assert bx(installed, "chat").stderr == ""


def test_a_link_to_bx_works(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "box").symlink_to(installed / "bx")
    (tmp_path / "again").symlink_to("box")
    ran = subprocess.run(
        [str(tmp_path / "again"), "version"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ran.stdout == "bxctl version\n"


def test_a_changed_lock_is_installed_again_and_only_then(installed: Path) -> None:
    with (installed / "requirements.lock").open("a", encoding="utf-8") as lock:
        lock.write("# another state of the lock\n")
    changed = bx(installed, "status")
    assert "bx: installing boxmaker" in changed.stderr
    assert "making .venv" not in changed.stderr
    assert bx(installed, "status").stderr == ""


def test_a_failed_install_says_so_runs_nothing_and_is_tried_again(installed: Path) -> None:
    lock = installed / "requirements.lock"
    before = lock.read_text(encoding="utf-8")
    lock.write_text(f"nowhere-to-be-had==1 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    failed = bx(installed, "status")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "bx: could not install from" in failed.stderr
    lock.write_text(before, encoding="utf-8")
    assert bx(installed, "status").stdout == "bxctl status\n"


@pytest.mark.parametrize("trace", ["no INSTALLER", "a half-removed package", "another python"])
def test_an_interrupted_install_is_repaired(tmp_path: Path, installed: Path, trace: str) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(installed, checkout, symlinks=True)
    (site,) = (checkout / ".venv").glob("lib/python3.*/site-packages")
    if trace != "another python":
        (checkout / ".venv" / ".bx-runtime").unlink()
    match trace:
        case "no INSTALLER":
            next(site.glob("boxmaker-*.dist-info/INSTALLER")).unlink()
        case "a half-removed package":
            (site / "~oxmaker").mkdir()
        case _:
            newer = tmp_path / "python3.99"
            newer.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
            newer.chmod(0o755)
            python = checkout / ".venv" / "bin" / "python"
            python.unlink()
            python.symlink_to(newer)
    repaired = bx(checkout, "status")
    assert repaired.stdout == "bxctl status\n"
    assert "bx: .venv is not whole, or its Python is gone; making it anew" in repaired.stderr


def test_a_checkout_that_was_moved_is_installed_again_where_it_is(tmp_path: Path, installed: Path) -> None:
    checkout = tmp_path / "moved"
    shutil.copytree(installed, checkout, symlinks=True)
    (checkout / "bxctl" / "main.py").write_text(PROGRAM.format(name="moved"), encoding="utf-8")
    assert bx(checkout, "status").stdout == "moved status\n"


def test_two_at_once_install_once(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout")
    command = [str(checkout / "bx"), "status"]
    both = [
        subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=RUN_S) for process in both]
    assert [out for out, _ in ended] == ["bxctl status\n"] * 2
    assert sum(err.count("making .venv") for _, err in ended) == 1
    assert sum(err.count("another bx is installing; waiting") for _, err in ended) <= 1


def bare_path(folder: Path) -> Path:
    """A folder of the plain tools that bx uses, and no Python."""
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None, tool
        (folder / tool).symlink_to(found)
    return folder


def test_no_python_is_one_clear_sentence(tmp_path: Path) -> None:
    ran = bx(make_checkout(tmp_path / "checkout"), "chat", PATH=str(bare_path(tmp_path / "bin")))
    assert ran.returncode == 1
    assert ran.stderr.startswith("bx: no Python 3.11 or newer is on the PATH; install one")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("*version_info*", "bx: no Python 3.11 or newer is on the PATH"),
        ("*ensurepip*", "python3 has no venv module; install it"),
    ],
)
def test_a_python_that_is_too_old_or_has_no_venv_is_named(tmp_path: Path, asked: str, sentence: str) -> None:
    path = bare_path(tmp_path / "bin")
    (path / "python3").write_text(
        f'#!/bin/sh\ncase "$2" in {asked}) exit 1 ;; esac\nexec {sys.executable} "$@"\n', encoding="utf-8"
    )
    (path / "python3").chmod(0o755)
    ran = bx(make_checkout(tmp_path / "checkout"), "chat", PATH=str(path))
    assert ran.returncode == 1
    assert sentence in ran.stderr
    assert "python3-venv" in ran.stderr


def test_help_needs_nothing(tmp_path: Path) -> None:
    ran = bx(make_checkout(tmp_path / "checkout"), PATH=str(bare_path(tmp_path / "bin")))
    assert ran.returncode == 0
    assert "./bx COMMAND" in ran.stdout


def test_the_script_is_plain_posix_shell() -> None:
    dash = shutil.which("dash")
    if dash is None:
        pytest.skip("dash is not installed, so the strict shell cannot judge the script")
    judged = subprocess.run(
        [dash, "-n", str(ROOT / "bx")], capture_output=True, text=True, timeout=RUN_S, check=False
    )
    assert (judged.returncode, judged.stderr) == (0, "")
