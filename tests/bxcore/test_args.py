from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import args
from bxcore.args import (
    ARGUMENT_TYPES,
    Args,
    ArgsError,
    AskMemoryArgs,
    CallToolArgs,
    HttpFetchArgs,
    McpArgs,
    MemoryArgs,
    ReadFileArgs,
    WriteFileArgs,
    canonical_json,
    parse,
    refusal_line,
)

WHOLE_CALLS: dict[str, dict[str, Any]] = {
    "clock": {},
    "recall": {"query": "blue tin", "k": 3},
    "memory": {"action": "replace", "file": "notes", "text": "new", "entry": "old"},
    "ask_memory": {"question": "q", "workspaces": ["fleet", "own"]},
    "find_tool": {"query": "read a file"},
    "call_tool": {"name": "read_file", "arguments": {"path": "a"}},
    "read_file": {"path": "a/b", "offset": 3, "limit": 4},
    "write_file": {"path": "a", "content": "x", "append": True},
    "shell": {"command": "ls", "timeout_s": 5},
    "http_fetch": {
        "url": "https://example.org/a?b=c",
        "method": "POST",
        "headers": {"Accept": "text/plain"},
        "body": "b",
        "max_bytes": 10,
    },
}


def sentence(tool: str, value: object) -> str:
    with pytest.raises(ArgsError) as caught:
        parse(tool, value if isinstance(value, str) else json.dumps(value))
    return caught.value.sentence


@pytest.mark.parametrize("tool", WHOLE_CALLS)
def test_a_whole_call_is_read_and_written_in_declared_order(tool: str) -> None:
    value = parse(tool, json.dumps(WHOLE_CALLS[tool]))
    assert type(value) is ARGUMENT_TYPES[tool]
    assert canonical_json(value) == json.dumps(WHOLE_CALLS[tool], separators=(",", ":"))


DEFAULTS = [
    ("clock", "{}", "{}"),
    ("recall", '{"query":"q"}', '{"query":"q","k":5}'),
    ("ask_memory", '{"question":"q"}', '{"question":"q","workspaces":[]}'),
    ("ask_memory", '{"workspaces":[],"question":"q"}', '{"question":"q","workspaces":[]}'),
    ("ask_memory", '{"question":"h\\u00e9"}', '{"question":"hé","workspaces":[]}'),
    (
        "memory",
        '{"file":"user","action":"add","text":"t"}',
        '{"action":"add","file":"user","text":"t","entry":""}',
    ),
    ("call_tool", '{"name":"x"}', '{"name":"x","arguments":{}}'),
    ("call_tool", '{"arguments":{"b":1,"a":2},"name":"x"}', '{"name":"x","arguments":{"a":2,"b":1}}'),
    ("read_file", '{"path":"p"}', '{"path":"p","offset":0,"limit":65536}'),
    ("write_file", '{"path":"p","content":""}', '{"path":"p","content":"","append":false}'),
    ("shell", '{"command":"ls"}', '{"command":"ls","timeout_s":60}'),
    (
        "http_fetch",
        '{"url":"http://a.org"}',
        '{"url":"http://a.org","method":"GET","headers":{},"body":"","max_bytes":262144}',
    ),
]


@pytest.mark.parametrize(("tool", "text", "canonical"), DEFAULTS)
def test_the_canonical_form_has_every_field(tool: str, text: str, canonical: str) -> None:
    assert canonical_json(parse(tool, text)) == canonical
    assert canonical_json(parse(tool, canonical)) == canonical


def test_a_list_of_names_is_written_like_a_tuple() -> None:
    made = AskMemoryArgs(question="q", workspaces=["fleet"])  # type: ignore[arg-type]  # as a test may write it
    made.check()
    assert made.asked() == ("fleet",)
    assert canonical_json(made) == '{"question":"q","workspaces":["fleet"]}'


def test_no_names_ask_own() -> None:
    assert AskMemoryArgs("q").asked() == ("own",)
    assert AskMemoryArgs("q", ("b", "a")).asked() == ("b", "a")


def test_what_call_tool_carries_is_read_as_the_tools_own_call() -> None:
    carried = parse("call_tool", '{"name":"read_file","arguments":{"path":"é"}}')
    assert isinstance(carried, CallToolArgs)
    assert carried.inner_text() == '{"path":"é"}'
    assert parse(carried.name, carried.inner_text()) == ReadFileArgs("é")


def test_a_file_may_be_written_that_is_longer_than_any_other_call() -> None:
    value = {"path": "p", "content": "\n" * 262_144}
    parse("write_file", json.dumps(value))
    carried = parse("call_tool", json.dumps({"name": "write_file", "arguments": value}))
    assert isinstance(carried, CallToolArgs)
    assert parse("write_file", carried.inner_text()) == WriteFileArgs("p", "\n" * 262_144)
    too_long = "content has 262145 characters, over the limit of 262144; write it in parts, with append"
    assert sentence("write_file", {"path": "p", "content": "x" * 262_145}) == too_long


def test_the_line_that_the_model_sees_has_a_prefix_and_at_most_300_characters_of_the_sentence() -> None:
    assert ArgsError("s" * 301).line == "invalid argument shape: " + "s" * 300
    assert refusal_line("short") == "invalid argument shape: short"


