"""The chunks of a model server's answer, and the words of its error (spec 3.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx

from bxcore.model.chunk import DONE, Chunk, read_chunk
from bxcore.model.event_stream import EventStream
from bxcore.model.nonsense import Nonsense
from bxio.deadline_http import TooLong, read_capped

MAX_ERROR = 65_536
MAX_WHOLE = 4 << 20
"""Bytes read of an error and of an answer that is not streamed."""


class HalfAnAnswer(Exception):  # noqa: N818 - never leaves the client
    """The connection ended in order, and the answer had not."""


def chunks(response: httpx.Response) -> Iterator[Chunk]:
    """Each chunk as it comes, an empty one for bytes that hold none; ends behind ``[DONE]``.

    Raises ``Nonsense`` and ``TooLong`` for what is no answer.
    """
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"", "identity"}:
        raise Nonsense(f"{coding} packing that nobody asked for")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        yield read_chunk(read_capped(response, MAX_WHOLE).decode("utf-8", "replace"))
    elif kind == "text/event-stream":
        yield from _events(response)
    else:
        raise Nonsense(f"{kind or 'no content type'} in place of an event stream")


def _events(response: httpx.Response) -> Iterator[Chunk]:
    stream = EventStream()
    for piece in response.iter_raw():
        for data in stream.feed(piece):
            if data.strip() == DONE:
                yield Chunk(done=True)
                return
            yield read_chunk(data)
        yield Chunk()  # the deadline is looked at for comments too: a server's pings are no token
    for data in stream.end():
        yield Chunk(done=True) if data.strip() == DONE else _last(data)


def _last(data: str) -> Chunk:
    """An event that no empty line ends: whole, or cut by the end of the connection."""
    try:
        return read_chunk(data)
    except Nonsense:
        raise HalfAnAnswer from None


def error_words(response: httpx.Response) -> str:
    """What the server said: its error's message, or its text unless that is a web page or packed."""
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        return ""
    try:
        text = read_capped(response, MAX_ERROR).decode("utf-8", "replace")
    except TooLong:
        return ""
    try:
        error = json.loads(text).get("error")
        return str(error["message"] if isinstance(error, dict) else error or text)
    except (ValueError, RecursionError, AttributeError, KeyError):
        return "" if text.lstrip().startswith("<") else text
