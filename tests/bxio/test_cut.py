from __future__ import annotations

import socket

from bxio.cut import Cut


def test_every_socket_held_is_shut_down() -> None:
    cut = Cut()
    pairs = [socket.socketpair() for _ in range(3)]
    tickets = [cut.hold(near) for near, _ in pairs]
    cut.cut()
    for near, far in pairs:
        near.settimeout(5)
        assert (near.recv(1), far.recv(1)) == (b"", b"")
    _close(cut, tickets, pairs)


def test_a_socket_held_after_the_cut_is_shut_down_at_once() -> None:
    cut = Cut()
    cut.cut()
    pair = socket.socketpair()
    ticket = cut.hold(pair[0])
    pair[0].settimeout(5)
    assert pair[0].recv(1) == b""
    _close(cut, [ticket], [pair])


def test_a_released_socket_is_left_alone() -> None:
    cut = Cut()
    near, far = socket.socketpair()
    cut.release(cut.hold(near))
    cut.cut()
    near.send(b"x")
    assert far.recv(1) == b"x"
    _close(cut, [], [(near, far)])


def test_cutting_twice_and_releasing_twice_is_the_same_as_once() -> None:
    cut = Cut()
    near, far = socket.socketpair()
    ticket = cut.hold(near)
    far.close()
    cut.cut()
    cut.cut()
    cut.release(ticket)
    cut.release(ticket)
    assert cut.was_cut
    near.close()


def test_a_socket_that_its_owner_closed_is_cut_by_the_descriptor_of_its_own() -> None:
    cut = Cut()
    near, far = socket.socketpair()
    ticket = cut.hold(near)
    near.close()
    stranger, other = socket.socketpair()  # very likely has the number of the closed descriptor
    cut.cut()
    stranger.send(b"x")
    assert other.recv(1) == b"x"
    _close(cut, [ticket], [(stranger, other), (far, far)])


def _close(cut: Cut, tickets: list[int], pairs: list[tuple[socket.socket, socket.socket]]) -> None:
    for ticket in tickets:
        cut.release(ticket)
    for pair in pairs:
        for sock in pair:
            sock.close()
