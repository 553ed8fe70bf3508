"""What single values of ``boxmaker.toml`` must look like; each raises ``ValueError`` with one sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bxcore import mcp_names
from bxcore.did_you_mean import hint
from bxcore.paths import socket_problem
from bxcore.sandbox.guarantees import Guarantee
from bxcore.workspaces import is_honcho_name

_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){0,126}\.?", re.ASCII)
_LAST_BYTE = 255
_LAST_PORT = 65_535
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def path_value(value: object) -> Path:
    """A path is written as text and is not empty; a NUL would cut it short in the kernel."""
    if isinstance(value, Path):
        return value
    if not isinstance(value, str):
        raise ValueError("must be a path in quotes")  # noqa: TRY004 - pydantic turns only ValueError into a problem
    if not value or "\0" in value:
        raise ValueError("is no path; leave the key out when there is none")
    return Path(value)


def socket_path(path: Path) -> Path:
    """A unix socket's path has at most 107 bytes."""
    problem = socket_problem(path)
    if problem is not None:
        raise ValueError(problem)
    return path


def auto_or_switch(value: object) -> Literal["auto"] | bool:
    """``auto``, true or false: one problem, where a union of types would make one of each branch."""
    if value == "auto" or isinstance(value, bool):
        return value
    raise ValueError('must be true, false or "auto"')


def honcho_name(name: str) -> str:
    """The names of 4.5: 1 to 512 of ASCII letters, digits, ``_`` and ``-``."""
    if not is_honcho_name(name):
        raise ValueError("is no Honcho name; use 1 to 512 of ASCII letters, digits, _ and -")
    return name


def guarantee(name: str) -> str:
    """One of the sandbox's guarantees, by its name (spec 2.5)."""
    if name not in set(Guarantee):
        names = ", ".join(Guarantee)
        raise ValueError(f"is no guarantee{hint(name, Guarantee) or f'; write some of {names}'}")
    return name


def model_url(url: str) -> str:
    """``embedded``, or an OpenAI-compatible base that ends in ``/v1``."""
    if url == "embedded":
        return url
    _http(url, 'use "embedded" or a base such as http://127.0.0.1:8080/v1')
    if not urlsplit(url).path.rstrip("/").endswith("/v1"):
        raise ValueError(
            "does not end in /v1; an OpenAI-compatible base does, such as http://127.0.0.1:8080/v1"
        )
    return url.rstrip("/")


def honcho_url(url: str) -> str:
    """``embedded``, or http(s) without ``/v3``, which the client adds."""
    if url == "embedded":
        return url
    _http(url, 'use "embedded" or a base such as http://127.0.0.1:8000')
    if urlsplit(url).path.rstrip("/").endswith("/v3"):
        raise ValueError("ends in /v3; leave that away, it is added to each request")
    return url.rstrip("/")


def mcp_name(name: str) -> str:
    """An MCP server's name stands in those of its tools."""
    if not mcp_names.fit_server(name):
        raise ValueError(f"is no name of a server; write {mcp_names.SERVER_RULE}")
    return name


def listen_address(text: str) -> str:
    """``host:port`` on the loopback; the page is never open to the network."""
    host, _, port = text.rpartition(":")
    if host.strip("[]") not in _LOOPBACK:
        raise ValueError("listens on the loopback only; use 127.0.0.1:PORT")
    if not (
        port.isascii() and port.isdigit() and len(port) <= len(str(_LAST_PORT)) and int(port) <= _LAST_PORT
    ):
        raise ValueError("has no port between 0 and 65535; use 127.0.0.1:PORT")
    return text


def _http(url: str, advice: str) -> None:
    """Refuse what is no http(s) base, and one that carries a password: a URL is shown in logs."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ValueError(f"is no URL; {advice}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"is no http or https URL; {advice}")
    if not _can_be_requested(url, parts.hostname):
        raise ValueError(f"holds a character that no URL or host name has; {advice}")
    if "@" in parts.netloc:
        raise ValueError("holds a user or password; put secrets in a file and name it with the *_file key")
    if parts.query or parts.fragment:
        raise ValueError(f"has a query or a fragment; {advice}")


def _can_be_requested(url: str, host: str) -> bool:
    """Whether a client can ask there: printable ASCII, and a name or address that the network knows."""
    if not url.isascii() or not url.isprintable() or " " in url:
        return False
    if ":" in host:
        return True
    numbers = host.split(".")
    if all(map(str.isdigit, numbers)):
        return all(len(number) <= len(str(_LAST_BYTE)) and int(number) <= _LAST_BYTE for number in numbers)
    return _HOST.fullmatch(host) is not None
