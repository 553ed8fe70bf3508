"""Where a fetch goes: the one reading of a URL, by which it is decided and by which it is dialled (spec 2.5).

Two parsers that read one text differently are the usual way round an allow-list. So there is this one, it is
strict, and the text is gone behind it: policy and transport see a ``Target`` alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import TypeAlias
from urllib.parse import quote, urljoin

from bxcore.errors import SentenceError
from bxcore.fetch_letters import plain_label

MAX_URL = 8192
"""Characters of a URL; that of a redirect may be longer than one that a model writes."""
MAX_HOST = 253
"""Characters of a host's name (RFC 1035, less the length bytes)."""
MAX_PORT = 65_535
DEFAULT_PORTS = {"http": 80, "https": 443}

Address: TypeAlias = IPv4Address | IPv6Address

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SPLIT = re.compile(r"[A-Za-z]+://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)
_UNFIT = re.compile(
    r"[\x00-\x20\x7f-\xa0\\\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]"
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEPT = "!#$%&'()*+,-./:;=?@[]_~"
"""What a path and a query may hold as it is, besides letters and digits; the rest is percent-encoded."""


class TargetError(SentenceError):
    """A URL that is not fetched; the sentence quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class Target:
    """One place to fetch from. Two texts that mean the same place give equal values.

    ``scheme`` is ``http`` or ``https``; ``host`` a lower-case ASCII name without a trailing dot, or an
    address in its usual form, an IPv6 one without brackets; ``port`` is always a number; ``path_query``
    begins with a slash and is ASCII.
    """

    scheme: str
    host: str
    port: int
    path_query: str

    @property
    def address(self) -> Address | None:
        """The host when it is an address and no name; only a grant that says exactly it may cover it."""
        if ":" in self.host:
            return IPv6Address(self.host)
        return IPv4Address(self.host) if _ends_in_number(self.host) else None

    @property
    def has_default_port(self) -> bool:
        """Whether the port is the scheme's own."""
        return self.port == DEFAULT_PORTS[self.scheme]

    @property
    def authority(self) -> str:
        """Host and port as a ``Host`` header has them: IPv6 in brackets, the scheme's own port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.has_default_port else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port, such as ``https://example.org`` or ``http://example.org:8080``."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole of it; ``parse`` of this gives the same value."""
        return f"{self.origin}{self.path_query}"


def parse(url: str) -> Target:
    """Read a URL; raises ``TargetError`` with one sentence, and nothing else, for any text."""
    _check_length(url)
    if _UNFIT.search(url):
        raise TargetError(
            "the url holds a space, a backslash or an invisible character; percent-encode it or leave it out"
        )
    scheme = _scheme(url)
    split = _SPLIT.fullmatch(url)
    if split is None:
        raise TargetError("the url has no host; write one such as https://example.org/page")
    host, port = _authority(split[1], scheme)
    target = Target(scheme, host, port, _path_query(split[2], split[3] or ""))
    _check_length(target.url)
    return target


def follow(base: Target, location: str) -> Target:
    """Read where a redirect leads, relative to the target that answered it; raises ``TargetError``."""
    if len(location) > MAX_URL or _UNFIT.search(location):
        return parse(location)  # says what is wrong with it, before a laxer reading could mend it
    try:
        joined = urljoin(base.url, location)
    except ValueError:
        raise TargetError("the redirect leads to what is no address") from None
    return parse(joined)


def _check_length(url: str) -> None:
    if len(url) > MAX_URL:
        raise TargetError(f"the url is over the limit of {MAX_URL} characters; use a shorter one")


def _scheme(url: str) -> str:
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in DEFAULT_PORTS:
        raise TargetError("the url is neither http nor https; write an http or https address")
    return scheme


def _authority(text: str, scheme: str) -> tuple[str, int]:
    if "@" in text:
        raise TargetError("the url holds a user name or password; leave out what stands before the @")
    if "%" in text:
        raise TargetError("the url's host holds a percent sign; write the host's letters themselves")
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise TargetError("the url's host is no address in brackets; write one such as [2001:db8::1]")
        return _ipv6(host), _port(rest[1:], scheme)
    host, _, port = text.partition(":")
    return _name(host), _port(port, scheme)


def _port(text: str, scheme: str) -> int:
    if not text:
        return DEFAULT_PORTS[scheme]
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= MAX_PORT:
        raise TargetError(f"the url's port is none; write a number from 1 to {MAX_PORT}, or leave it out")
    return int(text)


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except AddressValueError:
        raise TargetError("the url's host is no IPv6 address; write one such as [2001:db8::1]") from None


def _name(text: str) -> str:
    """A host's name in its one form, or an IPv4 address written as everybody writes it."""
    if not text.strip("."):
        raise TargetError("the url has no host; write one such as https://example.org/page")
    labels = [_label(label) for label in text.removesuffix(".").split(".")]
    host = ".".join(labels)
    if len(host) > MAX_HOST:
        raise TargetError(f"the url's host is over the limit of {MAX_HOST} characters; write a shorter one")
    return _ipv4(host) if _ends_in_number(host) else host


def _label(text: str) -> str:
    if not text:
        raise TargetError("the url's host has an empty part between dots; write it without")
    label = text.lower() if text.isascii() else plain_label(text)
    if label is None:
        raise TargetError(
            "the url's host holds letters that look like others; if it is meant so, write it in its xn-- form"
        )
    if not _LABEL.fullmatch(label):
        raise TargetError(
            "the url's host is no name; each part has 1 to 63 letters, digits and -, with no - at its ends"
        )
    return label


def _ends_in_number(host: str) -> bool:
    """No name does, and the system's resolver reads every such text as an address, octal and hex too."""
    return _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _ipv4(text: str) -> str:
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        raise TargetError(
            "the url's host is an address in an unusual form; write four decimal numbers such as 192.0.2.1"
        ) from None


def _path_query(path: str, query: str) -> str:
    return quote(path or "/", safe=_KEPT) + quote(query, safe=_KEPT)
