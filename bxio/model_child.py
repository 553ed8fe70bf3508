"""The embedded model's process as its owner sees it: started, listened to, ended; nothing here waits long."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bxcore.model.values import Wire

MAX_SOCKET_PATH = 100
"""Bytes; the system's own limit is 104 to 108."""

STOP_S = 2.0
_READ = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a child is started with.

    ``cache`` holds the weights, ``runtime`` (0700) the socket, ``log`` gets llama.cpp's words. ``file`` is
    the owner's own GGUF file. ``prefix`` is the fixed start of every session's prompt, read ahead when given.
    """

    cache: Path
    runtime: Path
    log: Path
    context_tokens: int = 8192
    file: Path | None = None
    prefix: tuple[Wire, ...] = ()
    command: tuple[str, ...] = field(default=(sys.executable, "-m", "bxio.embedded_model"))


class ModelChild:
    """A started process, in a session of its own: a terminal's interrupt reaches its owner alone."""

    def __init__(self, process: subprocess.Popen[bytes], socket: Path) -> None:
        self._process = process
        self._rest = b""
        self.socket = socket

    @classmethod
    def start(cls, order: Order, number: int) -> Self:
        """Start it; raises ``OSError`` when a folder, the log or the program is not usable."""
        order.runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        order.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        socket = _socket_path(order.runtime, number)
        with open(order.log, "wb", opener=_private) as log:
            process = subprocess.Popen(  # noqa: S603 - our own program
                order.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                cwd=Path(__file__).parent.parent,
                env=_environment(),
            )
        child = cls(process, socket)
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        with contextlib.suppress(BrokenPipeError):  # it died at once; its end is seen by ``exit_code``
            process.stdin.write(json.dumps(_spelled(order, socket)).encode() + b"\n")
            process.stdin.flush()
        return child

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def news(self) -> list[Mapping[str, Any]]:
        """The lines that have come since, without waiting."""
        assert self._process.stdout is not None
        with contextlib.suppress(BlockingIOError, ValueError):
            while piece := os.read(self._process.stdout.fileno(), _READ):
                self._rest += piece
        *lines, self._rest = self._rest.split(b"\n")
        return [value for line in lines if isinstance(value := _json(line), dict)]

    def exit_code(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._process.poll()

    def end(self) -> None:
        """End it now: it keeps nothing that a kill could harm. Takes ``STOP_S`` at the most."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=STOP_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.socket.unlink(missing_ok=True)
        if self.socket.parent.name.startswith("boxmaker-model-"):
            with contextlib.suppress(OSError):
                self.socket.parent.rmdir()


def _socket_path(runtime: Path, number: int) -> Path:
    """A path of its own for each child, in the runtime folder, or a private one when that is too deep."""
    path = runtime / f"model-{number}.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix="boxmaker-model-")) / "model.sock"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _environment() -> dict[str, str]:
    """Ours without secrets: the child needs none."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BOXMAKER_")}
    return {**kept, "PYTHONUNBUFFERED": "1", "GOMP_SPINCOUNT": kept.get("GOMP_SPINCOUNT", "20000")}


def _spelled(order: Order, socket: Path) -> dict[str, Any]:
    return {
        "cache": str(order.cache),
        "socket": str(socket),
        "context_tokens": order.context_tokens,
        "file": None if order.file is None else str(order.file),
        "prefix": list(order.prefix),
    }


def _json(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
