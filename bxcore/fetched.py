"""What a fetch brought, and how it is told to the model (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.fetch_target import Target
from bxcore.labels import Label, Level
from bxcore.tool_answer import ToolAnswer

FETCHED = Label(Level.PUBLIC, untrusted=True)
"""A stranger's words that anybody may read; the grant's floor is joined by the broker."""
MAX_SHOWN_TYPE = 100
MAX_SHOWN_HEADERS = 40
MAX_SHOWN_VALUE = 200
_FIRST_BAD = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An answer. ``body`` is uncompressed and holds at most the bytes asked for; ``cut`` when more came.

    ``headers`` have lower-case names, in the order of arrival. ``length`` is the body's whole length in bytes
    when the server told it, else None.
    """

    target: Target
    method: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    cut: bool = False
    length: int | None = None

    @property
    def content_type(self) -> str:
        """The header of that name, empty when there is none."""
        return next((value for name, value in self.headers if name == "content-type"), "")

    @property
    def ok(self) -> bool:
        """Whether the server did as asked: any status below 400."""
        return self.status < _FIRST_BAD


def answer(fetched: Fetched, text: str) -> ToolAnswer:
    """Tell an answer to the model: one line of facts, then ``text``, or the headers of a ``HEAD``."""
    below = headers_text(fetched) if fetched.method == "HEAD" else text
    return ToolAnswer(ok=fetched.ok, content=f"{first_line(fetched)}\n\n{below}".rstrip(), label=FETCHED)


def unread(fetched: Fetched, sentence: str) -> ToolAnswer:
    """Tell of an answer that is not shown, and why; it is nothing that the model can go on with."""
    return ToolAnswer(ok=False, content=f"{first_line(fetched)}\n\n{sentence}", label=FETCHED)


def failure(sentence: str) -> ToolAnswer:
    """Tell that there is no answer; it tells about a stranger's host, and is labelled so."""
    return ToolAnswer(ok=False, content=sentence, label=FETCHED)


def first_line(fetched: Fetched) -> str:
    """Such as ``HTTP 200 · text/html · 12,345 bytes · https://example.org/page``."""
    kind = _printable(fetched.content_type.partition(";")[0].strip(), MAX_SHOWN_TYPE) or "no content type"
    return " · ".join((f"HTTP {fetched.status}", kind, _size(fetched), fetched.target.url))


def headers_text(fetched: Fetched) -> str:
    """The headers, one a line, so many of each; cookies are nobody's business."""
    shown = [
        f"{_printable(name, MAX_SHOWN_VALUE)}: {_printable(value, MAX_SHOWN_VALUE)}"
        for name, value in fetched.headers
        if name != "set-cookie"
    ]
    more = len(shown) - MAX_SHOWN_HEADERS
    return "\n".join([*shown[:MAX_SHOWN_HEADERS], *([f"… and {more} more"] if more > 0 else [])])


def _size(fetched: Fetched) -> str:
    if not fetched.cut:
        told = fetched.length if fetched.method == "HEAD" and fetched.length is not None else None
        return f"{told if told is not None else len(fetched.body):,} bytes"
    whole = f" of {fetched.length:,}" if fetched.length is not None else ""
    return f"cut: the first {len(fetched.body):,}{whole} bytes"


def _printable(text: str, most: int) -> str:
    return "".join(character if character.isprintable() else " " for character in text)[:most]
