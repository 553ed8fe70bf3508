from __future__ import annotations

from typing import Any

from bxcore.fetch_target import parse
from bxcore.fetched import MAX_SHOWN_HEADERS, Fetched, answer, failure, first_line, unread
from bxcore.labels import Label, Level

UNTRUSTED = Label(Level.PUBLIC, untrusted=True)


def fetched(**changed: Any) -> Fetched:
    usual: dict[str, Any] = {
        "target": parse("https://example.org/page"),
        "method": "GET",
        "status": 200,
        "headers": (("content-type", "text/html; charset=utf-8"),),
        "body": b"x" * 12_345,
    }
    return Fetched(**{**usual, **changed})


def test_an_answer_begins_with_its_facts() -> None:
    told = answer(fetched(), "the text\n")
    assert told.content == "HTTP 200 · text/html · 12,345 bytes · https://example.org/page\n\nthe text"
    assert told.ok
    assert told.label == UNTRUSTED


def test_a_cut_is_said() -> None:
    assert "cut: the first 12,345 of 99,999 bytes" in first_line(fetched(cut=True, length=99_999))
    assert "cut: the first 12,345 bytes" in first_line(fetched(cut=True))


def test_a_status_from_400_on_is_no_success() -> None:
    assert answer(fetched(status=399), "").ok
    assert not answer(fetched(status=400), "").ok
    assert "HTTP 503" in answer(fetched(status=503), "busy").content


def test_a_head_shows_its_headers_and_no_cookie() -> None:
    headers = (("content-type", "text/plain"), ("set-cookie", "id=secret"), ("etag", '"a\x1bb"'))
    told = answer(fetched(method="HEAD", body=b"", headers=headers, length=77), "")
    assert told.content.split("\n") == [
        "HTTP 200 · text/plain · 77 bytes · https://example.org/page",
        "",
        "content-type: text/plain",
        'etag: "a b"',
    ]


def test_many_headers_are_cut_and_counted() -> None:
    headers = tuple((f"x-{number}", "y") for number in range(MAX_SHOWN_HEADERS + 3))
    assert answer(fetched(method="HEAD", headers=headers), "").content.endswith("… and 3 more")


def test_a_content_type_forges_no_line() -> None:
    line = first_line(fetched(headers=(("content-type", "text/x\nHTTP 200" + "a" * 500),)))
    assert "\n" not in line
    assert len(line) < 250
    assert "no content type" in first_line(fetched(headers=()))


def test_no_answer_is_a_failure_with_the_same_label() -> None:
    told = failure("example.org has no address; check the name")
    assert (told.ok, told.label) == (False, UNTRUSTED)


def test_what_is_not_shown_is_told_with_its_facts() -> None:
    told = unread(fetched(), "only text is shown")
    assert not told.ok
    assert told.content.endswith("https://example.org/page\n\nonly text is shown")
