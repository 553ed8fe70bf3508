"""HTML as a person would read it: its title, its text in blocks, lists and tables, and some of its links.

lxml parses and inscriptis lays out; see ``docs/decisions/page-text.md``. Both are C and Python code that a
stranger feeds, so the caller that has a network runs this in a process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from bxcore.errors import SentenceError

MAX_TEXT = 1_000_000
"""Characters of a page's text."""
MAX_LINKS = 40
"""Links that are listed below the text."""
MAX_LINK = 300
"""Characters of a link; a longer one is left out."""
MAX_LINK_TEXT = 80
UNSEEN = frozenset({"script", "style", "template", "svg", "math", "iframe", "object", "noembed", "noframes"})
_UNSEEN_STYLE = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]{0,200}\n){2,}")


class NotReadable(SentenceError):  # noqa: N818 - an expected "no", named for what it is
    """A body that is not turned into text; the sentence says what it is."""


def html_text(text: str, url: str) -> str:
    """Turn HTML into text; ``url`` is where it was, so that its links are whole. Raises ``NotReadable``."""
    try:
        tree = _tree(text)
        if tree is None:
            return ""
        title = _one_line(tree.findtext(".//title") or "")
        _drop_unseen(tree)
        laid_out = _laid_out(tree)
        links = "\n".join(_links(tree, url))
    except (RecursionError, MemoryError, ValueError, TypeError, LookupError, AttributeError):
        raise NotReadable("the page's HTML is too broken to be read") from None
    parts = (title, laid_out[:MAX_TEXT], f"links:\n{links}" if links else "")
    return "\n\n".join(part for part in parts if part)


def _tree(text: str) -> Any:
    from lxml import etree, html  # type: ignore[import-untyped]  # it has no types

    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # there is nothing in it
        return None
    except etree.LxmlError:
        raise NotReadable("the page's HTML is too broken to be read") from None


def _drop_unseen(tree: Any) -> None:
    """Take out what no reader sees: what is said there is said to machines alone."""
    unseen = [element for element in tree.iter() if element is not tree and _is_unseen(element)]
    for element in unseen:
        if element.getparent() is not None:
            element.drop_tree()


def _is_unseen(element: Any) -> bool:
    if element.tag in UNSEEN or "hidden" in element.attrib:
        return True
    style = element.attrib.get("style")
    return style is not None and _UNSEEN_STYLE.search(style) is not None


def _laid_out(tree: Any) -> str:
    from inscriptis.html_engine import Inscriptis  # type: ignore[import-untyped]  # it has no types

    text: str = Inscriptis(tree).get_text()
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return _BLANK_LINES.sub("\n\n", lines).strip("\n")


def _links(tree: Any, url: str) -> Iterator[str]:
    """The first links that lead to another page, each address once: ``text: address``."""
    seen = {url}
    for element in tree.iter("a"):
        address = _address(element.attrib.get("href", ""), url)
        said = _one_line(element.text_content()[: 4 * MAX_LINK_TEXT])[:MAX_LINK_TEXT]
        if address is None or address in seen or not said:
            continue
        seen.add(address)
        yield f"{said}: {address}"
        if len(seen) > MAX_LINKS:
            return


def _address(href: str, url: str) -> str | None:
    if not href.strip() or len(href) > MAX_LINK:
        return None
    try:
        address = urljoin(url, href.strip()).partition("#")[0]
    except ValueError:
        return None
    fit = address.startswith(("http://", "https://")) and address.isprintable() and len(address) <= MAX_LINK
    return address if fit else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
