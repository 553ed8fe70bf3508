"""The text of a fetched page, HTML being read in a process that a deadline and a cut can end."""

from __future__ import annotations

import json
import time

from bxcore.fetched import Fetched
from bxcore.page_text import Kind, NotReadable, kind_of, page_text
from bxio.cut import Cut
from bxio.fetch import child
from bxio.fetch.errors import stopped

CHILD = "bxio.fetch.page_child"
READ_S = 10.0
"""Seconds that reading a page may take; an ordinary one takes a tenth of a second."""
MAX_SAID = 6_000_000
"""Bytes of a text of ``MAX_TEXT`` characters, with room."""


def text_of(fetched: Fetched, deadline_s: float, cut: Cut) -> str:
    """The answer's text; raises ``NotReadable`` and ``FetchError``. ``deadline_s`` is absolute, monotonic."""
    url = fetched.target.url
    if kind_of(fetched.content_type, fetched.body) is not Kind.HTML:
        return page_text(fetched.content_type, fetched.body, url)
    question = json.dumps({"type": fetched.content_type, "url": url}).encode() + b"\n" + fetched.body
    until_s = min(deadline_s, time.monotonic() + READ_S)
    try:
        said = child.ask(CHILD, question, deadline_s=until_s, cut=cut, cap=MAX_SAID).decode()
    except TimeoutError:
        raise NotReadable("the page's HTML took too long to be read; ask for less with max_bytes") from None
    except child.ChildFailed:
        if cut.was_cut:
            raise stopped() from None
        raise NotReadable("the page's HTML could not be read; ask for less with max_bytes") from None
    if said.startswith("-"):
        raise NotReadable(said[1:])
    return said[1:]
