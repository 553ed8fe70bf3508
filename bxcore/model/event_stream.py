"""Server-sent events, read from bytes as they come (the WHATWG form, data fields only)."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.model.nonsense import Nonsense

MAX_LINE = 1 << 20
"""Bytes; a longer line is no event of a model."""


_FIELDS = frozenset({b"data", b"event", b"id", b"retry", b""})
"""A line that begins with the colon is a comment."""


class EventStream:
    """Feed it bytes, take the events' data. Comments and other fields are skipped."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._after_cr = False
        self._lines = self._fields = 0

    def feed(self, piece: bytes) -> Iterator[str]:
        """The data of each event that this piece completes; raises ``Nonsense`` on what is no text."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r") if piece else self._after_cr
        lines = (self._rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_LINE:
            raise Nonsense(f"a line of over {MAX_LINE} bytes")
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[str]:
        """The data of an event without its empty line; raises ``Nonsense`` when no line was of a stream.

        A last line that the end of the connection has cut in its field's name or in the middle of a character
        is left out.
        """
        if self._rest and _is_text(self._rest) and not b"data:".startswith(self._rest):
            yield from self._line(self._rest)
        yield from self._line(b"")
        if self._lines and not self._fields:
            raise Nonsense("text that is no event stream")

    def _line(self, line: bytes) -> Iterator[str]:
        if not line:
            if self._data:
                yield "\n".join(self._data)
            self._data = []
            return
        field, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        self._lines += 1
        self._fields += field in _FIELDS
        if field == b"data":
            self._data.append(_text(value.removeprefix(b" ")))


def _is_text(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise Nonsense("bytes that are no UTF-8") from None
