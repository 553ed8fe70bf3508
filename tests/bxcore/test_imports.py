"""Files of other agents: what is an entry, what an exchange, and a sentence for all else."""

from __future__ import annotations

import json
from collections.abc import Mapping

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
        ("  - one\n    more\n  - two\n", ("one\nmore", "two")),
        ("\n\n# only a heading\n", ()),
    ],
)
def test_a_memory_file_is_its_entries(text: str, entries: tuple[str, ...]) -> None:
    assert imports.read("MEMORY.md", text.encode()) == Imported(entries=entries)


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (TALK, "chat.json "),
        ({"messages": TALK}, "chat.json "),
        ({"id": "c9", "messages": TALK}, "c9"),
        ([{"title": "Talk", "messages": TALK}], "Talk "),
        ([TALK], "chat.json "),
        ({"conversations": [{"conversation_id": "c7", "messages": TALK}]}, "c7"),
        (
            {"conversations": [{"from": "human", "value": "hello"}, {"from": "gpt", "value": "good day"}]},
            "chat",
        ),
        (
            [
                {
                    "uuid": "c5",
                    "name": "Talk",
                    "chat_messages": [
                        {"sender": "human", "text": "hello"},
                        {
                            "sender": "assistant",
                            "text": "",
                            "content": [{"type": "text", "text": "good day"}],
                        },
                    ],
                }
            ],
            "c5",
        ),
    ],
)
def test_the_shapes_of_exports_are_read(found: object, name: str) -> None:
    read = of_json(found)
    assert [each.exchanges for each in read.conversations] == [(EXCHANGE,)]
    assert read.problems == ()
    assert read.conversations[0].name.startswith(name)
    assert of_json(found) == read, "the same name each time"


def test_a_value_a_line_is_read_too() -> None:
    lines = "\n".join(json.dumps(each) for each in TALK).encode()
    assert [each.exchanges for each in imports.read("chat.jsonl", lines).conversations] == [(EXCHANGE,)]
    talks = "\n".join(json.dumps({"id": name, "messages": TALK}) for name in "ab").encode()
    assert [each.name for each in imports.read("chat.jsonl", talks).conversations] == ["a", "b"]


def test_lines_that_are_broken_are_all_named_and_nothing_is_taken() -> None:
    """A mended file would be another conversation otherwise."""
    lines = [json.dumps(each) for each in TALK]
    read = imports.read("x.jsonl", "\n".join([lines[0], "{", "", lines[1], "}"]).encode())
    assert read == Imported(
        problems=("x.jsonl has lines that are no JSON: 2, 5; mend them, or export it again",)
    )


def named(*talks: Mapping[str, object]) -> list[str]:
    return [each.name for each in of_json(list(talks)).conversations]


def test_conversations_of_one_title_have_names_of_their_own_wherever_they_stand() -> None:
    one = {"title": "New chat", "messages": TALK}
    two = {"title": "New chat", "messages": [said("user", "where?"), said("assistant", "here")]}
    first, second = named(one, two)
    assert first != second
    assert named(two, one) == [second, first], "an export puts the newest first"
    assert named(two, one, one) == [second, first, f"{first} (2)"]
    assert named({"id": "x", "messages": TALK}, {"id": "x", "messages": TALK}) == ["x", "x (2)"]


def test_a_grown_conversation_keeps_its_name() -> None:
    more = [*TALK, said("user", "more?"), said("assistant", "more")]
    assert named({"title": "T", "messages": TALK}) == named({"title": "T", "messages": more})
    later = said("user", "hello", created_at="2026-05-01T12:00:00")
    assert named({"title": "T", "messages": [later, TALK[1]]}) != named({"title": "T", "messages": TALK})


def test_a_name_is_never_long() -> None:
    long = named({"id": "i" * 10_000, "messages": TALK}, {"id": "i" * 10_001, "messages": TALK})
    assert [len(name) < 250 for name in long] == [True, True]
    assert long[0] != long[1]


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
    found = of_json([{"id": "T", "mapping": mapping, "current_node": "c"}])
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
    to_a_tool = said("assistant", {"content_type": "code", "text": "6*7"}, recipient="python")
    found = of_json([said("system", "be kind"), *TALK, to_a_tool, said("tool", "42"), said("User", "bye")])
    assert found.conversations[0].exchanges == (EXCHANGE,)
    assert found.problems[-1] == "chat.json: of the system and of tools 3 messages left out"
    assert "its last words have no reply" in found.problems[0]


def test_words_in_a_row_are_one_side_of_an_exchange() -> None:
    found = of_json(
        [
            said("user", "a", at="2026-05-01T10:00:00Z"),
            said("user", "b", at="2026-05-01T10:05:00Z"),
            said("assistant", "c"),
            said("assistant", "d"),
            said("user", "e"),
        ]
    )
    [exchange] = found.conversations[0].exchanges
    assert exchange == Exchange("a\n\nb", "c\n\nd", "2026-05-01T10:00:00+00:00")
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
        ({"parts": ["a", {"text": "b"}, {"asset": 1}]}, "a\nb"),
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
        ("x.json", b"9" * 5000, "x.json is no JSON: a number in it is too long; export it again"),
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


def test_a_message_that_is_very_long_is_cut_and_said() -> None:
    found = of_json([said("user", "x" * 200_001), said("assistant", "y")])
    assert len(found.conversations[0].exchanges[0].user) == 200_000
    assert found.problems == (
        "chat.json, conversation 1, message 1: it has 200,001 characters; the first 200,000 are taken",
    )


def deep(key: str, inner: object, depth: int = 300) -> object:
    for _ in range(depth):
        inner = {key: inner} if key != "[" else [inner]
    return inner


@pytest.mark.parametrize(
    "found",
    [
        deep("conversations", TALK),
        deep("messages", TALK),
        deep("[", TALK),
        [said("user", deep("parts", "x")), said("assistant", deep("text", "x"))],
        [said("user", deep("[", "x")), said("assistant", "x")],
        {"mapping": deep("message", {}), "current_node": "message"},
        {"messages": deep("content", {}), "id": deep("id", 1)},
    ],
)
def test_what_is_nested_deep_breaks_nothing(found: object) -> None:
    read = of_json(found)
    assert read.problems
    assert read.conversations == ()


def test_many_messages_are_read_in_time_with_their_number() -> None:
    mapping: dict[str, object] = {"n0": {"message": None, "parent": None}}
    for number in range(1, 20_001):
        role = "user" if number % 2 else "assistant"
        mapping[f"n{number}"] = {"message": said(role, f"text {number}"), "parent": f"n{number - 1}"}
    found = of_json([{"id": "c", "mapping": mapping, "current_node": "n20000"}])
    assert len(found.conversations[0].exchanges) == 10_000
    many = of_json([{"title": "T", "messages": TALK}] * 3_000)
    assert len({each.name for each in many.conversations}) == 3_000


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
                [
                    "role",
                    "content",
                    "messages",
                    "mapping",
                    "parent",
                    "message",
                    "current_node",
                    "id",
                    "at",
                    "conversations",
                    "author",
                    "recipient",
                    "parts",
                    "title",
                ]
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
