"""Write the lock files from ``pyproject.toml``: exact versions and hashes, no URL (needs ``uv`` on the PATH).

Run it as ``python -m tools.lock`` after a change of the dependencies, and read the difference before you
commit it. Each lock is closed, so that it installs with ``--require-hashes --no-deps``, and universal: its
markers cover every supported Python on Linux and macOS. What the runtime lock pins, the others keep.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"
LOCK_S = 300.0
LOCKS = {
    None: "requirements.lock",
    "embedded": "requirements-embedded.lock",
    "semantic": "requirements-semantic.lock",
    "mcp": "requirements-mcp.lock",
    "dev": "requirements-dev.lock",
}
"""The lock file of each extra; None is the runtime, with the build backend of the editable install."""


def wanted(extra: str | None) -> list[str]:
    """Return the requirements that an extra (or, for None, the runtime and its build) names."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if extra is None:
        return [*stated["project"]["dependencies"], *stated["build-system"]["requires"]]
    return [*stated["project"]["optional-dependencies"][extra]]


def compile_lock(uv: str, requirements: list[str], target: Path, *, constraint: Path | None) -> None:
    """Resolve ``requirements`` into ``target``, keeping the versions that ``constraint`` pins."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "requirements.in")
        source.write_text("\n".join(requirements) + "\n", encoding="utf-8")
        command = [uv, "pip", "compile", "--universal", "--python-version", OLDEST_PYTHON]
        command += ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate", "--quiet"]
        command += ["--output-file", os.fspath(target), os.fspath(source)]
        if constraint is not None:
            command += ["--constraint", os.fspath(constraint)]
        subprocess.run(command, check=True, timeout=LOCK_S)  # noqa: S603 - our own fixed command


def main() -> int:
    """Write every lock file; return the exit code."""
    uv = shutil.which("uv")
    if uv is None:
        print("the locks are written by uv, and none is on the PATH; install it with pipx", file=sys.stderr)
        return 1
    runtime = ROOT / LOCKS[None]
    for extra, name in LOCKS.items():
        compile_lock(uv, wanted(extra), ROOT / name, constraint=None if extra is None else runtime)
        print(name, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
