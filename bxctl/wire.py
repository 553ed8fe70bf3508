"""The client's side of the control socket: one request a connection, and a turn's lines as they come."""

from __future__ import annotations

import http.client
import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

from bxcore.control import ErrorCode, Exit, Request, encode
from bxcore.paths import socket_problem
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.turn_lines import TurnLines

CONNECT_S = 5.0
ANSWER_S = 200.0
"""Longer than the process itself waits for any actor, so its sentence wins."""
SILENCE_S = 60.0
"""A running turn shows a sign of life more often than that."""


class _UnixConnection(http.client.HTTPConnection):
    """The standard library's client over a unix socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("boxmaker", timeout=timeout_s)
        self._path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        """Stays here when the answer takes the connection over."""

    def connect(self) -> None:
        """Connect within ``CONNECT_S``; then the answer's own time-out holds."""
        self.sock = self.socket
        self.sock.settimeout(CONNECT_S)
        self.sock.connect(str(self._path))
        self.sock.settimeout(self.timeout)


class Wire:
    """Speaks to the process that listens at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def call(self, request: Request, timeout_s: float = ANSWER_S) -> Any:
        """Ask and return the answer's JSON; raises ``CommandError``."""
        with closing(_UnixConnection(self.path, timeout_s)) as connection:
            try:
                response = self._send(connection, request)
                answer = json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise self._problem(error) from error
        if response.status != http.client.OK:
            raise _refused(answer)
        return answer

    def stream(self, request: Request) -> TurnLines:
        """Ask for a turn and give its lines, ``result`` or ``error`` the last; raises ``CommandError``."""
        connection = _UnixConnection(self.path, SILENCE_S)
        try:
            response = self._send(connection, request)
            if response.status != http.client.OK:
                raise _refused(json.loads(response.read()))
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise self._problem(error) from error
        except CommandError:
            connection.close()
            raise
        return TurnLines(response, connection.socket, self._problem)

    def answers(self) -> bool:
        """Whether somebody listens."""
        with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as sock:
            sock.settimeout(CONNECT_S)
            try:
                sock.connect(str(self.path))
            except OSError:
                return False
        return True

    def _send(self, connection: _UnixConnection, request: Request) -> http.client.HTTPResponse:
        encoded = encode(request)
        headers = {"Content-Type": "application/json"} if encoded.body is not None else {}
        try:
            connection.request(encoded.method, encoded.target, body=encoded.body, headers=headers)
        except BrokenPipeError:
            if connection.sock is None:
                raise
            # It was turned away before it had said all; the answer that says why may be there already.
        return connection.getresponse()

    def _problem(self, error: Exception) -> CommandError:
        too_long = socket_problem(self.path)
        if too_long is not None:
            return CommandError(Exit.USAGE, too_long)
        match error:
            case FileNotFoundError() | ConnectionRefusedError() | NotADirectoryError():
                sentence = (
                    f"boxmaker is not running, nothing listens on {self.path}; start it with {typed('serve')}"
                )
                return CommandError(Exit.NOT_RUNNING, sentence)
            case PermissionError():
                return CommandError(
                    Exit.FAILED, f"{self.path} belongs to another user; ask as the user that runs it"
                )
            case TimeoutError():
                return CommandError(Exit.TIMED_OUT, f"boxmaker did not answer in time; see {typed('tree')}")
            case _:
                return CommandError(
                    Exit.FAILED, "the connection ended before the answer; boxmaker may be restarting"
                )


def _refused(answer: object) -> CommandError:
    fields = answer if isinstance(answer, dict) else {}
    sentence = fields.get("sentence")
    code = ErrorCode.read(fields.get("error"))
    return CommandError(
        code.exit, sentence if isinstance(sentence, str) else "boxmaker said no without a reason"
    )
