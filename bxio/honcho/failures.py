"""Which of ``bxio.honcho.errors`` an answer or a broken exchange is; no text of theirs is kept."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus

import httpx

from bxcore.retry_after import retry_after_s
from bxio.honcho import errors

_BY_STATUS: Mapping[int, type[errors.HonchoUnavailable]] = {
    HTTPStatus.UNAUTHORIZED: errors.TokenRefused,
    HTTPStatus.FORBIDDEN: errors.Forbidden,
    HTTPStatus.UNPROCESSABLE_ENTITY: errors.Refused,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: errors.TooLarge,
    HTTPStatus.REQUEST_URI_TOO_LONG: errors.TooLarge,
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: errors.TooLarge,
    HTTPStatus.TOO_MANY_REQUESTS: errors.TooManyRequests,
    HTTPStatus.BAD_GATEWAY: errors.GatewayFailed,
    HTTPStatus.SERVICE_UNAVAILABLE: errors.GatewayFailed,
    HTTPStatus.GATEWAY_TIMEOUT: errors.GatewayFailed,
}

# X509_V_ERR_… of OpenSSL's x509_vfy.h.
_NOT_YET_VALID, _EXPIRED, _OTHER_NAME, _OTHER_ADDRESS = 9, 10, 62, 64


def of_answer(response: httpx.Response) -> errors.HonchoUnavailable:
    """Name an answer that is no success, and no 404, by its status."""
    status = response.status_code
    if response.is_redirect:
        return errors.Redirected(status)
    kind = _BY_STATUS.get(status)
    if kind is None:
        kind = errors.ServerFailed if status >= HTTPStatus.INTERNAL_SERVER_ERROR else errors.Unexpected
    failure = kind(status)
    failure.retry_after_s = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC))
    return failure


def of_404(body: bytes) -> errors.HonchoUnavailable:
    """Only the text tells the two apart: a missing workspace, and a server without the route."""
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return errors.NoSuchRoute(HTTPStatus.NOT_FOUND)
    text = detail if isinstance(detail, str) else ""
    if text.startswith("Workspace ") and text.endswith(" not found"):
        return errors.NoSuchWorkspace(HTTPStatus.NOT_FOUND)
    kind = errors.NoSuchRoute if text == "Not Found" else errors.NotFound
    return kind(HTTPStatus.NOT_FOUND)


def of_transport(error: Exception) -> errors.HonchoUnavailable:
    """Name what a transport error is, from its type and its causes; its text may hold anything."""
    if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return _not_connected(error)
    if isinstance(error, httpx.RemoteProtocolError) and not _ended_early(error):
        return errors.NotHttp()
    return errors.Reset()


def _not_connected(error: Exception) -> errors.Unreachable:
    for cause in _causes(error):
        match cause:
            case ssl.SSLCertVerificationError():
                return errors.NotTrusted(detail=_certificate(cause.verify_code))
            case ssl.SSLError():
                return errors.NoTls()
            case socket.gaierror() | UnicodeError():
                return errors.NoSuchHost()
            case ConnectionRefusedError():
                return errors.ConnectionRefused()
            case _:
                continue
    return errors.Unreachable()


def _certificate(verify_code: int) -> str | None:
    if verify_code in {_OTHER_NAME, _OTHER_ADDRESS}:
        return "the server's certificate is for another name"
    if verify_code in {_EXPIRED, _NOT_YET_VALID}:
        return "the server's certificate is not valid at this time"
    return None


def _ended_early(error: httpx.RemoteProtocolError) -> bool:
    return str(error).startswith(("Server disconnected", "peer closed connection"))


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__  # the pool drops the first of them
