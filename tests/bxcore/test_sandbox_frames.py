from __future__ import annotations

import contextlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.sandbox.capture import Capture
from bxcore.sandbox.frames import STDERR, STDOUT, FrameError, Frames


def frame(stream: int, data: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4) + data


def taken_apart(wire: bytes, cuts: list[int]) -> tuple[dict[int, bytes], Frames]:
    frames, said = Frames(), {STDOUT: b"", STDERR: b""}
    edges = sorted({0, len(wire), *(cut % (len(wire) + 1) for cut in cuts)})
    for start, end in pairwise(edges):
        for stream, piece in frames.feed(wire[start:end]):
            said[stream] += piece
    return said, frames


said = st.lists(st.tuples(st.sampled_from([STDOUT, STDERR]), st.binary(max_size=300)), max_size=12)


@given(said, st.lists(st.integers(0, 10_000), max_size=30))
def test_frames_are_the_same_however_they_are_split(frames: list[tuple[int, bytes]], cuts: list[int]) -> None:
    wire = b"".join(frame(stream, data) for stream, data in frames)
    found, left = taken_apart(wire, cuts)
    assert found == {
        each: b"".join(data for stream, data in frames if stream == each) for each in (STDOUT, STDERR)
    }
    assert left.between


@given(said.filter(bool), st.integers(1, 10_000))
def test_a_broken_off_frame_is_seen(frames: list[tuple[int, bytes]], missing: int) -> None:
    wire = b"".join(frame(stream, data) for stream, data in frames)
    last = len(frame(*frames[-1]))
    _, left = taken_apart(wire[: len(wire) - 1 - (missing % (last - 1))], [])
    assert not left.between


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=8))
def test_any_bytes_are_frames_or_refused(wire: bytes, cuts: list[int]) -> None:
    with contextlib.suppress(FrameError):
        found, _ = taken_apart(wire, cuts)
        assert sum(map(len, found.values())) <= len(wire)


@pytest.mark.parametrize("head", [b"\3\0\0\0", b"\1\1\0\0", b"\1\0\0\1", b"HTTP"])
def test_a_header_that_is_none_is_refused(head: bytes) -> None:
    with pytest.raises(FrameError):
        list(Frames().feed(head + b"\0\0\0\1x"))


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(0, 200))
def test_a_capture_keeps_the_first_bytes_and_counts_all(pieces: list[bytes], most: int) -> None:
    capture = Capture(most)
    for piece in pieces:
        capture.take(memoryview(piece))
    whole = b"".join(pieces)
    assert (capture.stream.data, capture.stream.total) == (whole[:most], len(whole))
    assert capture.stream.cut is (len(whole) > most)
