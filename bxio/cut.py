"""Cutting what a thread is blocked on: the sockets of one exchange, shut down from any thread."""

from __future__ import annotations

import contextlib
import socket
import threading


class Cut:
    """Holds the sockets of one exchange, and shuts them down when ``cut`` is called, now and later ones too.

    Closing a client from another thread does not wake a blocked read; shutting its socket down does. Each
    socket is held by a duplicate of its descriptor: a TLS handshake may take the original over, and a
    descriptor that another thread has closed may be somebody else's by now. Every method: any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[int, socket.socket] = {}
        self._was_cut = False

    @property
    def was_cut(self) -> bool:
        """Whether ``cut`` was called: what the exchange then raises is its end, not the server's fault."""
        return self._was_cut

    def cut(self) -> None:
        """Shut down every socket held, and each one held later, at once. Never raises and never blocks."""
        with self._lock:
            self._was_cut = True
            for held in self._held.values():
                _shut_down(held)

    def hold(self, sock: socket.socket) -> int:
        """Hold ``sock``, connected or not; returns the ticket that ``release`` takes."""
        held = sock.dup()
        with self._lock:
            ticket = held.fileno()
            self._held[ticket] = held
            if self._was_cut:
                _shut_down(held)
        return ticket

    def release(self, ticket: int) -> None:
        """Let go of a socket whose owner has closed it; a ticket released already is ignored."""
        with self._lock:
            held = self._held.pop(ticket, None)
            if held is not None:
                held.close()


def _shut_down(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):  # not connected any more: the peer was faster
        sock.shutdown(socket.SHUT_RDWR)