def test_an_unknown_tool_is_refused() -> None:
    assert sentence("Clock", {}) == "no tool has this name; look one up with find_tool"


def test_a_path_has_one_normal_form() -> None:
    assert ReadFileArgs("a//./b/../c/").normalised() == "a/c"
    assert ReadFileArgs("/a/../b").normalised() == "/b"
    assert ReadFileArgs("a/..").normalised() == "."
    assert ReadFileArgs("/").normalised() == "/"


def test_a_workspace_name_may_have_512_characters_and_every_letter_counts() -> None:
    AskMemoryArgs("q", ("a" * 512, "A" * 512)).check()
    AskMemoryArgs("q", ("fleet", "Fleet")).check()


def test_lengths_count_characters() -> None:
    AskMemoryArgs("é" * 2000).check()
    MemoryArgs("add", "notes", "\U0001f600" * 1000).check()


def test_the_edges_of_every_range_are_taken() -> None:
    for tool, field, values in [
        ("recall", "k", (1, 10)),
        ("read_file", "limit", (1, 262_144)),
        ("read_file", "offset", (0, 2**63 - 1)),
        ("shell", "timeout_s", (1, 300)),
        ("http_fetch", "max_bytes", (1, 1_048_576)),
    ]:
        for value in values:
            assert getattr(parse(tool, json.dumps({**WHOLE_CALLS[tool], field: value})), field) == value


def test_a_header_may_be_sent_16_times_and_no_more() -> None:
    headers = {f"X-{n}": "v" for n in range(16)}
    HttpFetchArgs("http://a.org", headers=headers).check()
    with pytest.raises(ArgsError):
        HttpFetchArgs("http://a.org", headers={**headers, "X-16": "v"}).check()


@pytest.mark.parametrize("tool", WHOLE_CALLS)
def test_an_unknown_field_is_refused_in_every_argument_type(tool: str) -> None:
    assert sentence(tool, {**WHOLE_CALLS[tool], "reasoning": "r"}).startswith(
        f"the field reasoning is not known; {tool} takes "
    )


def test_a_field_name_that_could_hold_a_secret_or_a_tag_is_not_quoted() -> None:
    for name in ("ghp_" + "a" * 36, "<|im_end|>", "a\nb", "x" * 33):
        assert sentence("clock", {name: 1}) == "a field is not known; clock takes no fields, write {}"


WRONG: dict[type, list[object]] = {
    str: [None, True, 1, 1.5, ["a"], {"a": "b"}],
    int: [None, True, False, "5", 5.0, 1e3, [5], {}],
    bool: [None, 0, 1, "true", [], {}],
    list: [None, True, 1, "fleet", {"a": 1}, [1], [None], ["a", True], [["a"]]],
    dict: [None, True, 1, "a", []],
}


@pytest.mark.parametrize("tool", WHOLE_CALLS)
def test_a_wrong_type_is_refused_and_never_coerced(tool: str) -> None:
    for field, right in WHOLE_CALLS[tool].items():
        for wrong in WRONG[type(right)]:
            assert sentence(tool, {**WHOLE_CALLS[tool], field: wrong}).startswith(f"{field} is ")


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({field for call in WHOLE_CALLS.values() for field in call})


def read_or_told(tool: str, text: str) -> ArgsError | None:
    """A value that is taken holds its own rules and is the same when its canonical form is read again."""
    try:
        value: Args = parse(tool, text)
    except ArgsError as error:
        return error
    assert not isinstance(value, McpArgs)
    value.check()
    assert parse(tool, canonical_json(value)) == value
    assert canonical_json(value).encode()
    return None


@given(
    st.sampled_from(sorted(WHOLE_CALLS)),
    st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3),
    st.booleans(),
)
def test_any_change_to_a_call_gives_a_checked_value_or_a_sentence(
    tool: str,
    changed: dict[str, object],
    whole: bool,  # noqa: FBT001
) -> None:
    text = json.dumps({**(WHOLE_CALLS[tool] if whole else {}), **changed})
    told = read_or_told(tool, text)
    if told is not None:
        assert told.sentence.strip() == told.sentence != ""
        assert told.line.startswith("invalid argument shape: ")
        assert len(told.line) <= len("invalid argument shape: ") + 300


@given(st.sampled_from(sorted(WHOLE_CALLS)), st.text(max_size=200))
def test_no_text_at_all_raises_anything_but_a_refusal(tool: str, text: str) -> None:
    told = read_or_told(tool, text)
    assert told is None or told.sentence


def test_the_names_that_tests_and_tools_rely_on_are_there() -> None:
    assert (args.ASK_MEMORY, args.MAX_QUESTION, args.MAX_WORKSPACES) == ("ask_memory", 2000, 2)
    assert (args.MAX_WORKSPACE_NAME, args.OWN_WORKSPACE) == (512, "own")


def test_importing_the_arguments_takes_no_heavy_library() -> None:
    code = "import sys, bxcore.args, bxcore.schemas; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20
    ).stdout.split()
    assert "bxcore.args" in loaded
    assert not {"pydantic", "httpx", "loguru", "urllib.parse", "hashlib", "bxcore.sanitize"} & set(loaded)
