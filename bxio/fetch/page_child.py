"""The process that reads a stranger's HTML: ``python -m bxio.fetch.page_child``, bytes in, text out.

Its first line is JSON with the page's type and address, the rest is the page. It says ``+`` and the text, or
``-`` and a sentence. It has little time and memory, opens nothing, and starts nothing.
"""

from __future__ import annotations

import json
import resource
import sys

from bxcore.page_text import NotReadable, page_text

CPU_S = 20
MEMORY = 1_500_000_000
"""Bytes of address space; a real page takes a tenth."""
DEPTH = 15_000
"""Frames; the parser itself goes no deeper than 2,048 elements."""


def main() -> None:
    """Read a page from the input and write its text."""
    page_text("text/html", b"<p>warm up", "")  # loads the libraries, before there is little memory
    sys.setrecursionlimit(DEPTH)
    _limit()
    head, _, body = sys.stdin.buffer.read().partition(b"\n")
    page = json.loads(head)
    try:
        said = "+" + page_text(page["type"], body, page["url"])
    except NotReadable as error:
        said = "-" + error.sentence
    sys.stdout.buffer.write(said.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _limit() -> None:
    limits = {
        resource.RLIMIT_CPU: CPU_S,
        resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for what, wanted in limits.items():
        _, hard = resource.getrlimit(what)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
