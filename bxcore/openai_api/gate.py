"""Who is let in from TCP: requests for the two paths, to this very address, with the token.

An address on the loopback is no proof of anything: any program of this machine reaches it, and so does a web
page, by a name that its owner points here (DNS rebinding). So ``Host`` must be one of our own, ``Origin``,
when there, too, and no header that would let another page in (CORS) is ever sent.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from bxcore.http import HttpRequest
from bxcore.openai_api import CHAT, MODELS, PATHS
from bxcore.openai_api.errors import ApiError

NAMES = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT = 80
_SCHEME = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The door at ``port``; ``token`` is never shown."""

    port: int
    token: str = field(repr=False)

    def refused(self, request: HttpRequest) -> ApiError | None:
        """Why the request is not answered, None when it is. The address comes first, then token and path."""
        if request.headers.get("host", "").lower() not in self._hosts():
            message = f"the Host header is not this box's address; ask http://{NAMES[0]}:{self.port}"
            return ApiError(status=403, message=message, code="wrong_host")
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self._hosts()}:
            message = "a page of another address may not ask here; ask from its server instead"
            return ApiError(status=403, message=message, code="wrong_origin")
        if not self._knows(request.headers.get("authorization", "")):
            message = "the token is wrong or missing; send the one of [api] token_file as a bearer token"
            return ApiError(status=401, message=message, code="invalid_api_key")
        return wrong_way(request)

    def _hosts(self) -> frozenset[str]:
        bare = NAMES if self.port == _HTTP_PORT else ()
        return frozenset((*(f"{name}:{self.port}" for name in NAMES), *bare))

    def _knows(self, authorization: str) -> bool:
        """Compare in a time that says nothing of the token."""
        given = authorization[len(_SCHEME) :].strip().encode("latin-1", "replace")
        bearer = authorization[: len(_SCHEME)].lower() == _SCHEME
        return hmac.compare_digest(given, self.token.encode("ascii")) and bearer


def wrong_way(request: HttpRequest) -> ApiError | None:
    """Refuse a path that is none of the two, and a wrong method for one of them."""
    if request.path not in PATHS:
        message = f"there is no such path; use {CHAT} or {MODELS}"
        return ApiError(status=404, message=message, code="unknown_url")
    method = "POST" if request.path == CHAT else "GET"
    if request.method == method:
        return None
    return ApiError(status=405, message=f"{request.path} takes {method} only", code="wrong_method")
