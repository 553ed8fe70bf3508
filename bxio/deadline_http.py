"""An httpx client for one exchange: a fresh connection, one absolute deadline, and a ``Cut``.

No thread watches over it. A silent, a dripping and a half-open server end at the deadline by themselves,
because each read and write is granted only what is left (``bxio.deadline_socket``); ``Cut.cut`` ends the
exchange earlier, from any thread. Resolving a name is the one step that nothing ends.
"""

from __future__ import annotations

import contextlib
import functools
import ssl
from collections.abc import Iterator, Mapping

import httpcore
import httpx

from bxio.cut import Cut
from bxio.deadline_socket import DeadlineBackend

__all__ = ["Cut", "TooLong", "cutting_client", "read_capped", "trusted_roots"]


class TooLong(Exception):  # noqa: N818 - an expected answer of a server, named for what it is
    """A body went past its cap, in bytes; the rest was not read."""


def cutting_client(  # noqa: PLR0913 - one place for what an exchange needs
    base_url: str,
    deadline_s: float,
    cut: Cut,
    *,
    headers: Mapping[str, str] | None = None,
    socket_path: str | None = None,
    connect_s: float | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> httpx.Client:
    """Make the client of one exchange; use it in a ``with`` and let it go.

    ``deadline_s`` is absolute, on the monotonic clock, for everything the client does: past it a step raises
    ``httpx.TimeoutException``. After ``cut.cut()`` a step raises another ``httpx.TransportError``, and
    ``cut.was_cut`` tells why. ``connect_s`` bounds each connect on its own.
    ``socket_path`` is a unix socket to connect to in place of the URL's host.
    Redirects are not followed; proxies and credentials of the environment are not used.
    Raises ``httpx.InvalidURL`` for a base that is no URL or whose host is no name that can be.
    """
    secure = _url(base_url).scheme == "https"
    pool = httpcore.ConnectionPool(
        ssl_context=(ssl_context or trusted_roots()) if secure else None,
        max_keepalive_connections=0,
        uds=socket_path,
        network_backend=DeadlineBackend(deadline_s, cut, connect_s),
    )
    own = {"accept-encoding": "identity", "user-agent": "boxmaker"}
    return httpx.Client(
        base_url=base_url,
        headers={**own, **(headers or {})},
        transport=_Transport(pool),
        follow_redirects=False,
        trust_env=False,
    )


def read_capped(response: httpx.Response, cap_bytes: int) -> bytes:
    """Read a streamed response's body, undecoded; raises ``TooLong`` as soon as it is past ``cap_bytes``."""
    read = bytearray()
    for piece in response.iter_raw():
        read += piece
        if len(read) > cap_bytes:
            raise TooLong(f"the body is over {cap_bytes} bytes")
    return bytes(read)


def _url(text: str) -> httpx.URL:
    """The URL, its host looked at now: httpx would raise the ``UnicodeError`` of IDNA later, anywhere."""
    url = httpx.URL(text)
    try:
        _ = url.host
    except UnicodeError:
        raise httpx.InvalidURL("its host is no name that can be") from None
    return url


@functools.cache
def trusted_roots() -> ssl.SSLContext:
    """The system's roots and httpx's bundle, read once and only for the first https URL (about 16 ms)."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


class _Transport(httpx.BaseTransport):
    """httpx's own transport over a pool that it would not let us hand in."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        core = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _in_httpx_words():
            answer = self._pool.handle_request(core)
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _in_httpx_words():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextlib.contextmanager
def _in_httpx_words() -> Iterator[None]:
    """Raise httpcore's exceptions as httpx's of the same name, the names being the contract between them."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error
    except httpcore.UnsupportedProtocol as error:
        raise httpx.UnsupportedProtocol(str(error)) from error
