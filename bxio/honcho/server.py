"""Which Honcho server is spoken to, and the URL of each thing on it."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from bxcore import honcho_tokens
from bxcore.honcho_tokens import BadToken
from bxcore.workspaces import is_honcho_name
from bxio.deadline_http import Cut, cutting_client

__all__ = ["BadName", "BadToken", "HonchoServer", "checked", "session_path", "workspace_path"]


class BadName(ValueError):  # noqa: N818 - named for what is wrong
    """A name that no URL is built of; some servers answer 500 to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HonchoServer:
    """A server: its URL without ``/v3`` (a path prefix is kept), and its token, which is never shown.

    ``token`` may be one for all or one a workspace (``bxcore.honcho_tokens``); raises its ``BadToken``.
    ``roots`` is whom to trust with TLS; the system's certificates and httpx's bundle when it is None.
    ``transport`` makes the transport of one exchange when the server is embedded; the URL is then only a
    name.
    """

    url: str = "http://embedded"
    token: str = field(default="", repr=False)
    roots: ssl.SSLContext | None = None
    transport: Callable[[], httpx.BaseTransport] | None = None

    def __post_init__(self) -> None:
        honcho_tokens.read(self.token)

    def token_of(self, workspace: str) -> str:
        """The token to send for a workspace; empty for none."""
        return honcho_tokens.read(self.token).of(workspace)

    def client(self, workspace: str, deadline_s: float, cut: Cut) -> httpx.Client:
        """Open the client of one exchange about a workspace; ``deadline_s`` is absolute, monotonic."""
        token = self.token_of(workspace)
        headers = {"accept": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if self.transport is not None:
            return httpx.Client(
                base_url=self.url, headers=headers, transport=self.transport(), trust_env=False
            )
        return cutting_client(self.url, deadline_s, cut, headers=headers, ssl_context=self.roots)


def workspace_path(workspace: str, *rest: str) -> str:
    """Build a path under a workspace; raises ``BadName`` for a name that Honcho does not take."""
    return "/".join(("/v3/workspaces", checked(workspace), *rest))


def session_path(workspace: str, session: str, *rest: str) -> str:
    """Build a path under a session; raises ``BadName`` as ``workspace_path`` does."""
    return workspace_path(workspace, "sessions", checked(session), *rest)


def checked(name: str) -> str:
    """Give ``name`` back, or raise ``BadName``."""
    if not is_honcho_name(name):
        raise BadName(f"{name!r} is no Honcho name; use 1 to 512 letters, digits, _ or -")
    return name
