"""The frames in which podman sends a container's two streams over one connection, taken apart without I/O.

Each frame is a header of 8 bytes (the stream's number, three bytes of nothing, the length as a big-endian
32-bit number) and that many bytes. A frame may arrive in any number of pieces, and a piece may hold many.
"""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.errors import SentenceError

HEADER = 8
STDIN, STDOUT, STDERR = 0, 1, 2


class FrameError(SentenceError):
    """What came is no frame; nothing after it can be read."""


class Frames:
    """Takes bytes as they come, gives them back by stream. It holds a header's bytes at the most."""

    def __init__(self) -> None:
        self._header = b""
        self._stream = STDOUT
        self._left = 0

    @property
    def between(self) -> bool:
        """Whether all that came ended with a whole frame, as it does when nothing was lost."""
        return not self._header and not self._left

    def feed(self, data: bytes) -> Iterator[tuple[int, memoryview]]:
        """The pieces in ``data`` with their stream's number, in order; raises ``FrameError``.

        A piece is a view of ``data``: whoever keeps it, copies it.
        """
        view = memoryview(data)
        while view:
            if not self._left:
                view = self._head(view)
                continue
            piece, view = view[: self._left], view[self._left :]
            self._left -= len(piece)
            yield self._stream, piece

    def _head(self, view: memoryview) -> memoryview:
        """Take what is missing of a header, and give the rest back."""
        missing = HEADER - len(self._header)
        self._header += view[:missing]
        if len(self._header) == HEADER:
            if self._header[0] > STDERR or any(self._header[1:4]):
                raise FrameError("podman sent bytes that are no frame of a container's output")
            self._stream = self._header[0]
            self._left = int.from_bytes(self._header[4:])
            self._header = b""
        return view[missing:]
