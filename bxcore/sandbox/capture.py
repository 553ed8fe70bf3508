"""A stream's first bytes, kept up to a cap while all of them are counted (spec 2.5)."""

from __future__ import annotations

from bxcore.sandbox.job import Stream


class Capture:
    """Keeps ``most`` bytes and counts the rest, so that a chatty process costs no memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._data = bytearray()
        self._total = 0

    def take(self, piece: bytes | memoryview) -> None:
        """The next bytes of the stream."""
        self._total += len(piece)
        if len(self._data) < self._most:
            self._data += piece[: self._most - len(self._data)]

    @property
    def stream(self) -> Stream:
        """What there is so far."""
        return Stream(data=bytes(self._data), total=self._total)
