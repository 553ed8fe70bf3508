"""Answers that are a "no", in the real server's shapes: a text, or a list of what is wrong."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from bxcore.http import HttpResponse, json_response

UNEXPECTED = "An unexpected error occurred"


class HttpProblem(Exception):  # noqa: N818 - an answer, not a bug
    """A handler's "no": the status, and the ``detail`` of the body (a text, or a list of findings)."""

    def __init__(self, status: int, detail: str | list[dict[str, Any]]) -> None:
        super().__init__(f"{status}")
        self.status = status
        self.detail = detail

    @property
    def response(self) -> HttpResponse:
        """The answer to send."""
        return json_response(self.status, {"detail": self.detail})


def not_found(what: str, name: str) -> HttpProblem:
    """404 with the words that tell a missing thing from a missing route."""
    return HttpProblem(HTTPStatus.NOT_FOUND, f"{what} {name} not found")


def refused(detail: str) -> HttpProblem:
    """422 with a text: the rules that are not about the body's shape."""
    return HttpProblem(HTTPStatus.UNPROCESSABLE_ENTITY, detail)


def invalid(*findings: dict[str, Any]) -> HttpProblem:
    """422 with a list: each finding has ``type``, ``loc``, ``msg``, ``input`` and sometimes ``ctx``."""
    return HttpProblem(HTTPStatus.UNPROCESSABLE_ENTITY, list(findings))


def finding(kind: str, loc: tuple[str | int, ...], msg: str, sent: Any) -> dict[str, Any]:
    """One finding; ``sent`` is echoed, as the real server does."""
    return {"type": kind, "loc": list(loc), "msg": msg, "input": sent}


def failed() -> HttpProblem:
    """500 as the real server words it; the cause is never told."""
    return HttpProblem(HTTPStatus.INTERNAL_SERVER_ERROR, UNEXPECTED)
