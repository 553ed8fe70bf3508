"""The arguments of ``http_fetch`` (spec 1.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

HTTP_FETCH = "http_fetch"
METHODS = ("GET", "HEAD", "POST")
MAX_URL = 2048
"""Characters of a URL."""
MAX_HEADERS = 16
MAX_HEADER_VALUE = 2048
"""Characters of a header's value."""
MAX_BODY = 32_768
"""Characters of a body."""
MAX_FETCH = 1_048_576
"""Bytes of an answer that are read."""
DEFAULT_FETCH = 262_144

HOP_BY_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers of one connection, not of the request (RFC 9110, section 7.6.1)."""
SET_BY_US = frozenset({"host", "content-length"})

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_URL = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class HttpFetchArgs:
    """One HTTP request, and how many bytes of its answer are read."""

    TOOL: ClassVar[str] = HTTP_FETCH
    SHAPE: ClassVar[Mapping[str, Kind]] = {
        "url": Kind.TEXT,
        "method": Kind.TEXT,
        "headers": Kind.TEXT_MAP,
        "body": Kind.TEXT,
        "max_bytes": Kind.WHOLE,
    }

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    max_bytes: int = DEFAULT_FETCH

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: url, method, headers, body, max_bytes."""
        _check_url(self.url)
        if self.method not in METHODS:
            raise ArgsError("method is not known; write GET, HEAD or POST")
        _check_headers(self.headers)
        if self.body and self.method != "POST":
            raise ArgsError(f"{self.method} carries no body; leave body out, or use POST")
        if len(self.body) > MAX_BODY:
            raise ArgsError(
                f"body has {len(self.body)} characters, over the limit of {MAX_BODY}; send a shorter one"
            )
        if not 1 <= self.max_bytes <= MAX_FETCH:
            raise ArgsError(f"max_bytes is out of range; write a whole number from 1 to {MAX_FETCH}")


def _check_url(url: str) -> None:
    from urllib.parse import urlsplit

    if not url.strip():
        raise ArgsError("url is empty; write an http or https address")
    if len(url) > MAX_URL:
        raise ArgsError(f"url has {len(url)} characters, over the limit of {MAX_URL}; write a shorter one")
    if not _URL.fullmatch(url) or "\\" in url:
        raise ArgsError("url holds a space, a backslash or a character that is not ASCII; percent-encode it")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ArgsError("url is no address; write one such as https://example.org/page") from None
    if parts.scheme not in ("http", "https"):
        raise ArgsError("url is neither http nor https; write an http or https address")
    if "@" in parts.netloc:
        raise ArgsError("url holds a user name or password; leave out what stands before the @")
    if not host or port == 0:
        raise ArgsError("url is no address; write one such as https://example.org/page")


def _check_headers(headers: Mapping[str, str]) -> None:
    if len(headers) > MAX_HEADERS:
        raise ArgsError(f"headers has {len(headers)}, over the limit of {MAX_HEADERS}; send fewer headers")
    seen: set[str] = set()
    for name, value in headers.items():
        _check_header(name, value)
        if name.lower() in seen:
            raise ArgsError(f"headers names {name} twice; give each header once")
        seen.add(name.lower())


def _check_header(name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise ArgsError("a header's name has 1 to 64 letters, digits or -; write one such as Accept")
    if name.lower() in HOP_BY_HOP | SET_BY_US:
        raise ArgsError(f"the header {name} is set for you; leave it out")
    if len(value) > MAX_HEADER_VALUE:
        raise ArgsError(
            f"the header {name} has {len(value)} characters, over the limit of {MAX_HEADER_VALUE}; send less"
        )
    if any(not (" " <= character <= "~" or character == "\t") for character in value):
        raise ArgsError(f"the header {name} holds a character that is not printable ASCII; leave it out")
