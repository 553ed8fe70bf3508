"""A box that is killed and started again."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START_S = 30.0
TURN_S = 30.0
TOOLS_UID = 1000
GRANTS = {
    "effects": 'tool = "http_fetch"\nmode = "auto"\nwhen_untrusted = "allow"\n'
    'hosts = ["effects.example:{port}"]\n',
    "asked": 'tool = "http_fetch"\nmode = "ask"\nhosts = ["asked.example:{port}"]\n',
    "lines": 'tool = "shell"\nmode = "auto"\nwhen_untrusted = "allow"\npaths = ["{notes}"]\n'
    "read_only = false\n"
    "untrusted = false\n",
}


class Box:
    """``folder`` is the test's; the box's home and the file that its commands write are in it.

    ``more`` are lines of the model's part of the configuration.
    """

    def __init__(self, folder: Path, model: str, effects: int, more: str = "") -> None:
        self.home, self.granted = folder / "home", folder / "notes"
        (self.home / "grants").mkdir(mode=0o700, parents=True)
        self.home.chmod(0o700)
        self.granted.mkdir()
        (self.granted / "lines").touch()
        if os.geteuid() == 0:  # then tools are another user
            for path in (self.granted, self.granted / "lines"):
                os.chown(path, TOOLS_UID, TOOLS_UID)
        (self.home / "boxmaker.toml").write_text(
            f'[model]\nurl = "{model}"\nprofile = "native"\n{more}\n'
            '[containers]\nbackend = "bubblewrap"\naccept = ["memory-limit", "pids-limit"]\n'
        )
        for name, text in GRANTS.items():
            if name != "lines" or self.shell:
                filled = text.replace("{port}", str(effects)).replace("{notes}", str(self.granted))
                (self.home / "grants" / f"{name}.toml").write_text(filled)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def shell(self) -> bool:
        """Whether commands can run here."""
        return shutil.which("bwrap") is not None

    @property
    def lines(self) -> list[str]:
        """What its commands have written."""
        return (self.granted / "lines").read_text().split()

    @property
    def notes(self) -> list[str]:
        """What its memory was told to keep."""
        file = self.home / "state" / "memory" / "notes.md"
        return [word for word in file.read_text().split() if "_" in word] if file.is_file() else []

    @property
    def sessions(self) -> Path:
        """The folder of its sessions."""
        return self.home / "state" / "sessions"

    def begin(self) -> None:
        """Start the process, and do not wait."""
        with (self.home / "said").open("ab") as said:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-m", "tests.doubles.open_box", "serve", "--home", str(self.home)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HOME": "/nonexistent"},
            )

    def start(self) -> None:
        """Start it, and wait until its socket takes a client."""
        self.begin()
        assert self.process is not None
        until_s, pause = time.monotonic() + START_S, threading.Event()
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until_s:
                raise SystemExit(f"the box did not start: {(self.home / 'said').read_text()[-2000:]}")
            pause.wait(0.01)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self.home / "run" / "control.sock"))
            except OSError:
                return False
        return True

    def end(self, number: int = signal.SIGKILL) -> None:
        """Send a signal and wait."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def leave(self) -> None:
        """Leave no process behind, whatever went wrong."""
        if self.process is not None and self.process.poll() is None:
            self.end()

    def asks(self, method: str, target: str, body: Any = None) -> Any:
        """What the control socket answers. Raises ``OSError`` or ``HTTPException`` when the box is gone."""
        with self._answer(method, target, body) as response:
            return json.loads(response.read())

    def chat(self, **request: Any) -> Iterator[dict[str, Any]]:
        """The lines of one turn, each when it comes, up to the end of the turn or of the box."""
        try:
            with self._answer("POST", "/v1/chat", request) as response:
                while line := response.readline():
                    if not line.endswith(b"\n"):
                        return
                    yield json.loads(line)
        except (OSError, http.client.HTTPException):
            return

    @contextmanager
    def _answer(self, method: str, target: str, body: Any) -> Iterator[http.client.HTTPResponse]:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TURN_S)
            client.connect(str(self.home / "run" / "control.sock"))
            connection = http.client.HTTPConnection("box")
            connection.sock = client
            connection.request(method, target, None if body is None else json.dumps(body))
            with connection.getresponse() as response:
                yield response
