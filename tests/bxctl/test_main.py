"""``bxctl`` as a real process: exit codes and what it loads."""

from __future__ import annotations

import subprocess
import sys

from tests.bxctl.conftest import ENVIRON, MakeBox, Run


def test_nothing_running_exits_3(run: Run) -> None:
    done = run("tree", "--home", "/nonexistent/box")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "bxctl: boxmaker is not running, nothing listens on /nonexistent/box/run/control.sock; "
        "start it with boxmaker serve\n"
    )


def test_no_such_actor_exits_4(make: MakeBox, run: Run) -> None:
    done = run("restart", "memroy", "--home", str(make().home))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "bxctl: no actor is named 'memroy'; did you mean memory?\n"


def test_a_command_imports_nothing_slow() -> None:
    """Start-up counts: pydantic, httpx and loguru alone would cost more than the whole command."""
    script = (
        "import sys; from bxctl.main import main; main(['status', '--home', '/nonexistent/x']);"
        "slow = ('pydantic', 'httpx', 'loguru', 'pykka', 'asyncio', 'subprocess', 'tomli');"
        "print([name for name in slow if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=ENVIRON,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout == "[]\n"
