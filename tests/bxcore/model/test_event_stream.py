from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.event_stream import MAX_LINE, EventStream
from bxcore.model.nonsense import Nonsense


def read(pieces: list[bytes]) -> list[str]:
    stream = EventStream()
    found = [data for piece in pieces for data in stream.feed(piece)]
    return [*found, *stream.end()]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_an_event_ends_at_an_empty_line_of_any_kind(newline: bytes) -> None:
    assert read([b"data: a" + newline * 2 + b"data: b" + newline * 2]) == ["a", "b"]


def test_lines_of_one_event_are_joined_and_other_fields_skipped() -> None:
    assert read([b": ping\nevent: x\ndata: a\ndata:b\nid: 1\n\n"]) == ["a\nb"]


def test_an_event_without_its_empty_line_is_read_at_the_end() -> None:
    assert read([b"data: a"]) == ["a"]


def test_a_byte_order_mark_is_no_part_of_a_field() -> None:
    assert read([b"\xef\xbb\xbfdata: a\n\n"]) == ["a"]


def test_bytes_that_are_no_utf_8_are_nonsense() -> None:
    with pytest.raises(Nonsense, match="no UTF-8"):
        read([b"data: \xff\n\n"])


def test_text_without_a_single_field_is_nonsense_and_pings_are_not() -> None:
    with pytest.raises(Nonsense, match="no event stream"):
        read([b"hello\n\n"])
    assert read([b": ping\n\n"]) == []
    assert read([b""]) == []


def test_a_line_without_end_is_nonsense() -> None:
    with pytest.raises(Nonsense, match="a line of over"):
        read([b"data: " + b"x" * MAX_LINE])


@given(st.data())
def test_how_the_bytes_are_cut_does_not_matter(data: st.DataObject) -> None:
    texts = data.draw(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1), max_size=4)
    )
    newline = data.draw(st.sampled_from([b"\n", b"\r\n"]))
    whole = b"".join(b"data: " + text.encode() + newline * 2 for text in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(pieces) == texts
