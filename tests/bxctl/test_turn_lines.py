"""Whether a turn's next line is in hand: who waits for a key must never wait for a line that came."""

from __future__ import annotations

import http.client
import json
import select
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.turn_lines import TurnLines

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(number: int) -> bytes:
    line = json.dumps({"kind": "notice", "turn": number}).encode() + b"\n"
    return b"%x\r\n%s\r\n" % (len(line), line)


class Stream:
    """Both ends of a stream that a test writes."""

    def __init__(self) -> None:
        self.box, self.client = socket.socketpair()
        self.client.settimeout(5)
        self.box.sendall(HEAD)
        response = http.client.HTTPResponse(self.client)
        response.begin()
        self.lines = TurnLines(response, self.client, lambda _: CommandError(Exit.FAILED, "lost"))

    def readable(self) -> bool:
        """Whether the socket itself has something."""
        poll = select.poll()
        poll.register(self.lines, select.POLLIN)
        return bool(poll.poll(0))

    def close(self) -> None:
        self.lines.close()
        self.box.close()


@pytest.fixture
def stream() -> Iterator[Stream]:
    made = Stream()
    yield made
    made.close()


def test_nothing_is_in_hand_before_a_line_came(stream: Stream) -> None:
    assert not stream.lines.in_hand()
    assert not stream.readable()


def test_looking_changes_no_wait(stream: Stream) -> None:
    assert not stream.lines.in_hand()
    assert stream.client.gettimeout() == 5
    stream.box.sendall(chunk(1))
    assert stream.lines.in_hand()
    assert stream.client.gettimeout() == 5


def test_the_second_of_two_lines_that_came_at_once_is_in_hand(stream: Stream) -> None:
    stream.box.sendall(chunk(1) + chunk(2))
    assert next(stream.lines)["turn"] == 1
    assert stream.lines.in_hand()
    assert next(stream.lines)["turn"] == 2
    assert not stream.lines.in_hand()


def test_the_end_of_a_chunk_is_no_line(stream: Stream) -> None:
    stream.box.sendall(chunk(1))
    assert next(stream.lines)["turn"] == 1
    assert not stream.lines.in_hand()
    stream.box.sendall(chunk(2))
    assert stream.lines.in_hand() or stream.readable()
    assert next(stream.lines)["turn"] == 2


def test_an_answer_that_has_ended_is_no_wait(stream: Stream) -> None:
    stream.box.sendall(chunk(1) + b"0\r\n\r\n")
    assert next(stream.lines)["turn"] == 1
    assert stream.lines.in_hand()
    assert list(stream.lines) == []
    assert stream.lines.in_hand()


def test_a_box_that_has_gone_is_seen_by_the_poll(stream: Stream) -> None:
    stream.box.close()
    assert stream.lines.in_hand() or stream.readable()
    assert list(stream.lines) == []


def test_a_line_that_breaks_off_is_an_error(stream: Stream) -> None:
    stream.box.sendall(chunk(1)[:-6])
    stream.box.close()
    assert stream.lines.in_hand()
    with pytest.raises(CommandError):
        next(stream.lines)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 8)), max_size=6))
def test_in_whatever_pieces_they_come_each_line_is_seen(pieces: list[tuple[int, int]]) -> None:
    """Each piece is how many lines come at once, and how many are read after it."""
    stream = Stream()
    written = read = 0
    for size, wanted in pieces:
        stream.box.sendall(b"".join(chunk(written + number) for number in range(size)))
        written += size
        for _ in range(min(wanted, written - read)):
            assert stream.lines.in_hand() or stream.readable()
            assert next(stream.lines)["turn"] == read
            read += 1
        if read == written:
            assert not stream.lines.in_hand()
            assert not stream.readable()
    stream.close()
