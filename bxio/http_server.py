"""One HTTP/1.1 exchange over an accepted socket: h11 knows the protocol, this knows deadlines and limits.

Each call takes ONE absolute deadline on the monotonic clock, so a client that drips a byte now and then gains
no time. The connection is closed behind the answer; keep-alive would only let idle clients hold a place.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import h11

from bxcore.control.exit_codes import ErrorCode
from bxcore.errors import SentenceError
from bxcore.http import HttpRequest, HttpResponse
from bxio.cut import Cut

MAX_HEAD_BYTES = 16_384
MAX_BODY_BYTES = 1_048_576
DRAIN_S = 1.0
"""How long unread input is taken off a closing connection: closing over it would reset the answer away."""
TURN_AWAY_S = 0.2
_PIECE_BYTES = 65_536
_CODES = {413: ErrorCode.TOO_LARGE, 431: ErrorCode.TOO_LARGE}


class BadRequestError(SentenceError):
    """What came is no request that can be answered as asked; it still gets an answer."""

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class ClientGoneError(Exception):
    """The client left, was cut, or does not take its answer in time; there is nobody to answer."""


class HttpExchange:
    """Owns an accepted socket. All methods but ``cut``: one thread."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._cut = Cut()
        self._ticket = self._cut.hold(sock)
        self._head_only = False

    def cut(self) -> None:
        """Wake whoever is blocked on the socket; it sees ``ClientGoneError``. Any thread."""
        self._cut.cut()

    def read(self, deadline_s: float) -> HttpRequest:
        """Read the whole request. Raises ``BadRequestError`` (answer it) or ``ClientGoneError``."""
        head: h11.Request | None = None
        body = bytearray()
        for event in self._events(deadline_s):
            if isinstance(event, h11.Request):
                head = event
                self._head_only = event.method == b"HEAD"
                self._check_length(event)
            elif isinstance(event, h11.Data):
                body += event.data
                _check_size(len(body))
        if head is None:
            raise ClientGoneError
        return _request(head, bytes(body), deadline_s)

    def answer(self, response: HttpResponse, deadline_s: float) -> None:
        """Send a whole answer."""
        sized = {**response.headers, "content-length": str(len(response.body))}
        self.start(response.status, sized, deadline_s)
        if not self._head_only:
            self._send(h11.Data(data=response.body), deadline_s)
        self.finish(deadline_s)

    def start(self, status: int, headers: Mapping[str, str], deadline_s: float) -> None:
        """Send an answer's head; without a length the body goes out in chunks."""
        fields = [*headers.items(), ("connection", "close"), ("cache-control", "no-store")]
        self._send(h11.Response(status_code=status, headers=fields), deadline_s)

    def piece(self, data: bytes, deadline_s: float) -> None:
        """Send a piece of a started answer's body."""
        self._send(h11.Data(data=data), deadline_s)

    def finish(self, deadline_s: float) -> None:
        """End a started answer."""
        self._send(h11.EndOfMessage(), deadline_s)

    def left(self) -> bool:
        """Whether the client has closed its side, as one does that waits no more. Never blocks."""
        try:
            self._sock.settimeout(0)
            return self._sock.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def turn_away(self, response: HttpResponse) -> None:
        """Answer without reading, and close at once; for a client that nobody serves. Any thread."""
        with contextlib.suppress(ClientGoneError, h11.LocalProtocolError):  # it left, or is half answered
            self.answer(response, time.monotonic() + TURN_AWAY_S)
        self._close()

    def close(self) -> None:
        """Close the connection; what the client still sends is taken off first, for a bounded while."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)
            self._drain(time.monotonic() + DRAIN_S)
        self._close()

    def _close(self) -> None:
        self._sock.close()
        self._cut.release(self._ticket)

    def _drain(self, deadline_s: float) -> None:
        for _ in range(MAX_BODY_BYTES // _PIECE_BYTES):
            if not self._receive(deadline_s):
                return

    def _events(self, deadline_s: float) -> Iterator[h11.Request | h11.Data]:
        """The request's events up to its end."""
        while True:
            event = self._next_event()
            if event is h11.NEED_DATA:
                self._feed(deadline_s)
            elif isinstance(event, h11.Request | h11.Data):
                yield event
            elif isinstance(event, h11.EndOfMessage):
                return
            else:  # the client closed before its request was whole
                raise ClientGoneError

    def _next_event(self) -> object:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            code = _CODES.get(error.error_status_hint, ErrorCode.BAD_REQUEST)
            large = "the request's head is larger than 16 KiB"
            raise BadRequestError(
                code, large if code is ErrorCode.TOO_LARGE else "this is no HTTP/1.1 request"
            ) from None

    def _feed(self, deadline_s: float) -> None:
        if self._http.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[]), deadline_s)
        try:
            self._http.receive_data(self._receive(deadline_s))
        except TimeoutError:
            raise BadRequestError(
                ErrorCode.TOO_SLOW, "the request did not arrive in time; send it at once"
            ) from None
        except OSError as error:
            raise ClientGoneError from error

    def _receive(self, deadline_s: float) -> bytes:
        self._grant(deadline_s)
        return self._sock.recv(_PIECE_BYTES)

    def _send(self, event: h11.Event, deadline_s: float) -> None:
        try:
            data = self._http.send(event) or b""
            while data:
                self._grant(deadline_s)
                data = data[self._sock.send(data) :]
        except OSError as error:
            raise ClientGoneError from error

    def _grant(self, deadline_s: float) -> None:
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)

    def _check_length(self, head: h11.Request) -> None:
        """Refuse a body that says it is too large before a byte of it is read, and one of two lengths.

        What is chunked and has a length too is read differently by different servers (RFC 9112, 6.1).
        """
        for name, value in head.headers:
            if name == b"content-length":
                _check_size(int(value))
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in head.headers}:
            raise BadRequestError(ErrorCode.BAD_REQUEST, "the body has two lengths; send one of them")


def _check_size(size: int) -> None:
    if size > MAX_BODY_BYTES:
        raise BadRequestError(ErrorCode.TOO_LARGE, "the body is larger than 1 MiB; send less")


def _request(head: h11.Request, body: bytes, deadline_s: float) -> HttpRequest:
    path, _, query = head.target.decode("ascii").partition("?")
    return HttpRequest(
        method=head.method.decode("ascii"),
        path=unquote(path),
        query=query,
        headers={name.decode("ascii"): value.decode("latin-1") for name, value in head.headers},
        body=body,
        deadline_s=deadline_s,
    )
