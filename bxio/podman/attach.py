"""A container's three streams over one connection of ours: podman's package has no attach.

What is fed and what is read go side by side in one loop, so that neither side waits for the other for ever.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bxcore.sandbox import SandboxError, Stream
from bxcore.sandbox.capture import Capture
from bxcore.sandbox.frames import STDERR, STDOUT, Frames
from bxcore.sandbox.podman_words import plain
from bxio.cut import Cut
from bxio.podman.client import connect

READ = 262_144
LONGEST_HEAD = 65_536
_REQUEST = (
    "POST /v4.0.0/libpod/containers/{name}/attach"
    "?stream=true&stdout=true&stderr=true&stdin={stdin}&detachKeys= HTTP/1.1\r\n"
    "Host: podman\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
)
"""No detach keys: what is fed is bytes, and no terminal's."""
_UPGRADED = (b"101", b"200")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a container wrote. ``whole`` is False when we stopped listening before it had ended."""

    stdout: Stream
    stderr: Stream
    whole: bool


@contextlib.contextmanager
def attached(path: Path, name: str, *, stdin: bool, deadline_s: float, cut: Cut) -> Iterator[Wire]:
    """Attach to a container that has not been started, so that nothing it says is missed.

    Raises ``SandboxError``. After ``cut`` the wire's ``exchange`` ends at once.
    """
    try:
        sock = connect(path, deadline_s)
    except OSError:
        raise SandboxError("podman could not attach to the sandbox: its service does not answer") from None
    ticket = cut.hold(sock)
    try:
        rest = _upgraded(sock, _REQUEST.format(name=name, stdin="true" if stdin else "false").encode())
        sock.settimeout(0)
        yield Wire(sock, rest)
    finally:
        sock.close()
        cut.release(ticket)


def _upgraded(sock: socket.socket, request: bytes) -> bytes:
    """Ask for the streams; what came after the answer's head belongs to them."""
    head = b""
    try:
        sock.sendall(request)
        while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD:
            room = bytearray(READ)
            count = sock.recv_into(room)
            if not count:
                break
            head += room[:count]
    except OSError:
        raise SandboxError("podman could not attach to the sandbox: it did not answer in time") from None
    head, ended, rest = head.partition(b"\r\n\r\n")
    if not ended or head[9:12] not in _UPGRADED:
        why = plain((rest or head).decode(errors="replace"))
        raise SandboxError(f"podman could not attach to the sandbox: {why}")
    return rest


class Wire:
    """The upgraded connection, not blocking."""

    def __init__(self, sock: socket.socket, rest: bytes) -> None:
        self._sock = sock
        self._rest = rest

    def exchange(self, stdin: bytes | None, *, most: int, ends_s: float) -> Said:
        """Feed ``stdin`` and read until the container has closed both streams, or until ``ends_s``.

        ``most`` bytes of each stream are kept. Raises ``FrameError``.
        """
        frames, captures = Frames(), {STDOUT: Capture(most), STDERR: Capture(most)}
        left = None if stdin is None else memoryview(stdin)
        piece, open_ = self._rest, True
        while open_:
            for stream, data in frames.feed(piece):
                captures[stream or STDOUT].take(data)
            ready = _ready(self._sock, writing=left is not None, until_s=ends_s)
            if not ready:
                break
            if left is not None and ready & ~select.POLLIN:
                left = self._fed(left)
            piece = b""
            if ready & ~select.POLLOUT:
                piece, open_ = self._read()
        return Said(
            stdout=captures[STDOUT].stream, stderr=captures[STDERR].stream, whole=not open_ and frames.between
        )

    def _fed(self, left: memoryview) -> memoryview | None:
        """Send what goes now; when that was the last, or nobody reads any more, close this half."""
        try:
            left = left[self._sock.send(left) :] if left else left
        except BlockingIOError:
            return left
        except OSError:
            return None
        if left:
            return left
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)
        return None

    def _read(self) -> tuple[bytes, bool]:
        """What has come, and whether more may."""
        try:
            piece = self._sock.recv(READ)
        except BlockingIOError:
            return b"", True
        except OSError:
            return b"", False
        return piece, bool(piece)


def _ready(sock: socket.socket, *, writing: bool, until_s: float) -> int:
    """What the socket is ready for, as ``poll`` says it; 0 when the time is over."""
    left_s = until_s - time.monotonic()
    if left_s <= 0:
        return 0
    poll = select.poll()
    poll.register(sock, select.POLLIN | (select.POLLOUT if writing else 0))
    found = poll.poll(left_s * 1000)
    return found[0][1] if found else 0
