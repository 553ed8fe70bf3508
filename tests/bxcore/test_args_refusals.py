"""Every refusal of spec 1.3 to 1.6, letter for letter."""

from __future__ import annotations

import json

import pytest

from bxcore.args import ArgsError, parse

EMPTY_QUESTION = "question is empty; write the question to ask"
LONG_QUESTION = "question has 2001 characters, over the limit of 2000; ask a shorter question"
MANY_NAMES = "workspaces names 3, over the limit of 2; ask about the others in another call"
EMPTY_NAME = "a workspace name is empty; name a workspace, or leave workspaces out to ask own"
BAD_NAME = (
    "a workspace name has 1 to 512 letters, digits, _ or -; use own, untrusted, fleet or another agent's name"
)
ASK_TAKES = "ask_memory takes question, and may take workspaces"
MEMORY_TAKES = "memory takes action, file, and may take text, entry"
CLIMBS = "path leaves its folder with ..; write a path inside it"
INVISIBLE_PATH = "path holds a control or invisible character; write the path with visible ones only"
BAD_URL = "url is no address; write one such as https://example.org/page"
ODD_URL = "url holds a space, a backslash or a character that is not ASCII; percent-encode it"
USER_URL = "url holds a user name or password; leave out what stands before the @"
NO_HTTP = "url is neither http nor https; write an http or https address"
BAD_HEADER_NAME = "a header's name has 1 to 64 letters, digits or -; write one such as Accept"
SEPARATED = "has a line that is only §, which stands between entries; leave it out"
TOKEN = "ghp_" + "A1b2" * 9

ASK = [
    ({"question": ""}, EMPTY_QUESTION),
    ({"question": " \n\t\u3000"}, EMPTY_QUESTION),
    ({"question": "q" * 2001}, LONG_QUESTION),
    ({"question": "é" * 2001}, LONG_QUESTION),
    ({"question": "", "workspaces": ["a", "b", "c"]}, EMPTY_QUESTION),
    ({"question": "q" * 2001, "workspaces": ["", ""]}, LONG_QUESTION),
    ({"question": "q", "workspaces": ["a", "b", "c"]}, MANY_NAMES),
    ({"question": "q", "workspaces": ["", "", ""]}, MANY_NAMES),
    ({"question": "q", "workspaces": [""]}, EMPTY_NAME),
    ({"question": "q", "workspaces": ["", "a b"]}, EMPTY_NAME),
    ({"question": "q", "workspaces": ["a b", ""]}, BAD_NAME),
    ({"question": "q", "workspaces": ["own", "é"]}, BAD_NAME),
    ({"question": "q", "workspaces": ["own\n"]}, BAD_NAME),
    ({"question": "q", "workspaces": [" own"]}, BAD_NAME),
    ({"question": "q", "workspaces": ["٣"]}, BAD_NAME),
    ({"question": "q", "workspaces": ["a.b"]}, BAD_NAME),
    ({"question": "q", "workspaces": ["a" * 513]}, BAD_NAME),
    ({"question": "q", "workspaces": ["a b", "a b"]}, BAD_NAME),
    ({"question": "q", "workspaces": ["own", "own"]}, "workspaces names own twice; name each workspace once"),
    ({}, f"question is missing; {ASK_TAKES}"),
    ({"workspaces": ["own"]}, f"question is missing; {ASK_TAKES}"),
    ({"question": None}, "question is null; write a string"),
    ({"question": ["q"]}, "question is a list; write a string"),
    ({"question": "q", "workspaces": "own"}, "workspaces is a string; write a list of strings"),
    ({"question": "q", "workspaces": None}, "workspaces is null; write a list of strings"),
    ({"question": "q", "workspaces": [1]}, "workspaces is a list; write a list of strings"),
    ({"question": "", "reasoning": "r"}, f"the field reasoning is not known; {ASK_TAKES}"),
]

RECALL = [
    ({"query": " "}, "query is empty; write the words to look for"),
    ({"query": "q" * 501}, "query has 501 characters, over the limit of 500; look for fewer words"),
    ({"query": "", "k": 0}, "query is empty; write the words to look for"),
    ({"query": "q", "k": 0}, "k is out of range; write a whole number from 1 to 10"),
    ({"query": "q", "k": 11}, "k is out of range; write a whole number from 1 to 10"),
    ({"query": "q", "k": -1}, "k is out of range; write a whole number from 1 to 10"),
    ({"query": "q", "k": True}, "k is true or false; write a whole number"),
    ({"query": "q", "k": "5"}, "k is a string; write a whole number"),
    ({"query": "q", "k": 5.0}, "k is a number; write a whole number"),
    ({"k": 5}, "query is missing; recall takes query, and may take k"),
]


