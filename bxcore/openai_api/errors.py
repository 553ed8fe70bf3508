"""A "no" in OpenAI's shape: ``{"error": {"message", "type", "param", "code"}}`` and an HTTP status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from bxcore.control.exit_codes import ErrorCode
from bxcore.http import HttpResponse, json_response

INVALID = "invalid_request_error"
SERVER = "server_error"


class ErrorBody(TypedDict):
    """What stands under ``error``; ``param`` names the key of the request that is wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorJson(TypedDict):
    """The whole body, also of an error in the middle of a stream."""

    error: ErrorBody


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiError:
    """Why there is no answer. ``again``: nothing was begun, so the same may be said once more.

    The official client tries again by itself after 408, 409, 429 and 5xx, which would say a turn twice; where
    ``again`` is False it is told not to.
    """

    status: int
    message: str
    kind: str = INVALID
    param: str | None = None
    code: str | None = None
    again: bool = False

    def json(self) -> ErrorJson:
        """Write it."""
        return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}}

    def response(self) -> HttpResponse:
        """Answer with it, whole."""
        made = json_response(self.status, self.json())
        return HttpResponse(status=made.status, body=made.body, headers={**made.headers, **self._headers()})

    def _headers(self) -> dict[str, str]:
        again = {"x-should-retry": "true" if self.again else "false"}
        if self.status == 401:  # noqa: PLR2004 - RFC 9110 wants the scheme said with it
            return {**again, "www-authenticate": "Bearer"}
        return {**again, "retry-after": "1"} if self.again else again


def invalid(message: str, param: str | None = None, code: str | None = None) -> ApiError:
    """Refuse a request as it stands."""
    return ApiError(status=400, message=message, param=param, code=code)


def of_code(code: ErrorCode, sentence: str) -> ApiError:
    """Write a "no" of the control socket in this shape; a box that is busy has begun nothing."""
    if code is ErrorCode.BUSY:
        return ApiError(status=429, message=sentence, kind="rate_limit_error", code=code.value, again=True)
    ours = code.status >= 500  # noqa: PLR2004 - the server's own failures, by RFC 9110
    return ApiError(status=code.status, message=sentence, kind=SERVER if ours else INVALID, code=code.value)


def failed_turn(sentence: str, *, begun: bool = True) -> ApiError:
    """Write a turn that ended without a reply; one that was begun is in the session's log, its words too."""
    status, code = (500, "turn_failed") if begun else (503, "not_begun")
    return ApiError(status=status, message=sentence, kind=SERVER, code=code)
