"""What a body is: HTML, other text, or what nobody reads."""

from __future__ import annotations

import re
from enum import Enum

_TEXT = re.compile(
    r"text/[^;]*|application/(?:[^;]*\+)?(?:json|xml|yaml|x-yaml|toml|x-ndjson|jsonl|javascript|x-javascript"
    r"|ecmascript|sql|x-sh|rtf|graphql|x-www-form-urlencoded)|image/svg\+xml|message/[^;]*"
)
_LOOKED_AT = 1024
_HTML_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)


class Kind(Enum):
    """How a body is read."""

    HTML = "html"
    TEXT = "text"
    OTHER = "other"


def kind_of(content_type: str, body: bytes) -> Kind:
    """Go by the header, and by the body's beginning where there is none."""
    named = content_type.partition(";")[0].strip().lower()
    if named in ("text/html", "application/xhtml+xml"):
        return Kind.HTML
    if named:
        return Kind.TEXT if _TEXT.fullmatch(named) else Kind.OTHER
    if _HTML_BEGINS.match(body):
        return Kind.HTML
    return Kind.OTHER if b"\0" in body[:_LOOKED_AT] else Kind.TEXT