def edit(action: str = "add", file: str = "notes", **texts: str) -> dict[str, str]:
    return {"action": action, "file": file, **texts}


MEMORY = [
    ({"file": "notes"}, f"action is missing; {MEMORY_TAKES}"),
    ({"action": "add"}, f"file is missing; {MEMORY_TAKES}"),
    (edit("Add", text="t"), "action is not known; write add, replace or remove"),
    (edit("drop", "nowhere"), "action is not known; write add, replace or remove"),
    (edit(file="notes.md", text="t"), "file is not known; write memory, user or notes"),
    (edit(), "text is empty; add needs the text to keep"),
    (edit(text=" \n"), "text is empty; add needs the text to keep"),
    (edit(text="t", entry="e"), "add takes no entry; leave entry out, or use replace to change an entry"),
    (edit("remove"), "entry is empty; remove needs a piece of the entry's text"),
    (
        edit("remove", text="t", entry="e"),
        "remove takes no text; leave text out, or use replace to change an entry",
    ),
    (edit("replace", entry="e"), "text is empty; replace needs the text to keep"),
    (edit("replace", text="t"), "entry is empty; replace needs a piece of the entry's text"),
    (edit(text="t" * 1001), "text has 1001 characters, over the limit of 1000; shorten it"),
    (
        edit("remove", entry="t" * 1001),
        "entry has 1001 characters, over the limit of 1000; shorten it",
    ),
    (edit(text="a\n§\nb"), f"text {SEPARATED}"),
    (edit(text="a\n \t§ "), f"text {SEPARATED}"),
    (edit("remove", entry="§"), f"entry {SEPARATED}"),
    (
        edit(text="a\r\nb"),
        "text is refused: the text holds a control character; leave it out, and end lines with a line feed",
    ),
    (
        edit(text="a\u200bb"),
        "text is refused: the text holds an invisible character; write visible characters only",
    ),
    (
        edit(text=TOKEN),
        "text is refused: the text looks like it holds a GitHub token; leave the secret out",
    ),
    (
        edit("replace", text="t", entry="<|im_end|>"),
        "entry is refused: the text holds a chat-template tag; say in words what it means",
    ),
]

OTHERS = [
    ("clock", {"zone": "UTC"}, "the field zone is not known; clock takes no fields, write {}"),
    ("find_tool", {"query": ""}, "query is empty; write what the tool should do"),
    (
        "find_tool",
        {"query": "q" * 501},
        "query has 501 characters, over the limit of 500; say it in fewer words",
    ),
    ("call_tool", {}, "name is missing; call_tool takes name, and may take arguments"),
    ("call_tool", {"name": ""}, "name is no tool's name; write a name that find_tool has answered"),
    ("call_tool", {"name": "a b"}, "name is no tool's name; write a name that find_tool has answered"),
    (
        "call_tool",
        {"name": "call_tool"},
        "call_tool cannot call call_tool; write the name of the tool itself",
    ),
    (
        "call_tool",
        {"name": "find_tool"},
        "call_tool cannot call find_tool; write the name of the tool itself",
    ),
    ("call_tool", {"name": "x", "arguments": "{}"}, "arguments is a string; write an object"),
    ("read_file", {"path": " "}, "path is empty; write the path of a file"),
    (
        "read_file",
        {"path": "a" * 4097},
        "path has 4097 characters, over the limit of 4096; write a shorter one",
    ),
    ("read_file", {"path": "a\0b"}, INVISIBLE_PATH),
    ("read_file", {"path": "a\nb"}, INVISIBLE_PATH),
    ("read_file", {"path": "a\u202eb"}, INVISIBLE_PATH),
    ("read_file", {"path": ".."}, CLIMBS),
    ("read_file", {"path": "a/../../b"}, CLIMBS),
    ("read_file", {"path": "/.."}, CLIMBS),
    (
        "read_file",
        {"path": "p", "offset": -1},
        "offset is out of range; write a whole number of bytes from 0",
    ),
    (
        "read_file",
        {"path": "p", "limit": 0},
        "limit is out of range; write a whole number of bytes from 1 to 262144",
    ),
    (
        "read_file",
        {"path": "p", "offset": -1, "limit": 262_145},
        "offset is out of range; write a whole number of bytes from 0",
    ),
    ("write_file", {"path": "a/../..", "content": ""}, CLIMBS),
    ("write_file", {"path": "p", "content": "", "append": 1}, "append is a number; write true or false"),
    ("shell", {"command": "\n"}, "command is empty; write the command to run"),
    (
        "shell",
        {"command": "x" * 8193},
        "command has 8193 characters, over the limit of 8192; write a shorter one, or put a script in a file",
    ),
    ("shell", {"command": "a\0"}, "command holds a NUL character; leave it out"),
    (
        "shell",
        {"command": "ls", "timeout_s": 301},
        "timeout_s is out of range; write whole seconds from 1 to 300",
    ),
    (
        "shell",
        {"command": "ls", "timeout_s": 0},
        "timeout_s is out of range; write whole seconds from 1 to 300",
    ),
]

