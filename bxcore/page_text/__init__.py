"""The readable text of what a fetch brought (spec 2.5): HTML without its marks, text and JSON as they are."""

from __future__ import annotations

from bxcore.page_text.charset import decode
from bxcore.page_text.html import NotReadable, html_text
from bxcore.page_text.kinds import Kind, kind_of

__all__ = ["Kind", "NotReadable", "decode", "html_text", "kind_of", "page_text"]


def page_text(content_type: str, body: bytes, url: str) -> str:
    """Turn a body into text; ``content_type`` is the header, empty for none, ``url`` where the page was.

    Raises ``NotReadable`` and nothing else. HTML of a stranger may take long: see ``bxio.fetch.page``.
    """
    match kind_of(content_type, body):
        case Kind.HTML:
            return html_text(decode(content_type, body), url)
        case Kind.TEXT:
            return decode(content_type, body)
        case Kind.OTHER:
            named = content_type.partition(";")[0].strip().lower()
            shown = named if named.isascii() and named.isprintable() and len(named) <= MAX_TYPE else ""
            raise NotReadable(f"this is {shown or 'no text'}, {len(body):,} bytes; only text is shown")


MAX_TYPE = 100
"""Characters of a content type that is worth showing."""
