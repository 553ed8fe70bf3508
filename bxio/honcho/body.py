"""The body of an answer: read up to a cap, unpacked if it must be, and never more than the cap of it."""

from __future__ import annotations

import zlib

import httpx

from bxio.deadline_http import TooLong, read_capped

_GZIP = zlib.MAX_WBITS | 16


class NotPlain(Exception):  # noqa: N818 - an answer of a server, named for what it is
    """The body is packed in a way that was not asked for and is not known, or is no such thing."""


def body_of(response: httpx.Response, cap_bytes: int) -> bytes:
    """The body; gzip is taken although nothing packed is asked for, since some proxies pack all the same.

    Raises ``TooLong`` past ``cap_bytes``, of the packed or of the unpacked, and ``NotPlain``.
    """
    raw = read_capped(response, cap_bytes)
    match response.headers.get("content-encoding", "identity").strip().lower():
        case "identity" | "":
            return raw
        case "gzip" | "x-gzip":
            return _unpacked(raw, cap_bytes)
        case _:
            raise NotPlain


def _unpacked(raw: bytes, cap_bytes: int) -> bytes:
    unpacking = zlib.decompressobj(_GZIP)
    try:
        body = unpacking.decompress(raw, cap_bytes + 1)
    except zlib.error:
        raise NotPlain from None
    if len(body) > cap_bytes:
        raise TooLong(f"the body is over {cap_bytes} bytes")
    if not unpacking.eof:
        raise NotPlain
    return body
