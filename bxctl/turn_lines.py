"""A running turn's lines as they come, for a loop that waits for a key at the same time."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
from collections.abc import Callable
from typing import Self, cast

from bxcore.control.answers import LineJson
from bxctl.errors import CommandError

_END_OF_CHUNK = b"\r\n"


class TurnLines:
    """An iterator, and a context manager that closes the connection.

    ``problem`` turns what the connection's end was into a ``CommandError``.
    """

    def __init__(
        self,
        response: http.client.HTTPResponse,
        sock: socket.socket,
        problem: Callable[[Exception], CommandError],
    ) -> None:
        self._response = response
        self._sock = sock
        self._problem = problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> LineJson:
        """Wait for the next line, as long as the connection's time-out; raises ``CommandError``."""
        try:
            line = self._response.readline()
            if line:
                return cast(LineJson, json.loads(line))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._problem(error) from error
        raise StopIteration

    def fileno(self) -> int:
        """The socket, for a poll: when it has something and ``in_hand`` nothing, a line has come."""
        return self._sock.fileno()

    def in_hand(self) -> bool:
        """Whether the next line, or its beginning, was read off the socket already. Never blocks.

        The end of the chunk before it may be, without a line behind it.
        """
        if self._response.isclosed():
            return True  # the answer has ended, so the next line is no wait
        timeout_s = self._sock.gettimeout()
        self._sock.settimeout(0)
        try:
            return len(self._response.fp.peek(1)) > len(_END_OF_CHUNK)
        finally:
            self._sock.settimeout(timeout_s)

    def ready(self, wait_s: float = 0.0) -> bool:
        """Whether the next line, or the connection's end, is there, or comes within ``wait_s``."""
        if self.in_hand():
            return True
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        return bool(poll.poll(wait_s * 1000))

    def take_back(self) -> None:
        """Close this side: the box ends the stream of a message that waits, and never runs it."""
        with contextlib.suppress(OSError):  # the box has gone
            self._sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the connection; the turn goes on without a listener."""
        self._response.close()
        self._sock.close()
