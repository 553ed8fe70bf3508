"""From a request to a checked body or query, or a 422 in the real server's shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, TypeAdapter, ValidationError

from bxcore.http import HttpRequest
from bxio.embedded_honcho.problems import HttpProblem, finding, invalid

_M = TypeVar("_M", bound=BaseModel)
_T = TypeVar("_T")


def body_of(request: HttpRequest, model: type[_M], *, optional: bool = False) -> _M:
    """Read the JSON body as ``model``; an ``optional`` one may be missing and then has the defaults."""
    if not request.body:
        if optional:
            return model()
        raise invalid(finding("missing", ("body",), "Field required", None))
    return _checked(model.model_validate, _json(request), "body")


def value_of(request: HttpRequest, adapter: TypeAdapter[_T]) -> _T:
    """Read the JSON body as a plain value, such as a map of peers."""
    return _checked(adapter.validate_python, _json(request), "body")


def query_of(request: HttpRequest, model: type[_M]) -> _M:
    """Read the URL's query as ``model``."""
    return _checked(model.model_validate, dict(parse_qsl(request.query)), "query")


def _json(request: HttpRequest) -> Any:
    text = request.body.decode(errors="replace")
    if "json" not in request.headers.get("content-type", ""):
        message = "Input should be a valid dictionary or object to extract fields from"
        raise invalid(finding("model_attributes_type", ("body",), message, text))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _malformed(error.pos, error.msg) from None
    except (ValueError, RecursionError):
        raise _malformed(0, "the value is too large") from None


def _malformed(position: int, why: str) -> HttpProblem:
    return invalid(
        {**finding("json_invalid", ("body", position), "JSON decode error", {}), "ctx": {"error": why}}
    )


def _checked(read: Callable[[Any], _T], value: Any, where: str) -> _T:
    try:
        return read(value)
    except ValidationError as error:
        found = json.loads(json.dumps(error.errors(include_url=False), default=str))
        raise invalid(*({**each, "loc": [where, *each["loc"]]} for each in found)) from None
