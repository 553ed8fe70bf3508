"""A TCP listener that only this machine reaches (security notes 6)."""

from __future__ import annotations

import ipaddress
import socket

from bxcore.errors import SentenceError, system_reason

BACKLOG = 64


class ListenError(SentenceError):
    """The address cannot be listened on; ``sentence`` says which and why."""


def split(listen: str) -> tuple[str, int]:
    """Take ``127.0.0.1:8643`` or ``[::1]:8643`` apart, as ``[api] listen`` has it; a name is its address.

    ``localhost`` is not looked up: what a file of names says of it must not open the box to a network.
    """
    host, _, port = listen.rpartition(":")
    bare = host.strip("[]")
    return ("127.0.0.1" if bare == "localhost" else bare), int(port)


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address of the loopback; port 0 is any free one. Raises ``ListenError``."""
    address = ipaddress.ip_address(host)
    if not address.is_loopback:
        raise ListenError(f"{host} is no address of the loopback; use 127.0.0.1")
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004 - IPv4
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise ListenError(f"{host}:{port} cannot be listened on: {system_reason(error)}") from None
    return sock


def accept(listener: socket.socket) -> socket.socket:
    """Wait for the next client. Its small pieces are sent at once: a stream of text would stutter else."""
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client
