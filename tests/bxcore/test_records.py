"""The log's records: what is dumped is read again, and what is missing counts as the worst."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import journal
from bxcore.labels import TOP, Level
from bxcore.records import (
    Assistant,
    CacheLoss,
    Record,
    RecordError,
    SessionStart,
    ToolCall,
    ToolResult,
    Usage,
    User,
    dump,
    read,
    whole,
)

texts = st.text(max_size=30)
counts = st.integers(0, 2**40)
levels = st.sampled_from(Level)
calls = st.builds(ToolCall, id=texts, name=texts, arguments=texts)
all_records: st.SearchStrategy[Record] = st.one_of(
    st.builds(SessionStart, baseline=texts, level=levels, untrusted=st.booleans(), schema=counts, log=texts),
    st.builds(User, text=texts, speaker=st.none() | texts, at=texts),
    st.builds(
        Assistant,
        content=texts,
        reasoning=st.none() | texts,
        tool_calls=st.lists(calls, max_size=3).map(tuple),
    ),
    st.builds(Usage, prompt=counts, cached=counts, completion=counts, failed=st.none() | texts),
    st.builds(CacheLoss, had=counts, cached=counts),
    st.builds(
        ToolResult,
        call=texts,
        tool=texts,
        content=texts,
        ok=st.booleans(),
        level=levels,
        untrusted=st.booleans(),
    ),
)


@given(st.lists(all_records, max_size=6))
def test_what_is_dumped_is_read_again(log: list[Record]) -> None:
    lines = [dump(record) for record in log]
    assert all(line.isascii() and "\n" not in line for line in lines)
    assert read("".join(f"{line}\n" for line in lines).encode()) == tuple(log)
    framed, _ = journal.frame(lines, 0, journal.START, first=0)
    assert read(framed) == tuple(log)


def test_the_line_of_a_tool_result_says_its_class() -> None:
    result = ToolResult(call="c1", tool="recall", content="ü", ok=True, level=Level.PRIVATE, untrusted=False)
    assert dump(result) == (
        '{"kind":"tool_result","call":"c1","tool":"recall","content":"\\u00fc","ok":true,'
        '"class":"private","untrusted":false}'
    )


@pytest.mark.parametrize("label", ["", '"class":"privat",', '"class":null,', '"class":1,"untrusted":0,'])
def test_a_missing_or_unknown_label_is_secret_and_untrusted(label: str) -> None:
    line = f'{{"kind":"tool_result",{label}"call":"1","tool":"x","content":"","ok":true}}\n'
    (record,) = read(line.encode())
    assert isinstance(record, ToolResult)
    assert record.label == TOP


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{}", "no record that this version knows"),
        ("[1]", "no record that this version knows"),
        ('{"kind":"dream"}', "no record that this version knows"),
        ('{"kind":["user"]}', "no record that this version knows"),
        ("nothing", "no JSON"),
        ('{"kind":"user"}', "user without a right 'text'"),
        ('{"kind":"user","text":5}', "user without a right text"),
        ('{"kind":"assistant","content":"","tool_calls":{}}', "assistant without a right tool_calls"),
        ('{"kind":"assistant","content":"","tool_calls":[1]}', "assistant without a right tool_calls"),
        ('{"kind":"usage","prompt":true,"cached":0,"completion":0}', "usage without a right prompt"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_line_that_is_no_record_is_named(line: str, problem: str) -> None:
    good = dump(User(text="hi"))
    with pytest.raises(RecordError, match=f"line 2 of the log is .*{problem}"):
        read(f"{good}\n{line}\n".encode())


def test_a_torn_bare_last_line_is_left_out() -> None:
    line = dump(User(text="hi"))
    assert read(f"{line}\n{line[:-3]}".encode()) == (User(text="hi"),)
    assert read(f"{line}\n{line}".encode()) == (User(text="hi"), User(text="hi"))


HALVES = st.integers(0xD800, 0xDFFF).map(chr)
CHARACTERS = st.characters(exclude_categories=["Cs"])


@given(st.lists(HALVES | CHARACTERS))
def test_half_a_character_becomes_one_mark_as_it_is_and_as_bytes(letters: list[str]) -> None:
    wanted = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in letters)
    as_bytes = "".join(letters).encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    assert whole("".join(letters)) == wanted or "\udced" in letters
    assert whole(as_bytes) == wanted


def test_half_a_character_in_a_bare_line_s_bytes_becomes_one_mark() -> None:
    line = b'{"kind":"user","text":"a\xed\xa0\x80b\xff"}\n'
    assert read(line) == (User(text="a\ufffdb\ufffd"),)


def test_half_a_character_never_reaches_a_log() -> None:
    assert read(dump(User(text="a\ud800b")).encode()) == (User(text="a\ufffdb"),)
    assert read(b'{"kind":"user","text":"\\udfff"}\n') == (User(text="\ufffd"),)
    assert read(b'{"kind":"user","text":"\\ud83d\\ude00"}\n') == (User(text="\U0001f600"),)


def test_a_record_of_a_later_minor_version_may_say_more() -> None:
    assert read(json.dumps({"kind": "user", "text": "hi", "mood": "good"}).encode()) == (User(text="hi"),)


@pytest.mark.parametrize(("said", "is_so"), [(False, False), (True, True), ("no", True), (0, True)])
def test_a_start_is_trusted_only_when_it_says_so_or_says_nothing(said: object, *, is_so: bool) -> None:
    line = {"kind": "session_start", "baseline": "", "class": "private", "schema": 1, "untrusted": said}
    assert read(json.dumps(line).encode()) == (SessionStart(baseline="", untrusted=is_so),)


def test_a_start_of_before_logs_had_names_is_read() -> None:
    line = b'{"kind":"session_start","baseline":"ab","class":"private","schema":1}\n'
    assert read(line) == (SessionStart(baseline="ab"),)
