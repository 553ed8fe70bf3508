from __future__ import annotations

import socket

import pytest

from bxcore.config.values import listen_address
from bxio.loopback_listener import ListenError, accept, listen, split


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("127.0.0.1:8643", ("127.0.0.1", 8643)),
        ("localhost:0", ("127.0.0.1", 0)),
        ("[::1]:8643", ("::1", 8643)),
        ("::1:8643", ("::1", 8643)),
    ],
)
def test_what_the_configuration_takes_is_taken_apart(text: str, parts: tuple[str, int]) -> None:
    assert listen_address(text) == text
    assert split(text) == parts


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"])
def test_nothing_but_the_loopback_is_listened_on(host: str) -> None:
    with pytest.raises(ListenError, match="is no address of the loopback"):
        listen(host, 0)


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ListenError) as caught:
            listen("127.0.0.1", port)
    assert caught.value.sentence == f"127.0.0.1:{port} cannot be listened on: address already in use"
    listen("127.0.0.1", port).close()


def test_a_port_is_free_again_at_once() -> None:
    """What a client of the last box left behind on it holds up no start."""
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            accept(first).close()
            client.recv(1)
    listen("127.0.0.1", port).close()


def test_small_pieces_are_sent_at_once() -> None:
    with listen("127.0.0.1", 0) as listener:
        client = socket.create_connection(listener.getsockname()[:2], timeout=5)
        with client, accept(listener) as server:
            assert server.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