URLS = [
    ("", "url is empty; write an http or https address"),
    ("http://a.org/" + "x" * 2036, "url has 2049 characters, over the limit of 2048; write a shorter one"),
    ("http://a.org/a b", ODD_URL),
    ("http://a.org\\@b.org/", ODD_URL),
    ("http://a.org/\n", ODD_URL),
    ("http://é.org/", ODD_URL),
    ("ftp://a.org/", NO_HTTP),
    ("file:///etc/passwd", NO_HTTP),
    ("a.org", NO_HTTP),
    ("http://me@a.org/", USER_URL),
    ("http://me:pw@a.org/", USER_URL),
    ("http://@a.org/", USER_URL),
    ("http:///path", BAD_URL),
    ("http://:80/", BAD_URL),
    ("http://a.org:0/", BAD_URL),
    ("http://a.org:99999/", BAD_URL),
    ("http://[::1/", BAD_URL),
]

FETCHES: list[tuple[dict[str, object], str]] = [
    ({"method": "PUT"}, "method is not known; write GET, HEAD or POST"),
    ({"method": "get"}, "method is not known; write GET, HEAD or POST"),
    (
        {"headers": {f"X-{n}": "" for n in range(17)}},
        "headers has 17, over the limit of 16; send fewer headers",
    ),
    ({"headers": {"": "v"}}, BAD_HEADER_NAME),
    ({"headers": {"A b": "v"}}, BAD_HEADER_NAME),
    ({"headers": {"Host": "b.org"}}, "the header Host is set for you; leave it out"),
    ({"headers": {"cOnnection": "close"}}, "the header cOnnection is set for you; leave it out"),
    ({"headers": {"Transfer-Encoding": "x"}}, "the header Transfer-Encoding is set for you; leave it out"),
    ({"headers": {"Upgrade": "x"}}, "the header Upgrade is set for you; leave it out"),
    (
        {"headers": {"A": "x\r\nHost: b"}},
        "the header A holds a character that is not printable ASCII; leave it out",
    ),
    ({"headers": {"A": "x" * 2049}}, "the header A has 2049 characters, over the limit of 2048; send less"),
    ({"headers": {"A": "x", "a": "y"}}, "headers names a twice; give each header once"),
    ({"headers": {"a": "x", "A": "y"}}, "headers names A twice; give each header once"),
    ({"headers": {"A": 1}}, "headers is an object; write an object of strings"),
    ({"body": "b"}, "GET carries no body; leave body out, or use POST"),
    (
        {"body": "é" * 32_769, "method": "POST"},
        "body has 32769 characters, over the limit of 32768; send a shorter one",
    ),
    ({"max_bytes": 0}, "max_bytes is out of range; write a whole number from 1 to 1048576"),
    ({"max_bytes": 1_048_577}, "max_bytes is out of range; write a whole number from 1 to 1048576"),
    ({"method": "PUT", "max_bytes": 0}, "method is not known; write GET, HEAD or POST"),
]

TABLE: list[tuple[str, object, str]] = [
    *(("ask_memory", value, told) for value, told in ASK),
    *(("recall", value, told) for value, told in RECALL),
    *(("memory", value, told) for value, told in MEMORY),
    *OTHERS,
    *(("http_fetch", {"url": url}, told) for url, told in URLS),
    *(("http_fetch", {"url": "http://a.org", **value}, told) for value, told in FETCHES),
]


@pytest.mark.parametrize(("tool", "value", "sentence"), TABLE)
def test_the_first_fault_of_a_call_is_told_in_its_sentence(tool: str, value: object, sentence: str) -> None:
    with pytest.raises(ArgsError) as caught:
        parse(tool, json.dumps(value, ensure_ascii=False))
    assert caught.value.sentence == sentence
    assert caught.value.line == f"invalid argument shape: {sentence}"


def test_no_refusal_quotes_a_secret() -> None:
    for value in (edit(text=TOKEN), {TOKEN: 1}, edit(action=TOKEN), edit(file=TOKEN)):
        with pytest.raises(ArgsError) as caught:
            parse("memory", json.dumps(value))
        assert TOKEN not in str(caught.value)
