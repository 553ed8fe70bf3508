from __future__ import annotations

import time
from typing import Any

import pytest

from bxcore.fetch_target import parse
from bxcore.fetched import Fetched
from bxcore.page_text import NotReadable
from bxio.cut import Cut
from bxio.fetch import page
from bxio.fetch.errors import FetchError
from bxio.fetch.page import text_of

LONG_S = 20.0


def fetched(body: bytes, content_type: str = "text/html") -> Fetched:
    return Fetched(
        target=parse("https://example.org/a"),
        method="GET",
        status=200,
        headers=(("content-type", content_type),),
        body=body,
    )


def text(body: bytes, content_type: str = "text/html", **changed: Any) -> str:
    deadline_s = time.monotonic() + changed.get("within_s", LONG_S)
    return text_of(fetched(body, content_type), deadline_s, changed.get("cut") or Cut())


def test_a_page_is_read_in_the_child() -> None:
    html = "<title>Jam</title><p>caf\xe9 <a href=b>shelf</a>".encode("latin-1")
    assert text(html, "text/html; charset=iso-8859-1") == (
        "Jam\n\ncaf\xe9 shelf\n\nlinks:\nshelf: https://example.org/b"
    )


def test_what_is_no_html_needs_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "CHILD", "no.such.module")
    assert text(b"{}", "application/json") == "{}"
    with pytest.raises(NotReadable, match="image/png"):
        text(b"x", "image/png")


def test_a_child_that_fails_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "CHILD", "no.such.module")
    with pytest.raises(NotReadable, match="could not be read"):
        text(b"<p>x")


def test_a_page_that_takes_too_long_is_told_in_words() -> None:
    attributes = " ".join(f"a{number}=b" for number in range(150_000))
    with pytest.raises(NotReadable, match="took too long"):
        text(f"<p {attributes}>x".encode(), within_s=0.5)


def test_a_cut_ends_reading() -> None:
    cut = Cut()
    cut.cut()
    with pytest.raises(FetchError, match="the fetch was stopped"):
        text(b"<p>x", cut=cut)


@pytest.mark.parametrize(
    "tag", ["div", "b", "ul><li", "table><tr><td", "blockquote", "font size=1", "a href=x"]
)
def test_a_page_that_is_nested_without_end_is_read(tag: str) -> None:
    assert isinstance(text(f"<p>top</p><{tag}>".encode() + f"<{tag}>".encode() * 60_000), str)


def test_a_page_of_null_bytes_is_read() -> None:
    assert isinstance(text(bytes(100_000)), str)
