"""Telling systemd how the service does, by the socket it named (sd_notify(3))."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping

READY = "READY=1"
STOPPING = "STOPPING=1"
WATCHDOG = "WATCHDOG=1"


def notify(state: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send one state; False without systemd or when it does not listen. Never blocks and never raises."""
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.settimeout(0.0)
        sock.connect(name)
        sock.send(state.encode())
        return True
    return False


def watchdog_s(environ: Mapping[str, str] = os.environ) -> float | None:
    """How often systemd wants ``WATCHDOG=1``, in seconds, or None when it does not watch this process."""
    micros = environ.get("WATCHDOG_USEC", "")
    pid = environ.get("WATCHDOG_PID", str(os.getpid()))
    if not (micros.isascii() and micros.isdigit()) or pid != str(os.getpid()):
        return None
    return int(micros) / 1_000_000
