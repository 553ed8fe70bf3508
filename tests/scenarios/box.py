"""A real boxmaker process of a test's own, and the commands a person would type at it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

ROOT = Path(__file__).parents[2]
START_S = 20.0
COMMAND_S = 30.0


class Box:
    """``boxmaker serve`` under a folder of the test's; ends with the ``with`` block, however it stands."""

    def __init__(self, home: Path, toml: str = "", module: str = "supervisor") -> None:
        self.home = home
        self.module = module
        home.mkdir(mode=0o700, exist_ok=True)
        (home / "boxmaker.toml").write_text(toml)
        self.process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until its socket answers."""
        self._said = (self.home / "said").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", self.module, "serve", "--home", str(self.home)],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            env=environ(),
        )
        deadline_s = time.monotonic() + START_S
        while self.bxctl("tree").returncode != 0:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline_s, self.said()
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; the exit code."""
        assert self.process is not None
        assert self._said is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=40)
        self._said.close()
        return code

    def said(self) -> str:
        """All that it wrote to its terminal."""
        return (self.home / "said").read_text()

    def bxctl(self, *words: str, timeout_s: float = COMMAND_S) -> subprocess.CompletedProcess[str]:
        """Run one operator's command."""
        return run("bxctl.main", *words, "--home", str(self.home), timeout_s=timeout_s)

    def json(self, *words: str) -> Any:
        """The JSON of one operator's command."""
        done = self.bxctl(*words, "--json")
        assert done.returncode in {0, 3}, done.stderr
        return json.loads(done.stdout)

    def chat(self, *texts: str, session: str = "main", timeout_s: float = COMMAND_S) -> list[dict[str, Any]]:
        """Say each text as a turn; the JSON objects that came back."""
        return turns(self.chatting(*texts, session=session), timeout_s)

    def chatting(self, *texts: str, session: str = "main", more: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Begin a chat and do not wait for its end."""
        flags = [*more, "--home", str(self.home), "--speaker", "owner", "--session", session, "--json"]
        says = [word for text in texts for word in ("-m", text)]
        return subprocess.Popen(
            [sys.executable, "-m", "bxctl.boxmaker", "chat", *flags, *says],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environ(),
        )

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.stop(signal.SIGKILL)


def turns(chat: subprocess.Popen[str], timeout_s: float = COMMAND_S) -> list[dict[str, Any]]:
    """Wait for a chat's end; what it printed, an object a turn. A failed turn has a reply of None."""
    out, err = chat.communicate(timeout=timeout_s)
    assert chat.returncode in {0, 1, 3, 6}, err
    return [json.loads(line) for line in out.splitlines()]


def run(module: str, *words: str, timeout_s: float = COMMAND_S) -> subprocess.CompletedProcess[str]:
    """Run a command line of ours to its end."""
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=environ(),
    )


def environ() -> Mapping[str, str]:
    """An environment in which only this checkout is found, and no configuration of the person's."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return {**kept, "HOME": "/nonexistent", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
