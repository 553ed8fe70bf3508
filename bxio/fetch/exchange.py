"""One request of a fetch and its answer, over a connection of its own."""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Iterator

import httpcore

from bxcore.fetch_hop import REDIRECTS, Hop
from bxcore.fetched import Fetched
from bxcore.version import VERSION
from bxio.cut import Cut
from bxio.fetch.dialer import Dialer
from bxio.fetch.errors import FetchError, late, stopped

USER_AGENT = f"boxmaker/{VERSION} (a personal agent)"
OWN_HEADERS = (
    ("User-Agent", USER_AGENT),
    ("Accept-Encoding", "identity"),
    ("Connection", "close"),
)
_EARLY = ("Server disconnected", "peer closed connection")
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32


def exchange(dialer: Dialer, hop: Hop, max_bytes: int, deadline_s: float, cut: Cut) -> Fetched:
    """Send one request and read at most ``max_bytes`` of its body, none of a redirect's.

    ``deadline_s`` is absolute, on the monotonic clock, for all of it. Raises ``FetchError``.
    """
    pool = dialer.pool(hop.target, deadline_s, cut)
    try:
        with pool:
            response = pool.handle_request(_request(hop))
            try:
                return _read(hop, response, max_bytes)
            finally:
                response.close()
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise (stopped() if cut.was_cut else _in_words(error, hop.target.host)) from None


def _request(hop: Hop) -> httpcore.Request:
    target = hop.target
    url = httpcore.URL(
        scheme=target.scheme.encode(),
        host=target.host.encode(),
        port=target.port,
        target=target.path_query.encode(),
    )
    headers = [("Host", target.authority), *OWN_HEADERS, *hop.headers.items()]
    if "accept" not in hop.headers:
        headers.append(("Accept", "text/html, text/plain, application/json, */*;q=0.5"))
    if hop.method == "POST":
        headers.append(("Content-Length", str(len(hop.body))))
    return httpcore.Request(hop.method, url, headers=headers, content=hop.body)


def _read(hop: Hop, response: httpcore.Response, max_bytes: int) -> Fetched:
    headers = tuple((name.decode("latin-1").lower(), _text(value)) for name, value in response.headers)
    coding = _one(headers, "content-encoding").lower()
    wanted = response.status not in REDIRECTS and hop.method != "HEAD"
    pieces = _decoded(response.iter_stream(), coding, max_bytes, hop.target.host) if wanted else ()
    body = _capped(pieces, max_bytes)
    length = _one(headers, "content-length")
    return Fetched(
        target=hop.target,
        method=hop.method,
        status=response.status,
        headers=headers,
        body=body[:max_bytes],
        cut=len(body) > max_bytes,
        length=int(length) if length.isdecimal() and coding in ("", "identity") else None,
    )


def _capped(pieces: Iterable[bytes], max_bytes: int) -> bytes:
    """Read until one byte more than is wanted is there, so that a cut is known."""
    body = bytearray()
    for piece in pieces:
        body += piece[: max_bytes + 1 - len(body)]
        if len(body) > max_bytes:
            break
    return bytes(body)


def _decoded(pieces: Iterable[bytes], coding: str, max_bytes: int, host: str) -> Iterator[bytes]:
    """Nothing compressed was asked for; what comes all the same is unpacked no further than is wanted."""
    if coding in ("", "identity"):
        yield from pieces
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise FetchError(f"{host} answers in a compression that was not asked for and is not known")
    unpacking = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        for piece in pieces:
            yield unpacking.decompress(piece, max_bytes + 1)
    except zlib.error:
        raise FetchError(f"{host} answers with a broken compression") from None


def _one(headers: tuple[tuple[str, str], ...], name: str) -> str:
    return next((value.strip() for named, value in headers if named == name), "")


def _text(value: bytes) -> str:
    """A header's value; some send UTF-8, which the standard does not know."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _in_words(error: Exception, host: str) -> FetchError:
    if isinstance(error, httpcore.TimeoutException):
        return late(f"the answer of {host}")
    if isinstance(error, httpcore.ConnectError):
        return _not_connected(error, host)
    if isinstance(error, httpcore.LocalProtocolError):
        return FetchError("a header cannot be sent as it is written; change it or leave it out")
    if isinstance(error, httpcore.RemoteProtocolError) and not str(error).startswith(_EARLY):
        long = "Receive buffer too long" in str(error)
        return FetchError(f"{host} answers with {'headers that are too long' if long else 'what is no HTTP'}")
    return FetchError(f"{host} broke the connection off before its answer was whole; try again later")


def _not_connected(error: Exception, host: str) -> FetchError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return FetchError(f"the certificate of {host} does not hold ({error}), so nothing was sent")
        if isinstance(cause, ssl.SSLError):
            return FetchError(f"no secure connection to {host} came about: {error}")
        cause = cause.__cause__ or cause.__context__
    return FetchError(f"{host} takes no connection: {error}")
