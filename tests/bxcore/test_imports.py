"""Files of other agents: what is an entry, what an exchange, and a sentence for all else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import imports
from bxcore.imports import Conversation, Exchange, Imported


def of_json(found: object, name: str = "chat.json") -> Imported:
    return imports.read(name, json.dumps(found).encode())


def said(role: str, content: object, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


TALK = [said("user", "hello"), said("assistant", "good day")]
EXCHANGE = Exchange("hello", "good day")


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("likes tea\n§\nhas a cat\nnamed Tom\n", ("likes tea", "has a cat\nnamed Tom")),
        ("# Memory\n\n- likes tea\n- has a cat\n  named Tom\n", ("likes tea", "has a cat\nnamed Tom")),
        ("* one\n  - a part of one\n* two\n", ("one\n- a part of one", "two")),
        ("1. one\n2) two\n", ("one", "two")),
        ("A paragraph\nof two lines.\n\nAnother.\n", ("A paragraph\nof two lines.", "Another.")),
        ("- one\r\n- one\r\n\r\n---\r\n- two", ("one", "two")),
        ("\ufeff- one\n", ("one",)),
        ("\n\n# only a heading\n", ()),
    ],
)
def test_a_memory_file_is_its_entries(text: str, entries: tuple[str, ...]) -> None:
    assert imports.read("MEMORY.md", text.encode()) == Imported(entries=entries)


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (TALK, "chat.json"),
        ({"messages": TALK}, "chat.json"),
        ({"id": "c9", "messages": TALK}, "c9"),
        ([{"title": "Talk", "messages": TALK}], "Talk"),
        ([TALK], "chat.json#1"),
        ({"conversations": [{"conversation_id": "c7", "messages": TALK}]}, "c7"),
    ],
)
def test_the_shapes_of_exports_are_read(found: object, name: str) -> None:
    assert of_json(found) == Imported(conversations=(Conversation(name, (EXCHANGE,)),))


def test_a_value_a_line_is_read_too() -> None:
    lines = "\n".join(json.dumps(each) for each in TALK).encode()
    assert imports.read("chat.jsonl", lines).conversations == (Conversation("chat.jsonl", (EXCHANGE,)),)


def test_of_a_tree_the_branch_that_was_shown_last_is_read() -> None:
    def node(role: str, text: str, parent: str | None) -> dict[str, object]:
        message = {"author": {"role": role}, "content": {"parts": [text]}, "create_time": 1.7e9}
        return {"message": message, "parent": parent}

    mapping = {
        "root": {"message": None, "parent": None},
        "a": node("user", "hello", "root"),
        "b": node("assistant", "bad answer", "a"),
        "c": node("assistant", "good day", "a"),
    }
    found = of_json([{"title": "T", "mapping": mapping, "current_node": "c"}])
    assert found == Imported(
        conversations=(Conversation("T", (Exchange("hello", "good day", "2023-11-14T22:13:20+00:00"),)),)
    )


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    mapping = {"a": {"message": said("user", "x"), "parent": "b"}, "b": {"message": None, "parent": "a"}}
    assert of_json([{"mapping": mapping, "current_node": "a"}]).conversations == ()


@pytest.mark.parametrize("last", [[], {}, None, 7, "gone"])
def test_a_tree_that_does_not_say_where_it_ends_is_read_from_its_last_node(last: object) -> None:
    mapping = {"a": {"message": said("user", "x")}, "b": {"message": said("assistant", "y"), "parent": "a"}}
    [conversation] = of_json([{"mapping": mapping, "current_node": last}]).conversations
    assert conversation.exchanges == (Exchange("x", "y"),)


def test_what_nobody_said_is_left_out_and_counted() -> None:
    found = of_json([said("system", "be kind"), *TALK, said("tool", "42")])
    assert found.conversations[0].exchanges == (EXCHANGE,)
    assert found.problems == ("chat.json: 2 messages of the system and of tools are left out",)


def test_words_in_a_row_are_one_side_of_an_exchange() -> None:
    found = of_json(
        [
            said("user", "a"),
            said("user", "b"),
            said("assistant", "c"),
            said("assistant", "d"),
            said("user", "e"),
        ]
    )
    assert found.conversations[0].exchanges == (Exchange("a\n\nb", "c\n\nd"),)
    assert found.problems == ("chat.json, conversation 1: its last words have no reply and are left out",)


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ("2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00+00:00"),
        ("2026-05-01T12:00:00", "2026-05-01T12:00:00+00:00"),
        (1_700_000_000, "2023-11-14T22:13:20+00:00"),
        (1_700_000_000_000, "2023-11-14T22:13:20+00:00"),
        ("yesterday", ""),
        (1e300, ""),
        (True, ""),
        ([], ""),
    ],
)
def test_times_are_read_as_far_as_they_can_be(when: object, at: str) -> None:
    found = of_json([said("user", "hello", created_at=when), said("assistant", "good day")])
    assert found.conversations[0].exchanges == (Exchange("hello", "good day", at),)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "a"}, {"type": "image"}, "b"], "a\nb"),
        ({"text": "a"}, "a"),
        ("\ud800", "\ufffd"),
    ],
)
def test_a_message_s_text_is_found_in_its_parts(content: object, text: str) -> None:
    found = of_json([said("user", content), said("assistant", "x")])
    assert found.conversations[0].exchanges[0].user == text


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("x.md", b"\xff", "x.md is not UTF-8 text (byte 1); save it as UTF-8"),
        ("x.json", b"{", "x.json is no JSON: "),
        ("x.json", b"[" * 100_000, "x.json is nested too deeply to be read"),
        ("x.json", b"7", "x.json holds neither messages nor conversations"),
        ("x.json", b"[]", "x.json holds no exchange of a user and an assistant"),
        ("x.json", b"[7]", "x.json, conversation 1: it is no list of messages"),
        ("x.json", b"{}", "x.json: there are no messages in it"),
        ("x.json", b'[{"role":"user"},7]', "x.json, conversation 1, message 2: it has no role and text"),
        ("x.pdf", b"%PDF", "x.pdf is neither Markdown (.md, .txt) nor messages (.json, .jsonl); rename it"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(name: str, data: bytes, sentence: str) -> None:
    assert imports.read(name, data).problems[0].startswith(sentence)


def test_a_file_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxcore.imports.reading.MAX_BYTES", 3)
    assert imports.read("x.md", b"abcd").problems == ("x.md has 4 bytes and an import takes 3; split it",)


def test_many_problems_are_told_in_few_lines() -> None:
    found = of_json([7] * 50)
    assert len(found.problems) == 11
    assert found.problems[-1] == "and 40 more like these"


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "messages", "mapping", "parent", "message", "current_node", "id", "at"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(values, st.sampled_from(["x.json", "x.jsonl", "x"]))
def test_no_json_breaks_it(found: object, name: str) -> None:
    read = imports.read(name, json.dumps(found).encode())
    assert read.conversations or read.problems


@given(st.binary(max_size=60), st.sampled_from(["x.md", "x.json", "x"]))
def test_no_bytes_break_it(data: bytes, name: str) -> None:
    imports.read(name, data)
