from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.page_text import Kind, NotReadable, decode, html_text, kind_of, page_text
from bxcore.page_text.html import MAX_LINKS, MAX_TEXT

URL = "https://example.org/a/b"


def shown(html: str) -> str:
    return page_text("text/html; charset=utf-8", html.encode(), URL)


def test_a_page_begins_with_its_title() -> None:
    assert (
        shown("<title> The\n larder </title><h1>Jam</h1><p>on the shelf")
        == "The larder\n\nJam\n\non the shelf"
    )


def test_lists_and_tables_stay_readable() -> None:
    text = shown("<ul><li>one<li>two</ul><table><tr><td>a<td>b<tr><td>c<td>d</table>")
    assert "* one\n" in text
    assert "* two" in text
    assert "a  b\nc  d" in text


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>X</script>",
        "<style>X</style>",
        "<template>X</template>",
        "<p hidden>X</p>",
        "<p style='color:red; DISPLAY : none'>X</p>",
        "<p style='visibility:hidden'>X</p>",
        "<!-- X -->",
        "<svg><text>X</text></svg>",
        "<iframe>X</iframe>",
        "<div hidden><p>X<div hidden>X</div></div>",
    ],
)
def test_what_no_reader_sees_is_left_out(unseen: str) -> None:
    assert shown(f"<p>before {unseen} after") in ("before after", "before  after", "before\n\nafter")


def test_links_are_whole_listed_once_and_lead_elsewhere() -> None:
    text = shown(
        "<p><a href='c'>see</a> <a href='/d#x'>that</a> <a href='//other.org/'>other</a> "
        "<a href='c'>again</a> <a href='javascript:x'>js</a> "
        "<a href='#top'>top</a> <a href='mailto:a@b'>mail</a> <a href='/e'></a>"
    )
    assert text.partition("links:\n")[2].split("\n") == [
        "see: https://example.org/a/c",
        "that: https://example.org/d",
        "other: https://other.org/",
    ]


def test_no_more_links_than_the_limit_are_listed() -> None:
    text = shown("".join(f"<a href=/{number}>x</a>" for number in range(MAX_LINKS + 5)))
    assert text.count("https://") == MAX_LINKS


def test_the_text_has_a_limit() -> None:
    assert len(shown("word " * 300_000)) == MAX_TEXT


def test_a_page_nested_deep_is_read_or_refused() -> None:
    for tag in ("div", "b", "ul><li", "table><tr><td", "font"):
        with contextlib.suppress(NotReadable):
            shown(f"<{tag}>" * 20_000)


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"", Kind.HTML),
        ("Application/XHTML+xml; charset=x", b"", Kind.HTML),
        ("text/plain", b"<html>", Kind.TEXT),
        ("application/json", b"", Kind.TEXT),
        ("application/ld+json", b"", Kind.TEXT),
        ("application/atom+xml", b"", Kind.TEXT),
        ("text/markdown", b"", Kind.TEXT),
        ("application/pdf", b"", Kind.OTHER),
        ("image/png", b"", Kind.OTHER),
        ("application/octet-stream", b"", Kind.OTHER),
        ("nonsense", b"", Kind.OTHER),
        ("", b" <!DOCTYPE html><p>", Kind.HTML),
        ("", b"plain words", Kind.TEXT),
        ("", b"\x89PNG\0\0", Kind.OTHER),
    ],
)
def test_the_header_says_what_a_body_is_and_else_its_beginning(
    content_type: str, body: bytes, kind: Kind
) -> None:
    assert kind_of(content_type, body) is kind


def test_text_and_json_are_shown_as_they_are() -> None:
    assert page_text("application/json", b'{"a": "<b>"}\n', URL) == '{"a": "<b>"}\n'
    assert page_text("text/plain", b"  <p>\n", URL) == "  <p>\n"


def test_what_is_no_text_is_named_with_its_size() -> None:
    with pytest.raises(NotReadable, match=r"this is application/pdf, 12,345 bytes; only text is shown"):
        page_text("application/pdf", b"x" * 12_345, URL)


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/html", "ü".encode(), "ü"),
        ("text/html; charset=ISO-8859-1", b"\xfc\x80", "ü€"),
        ('text/html; charset="windows-1252"', b"\x80", "€"),
        ("text/html; charset=koi8-r", "да".encode("koi8-r"), "да"),
        ("text/html; charset=shift_jis", "日本".encode("shift_jis"), "日本"),
        ("text/html", b"<meta charset='iso-8859-1'>\xfc", "<meta charset='iso-8859-1'>ü"),
        ("text/html; charset=utf-8", b"\xff\xfe\xfc\x00", "ü"),
        ("text/html; charset=koi8-r", b"\xef\xbb\xbf\xc3\xbc", "ü"),
        ("text/html", b"<meta charset=utf-16>\xc3\xbc", "<meta charset=utf-16>ü"),
        ("text/html", b"a\xffb", "a\ufffdb"),
        ("text/html; charset=no-such", "ü".encode(), "ü"),
        ("text/html; charset=punycode", b"tda", "tda"),
        ("text/html; charset=unicode_escape", rb"\u0041", r"\u0041"),
        ("text/html; charset=hex", b"41", "41"),
        ("text/html; charset=utf-7", b"+ADw-", "+ADw-"),
        ("text/html; charset=\0", b"x", "x"),
    ],
)
def test_the_charset_is_by_mark_header_and_page(content_type: str, body: bytes, text: str) -> None:
    assert decode(content_type, body) == text


PIECES = """<p> </p> <table> <tr> <td\tcolspan=9> <a\thref='//['> <li> <ul> <pre> &#0; <b\thidden> <br>
<title> <svg> <!-- --> <?x <![CDATA[ x \0 \ud800 &lt; <html\tstyle=display:none> <body\thidden> <head>
<img\talt=x> <ol> <q> <frameset>"""
MARKUP = st.lists(st.sampled_from(PIECES.replace("\n", " ").split(" ")), max_size=30).map("".join)


@given(st.one_of(MARKUP, st.text()))
def test_any_html_is_text_or_a_refusal(html: str) -> None:
    with contextlib.suppress(NotReadable):
        assert isinstance(html_text(html, URL), str)


@given(
    st.text(max_size=40),
    st.one_of(st.binary(max_size=200), MARKUP.map(lambda m: m.encode("utf-8", "replace"))),
)
def test_any_body_of_any_type_is_text_or_a_refusal(content_type: str, body: bytes) -> None:
    with contextlib.suppress(NotReadable):
        assert isinstance(page_text(content_type, body, URL), str)
        page_text("text/html", body, content_type)
