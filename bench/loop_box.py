"""A serving box with an instant model in a process of its own, and turns timed from outside."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.rows_box import bxctl
from bxctl.serving import serve_command

START_S = 30.0
TURN_S = 60.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedLoop:
    """``pid`` is the box's, ``model`` the base URL of its model."""

    pid: int
    home: Path
    model: str

    def turn(self, text: str, session: str) -> float:
        """One turn as a client sees it, from its connect to its result; seconds. Raises when it fails."""
        began_s = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TURN_S)
            client.connect(str(self.home / "run" / "control.sock"))
            connection = http.client.HTTPConnection("box")
            connection.sock = client
            connection.request(
                "POST", "/v1/chat", json.dumps({"text": text, "session": session, "speaker": "me"})
            )
            last = b""
            with connection.getresponse() as response:
                while line := response.readline():
                    last = line
        took_s = time.perf_counter() - began_s
        if json.loads(last)["result"]["reply"] is None:
            raise RuntimeError(last.decode())
        return took_s

    def bare(self, text: str) -> float:
        """What the model alone takes for a streamed answer to that text; seconds."""
        parts = urlsplit(self.model)
        messages = [{"role": "user", "content": text}]
        body = json.dumps({"messages": messages, "stream": True, "tools": []})
        began_s = time.perf_counter()
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=TURN_S)
        connection.request("POST", f"{parts.path}/chat/completions", body)
        with connection.getresponse() as response:
            response.read()
        connection.close()
        return time.perf_counter() - began_s

    def cpu_s(self) -> float:
        """Seconds of a core that the box has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def control(self, *words: str) -> None:
        """An operator's command, which must succeed."""
        done = bxctl(str(self.home), *words)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)


@contextmanager
def served_loop(*, wait_s: float = 0.0, traced: Path | None = None) -> Iterator[ServedLoop]:
    """A box, from when its control socket answers. Its model waits ``wait_s`` before each answer.

    With ``traced`` the kernel's syncs are written into that file.
    """
    model = [sys.executable, "-m", "tests.doubles.planned_model", str(wait_s)]
    with tempfile.TemporaryDirectory() as folder, _running(model, stdout=subprocess.PIPE) as answering:
        assert answering.stdout is not None
        url = answering.stdout.readline().decode().strip()
        home = Path(folder)
        (home / "boxmaker.toml").write_text(f'[model]\nurl = "{url}"\nprofile = "native"\n')
        command = serve_command(Namespace(home=folder, config=None))
        if traced is not None:
            command = [
                "strace",
                "-D",
                "-f",
                "-qq",
                "-y",
                "-e",
                "trace=fsync,fdatasync",
                "-o",
                str(traced),
                *command,
            ]
        with _running(command, stderr=subprocess.DEVNULL) as box:
            until_s = time.monotonic() + START_S
            while bxctl(folder, "tree").returncode != 0:
                if box.poll() is not None or time.monotonic() > until_s:
                    raise RuntimeError("the box did not start")
            yield ServedLoop(pid=box.pid, home=home, model=url)


@contextmanager
def _running(command: list[str], **more: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, **more)  # type: ignore[call-overload]  # mypy cannot read the keywords
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=START_S)
        if process.stdout is not None:
            process.stdout.close()
