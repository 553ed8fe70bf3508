"""Targets of what a model writes: arguments, JSON, calls in its text, a server's stream of events."""

from __future__ import annotations

import json
from collections.abc import Callable

from bxcore.args import ARGUMENT_TYPES, ArgsError, canonical_json, parse, refusal_line
from bxcore.model.assembly import Assembly
from bxcore.model.chunk import read_chunk
from bxcore.model.event_stream import EventStream
from bxcore.model.lenient_json import read_object as read_leniently
from bxcore.model.nonsense import Nonsense
from bxcore.model.repair import calls_in_text, sound_arguments
from bxcore.model.values import ModelRequest
from bxcore.untrusted_json import MAX_DEPTH, UntrustedJsonError, read_value
from tools.fuzz.target import Target, promise, split, text_of

GOOD: dict[str, tuple[bytes, ...]] = {
    "clock": (b"{}",),
    "recall": (b'{"query":"the boiler","k":5}',),
    "memory": (
        b'{"action":"add","file":"memory","text":"the boiler hums"}',
        b'{"action":"replace","file":"notes","text":"new","entry":"old"}',
        b'{"action":"remove","file":"user","entry":"old"}',
    ),
    "ask_memory": (b'{"question":"who?","workspaces":["fleet","boxmaker1"]}',),
    "find_tool": (b'{"query":"read a file"}',),
    "call_tool": (b'{"name":"read_file","arguments":{"path":"a/b.txt","limit":10}}',),
    "read_file": (b'{"path":"/srv/notes/../a.txt","offset":0,"limit":65536}',),
    "write_file": (b'{"path":"a.txt","content":"text\\n","append":true}',),
    "shell": (b'{"command":"ls -l | head","timeout_s":60}',),
    "http_fetch": (
        b'{"url":"https://example.org/a?b=c","method":"POST","headers":{"Accept":"text/html"},"body":"x"}',
        b'{"url":"http://192.0.2.1","max_bytes":1000}',
    ),
}
KEYS = tuple(
    f'"{name}":'.encode()
    for name in sorted({name for kind in ARGUMENT_TYPES.values() for name in kind.SHAPE})
)


def _arguments(tool: str) -> Callable[[bytes], None]:
    def check(data: bytes) -> None:
        try:
            value = parse(tool, text_of(data))
        except ArgsError as error:
            line = refusal_line(error.sentence)
            promise(line.startswith("invalid argument shape: "), "the refusal's line is another")
            promise(len(line) <= len("invalid argument shape: ") + 300, "the refusal is too long")
            return
        written = canonical_json(value)
        promise(parse(tool, written) == value, "the canonical form is another call")
        promise(canonical_json(parse(tool, written)) == written, "the canonical form is not stable")

    return check


def _json(data: bytes) -> None:
    try:
        value = read_value(text_of(data))
    except UntrustedJsonError as error:
        promise("\n" not in error.sentence, "the sentence is no line")
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    promise(_depth(value) <= MAX_DEPTH, "deeper than the limit")


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


TOOLS = ("recall", "find_tool", "call_tool")


def _written_calls(data: bytes) -> None:
    text = text_of(data)
    before, calls = calls_in_text(text, TOOLS)
    promise(text.startswith(before), "the text before the calls is another")
    promise(calls or before == text, "a text without calls lost something")
    for call in calls:
        f"{call.name} {call.arguments}".encode("utf-8", "surrogatepass")
    found = read_leniently(text)
    promise(found is None or isinstance(found, dict), "no object")
    sound = sound_arguments(text)
    promise(sound_arguments(sound) == sound, "sound arguments are made sound again")


def _events(data: bytes) -> None:
    cut, rest = split(data)
    short, step = rest[:4_000], cut % 17 + 1
    pieces = [short[at : at + step] for at in range(0, len(short), step)]
    promise(_read([short]) == _read(pieces), "how the bytes are cut changes the events")
    request = ModelRequest(baseline=(), tools=(), history=(), profile="json" if cut & 64 else "native")
    answer = Assembly(request)
    try:
        shown = [answer.add(read_chunk(event)) for event in _read([rest])]
    except Nonsense:
        return
    rest_shown, reply = answer.end()
    "".join((*shown, rest_shown, reply.text)).encode("utf-8", "surrogatepass")


def _read(pieces: list[bytes]) -> list[str]:
    stream = EventStream()
    events: list[str] = []
    try:
        for piece in pieces:
            events += stream.feed(piece)
        events += stream.end()
    except Nonsense:
        return [*events, "nonsense"]
    return events


CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}\n\n'
CALL_CHUNK = (
    b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"recall",'
    b'"arguments":"{\\"query\\":"}}]}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'
)

TARGETS = (
    *(
        Target(name=f"args-{tool}", check=_arguments(tool), seeds=seeds, words=KEYS)
        for tool, seeds in GOOD.items()
    ),
    Target(name="untrusted-json", check=_json, seeds=tuple(seed for each in GOOD.values() for seed in each)),
    Target(
        name="written-calls",
        check=_written_calls,
        seeds=(
            b'<tool_call>{"name":"recall","arguments":{"query":"x"}}</tool_call>',
            b'[TOOL_CALLS] [{"name":"recall","arguments":{"query":"x"}}]',
            b'[TOOL_CALLS]recall[ARGS]{"query":"x"}',
            b'<|python_tag|>{"name":"recall","parameters":{"query":"x"}}',
            b'<function=recall>{"query":"x"}</function><function=recall><parameter=query>\nx\n</parameter>',
            b"```json\n{'name': 'recall', 'arguments': {'query': True,}}\n```",
        ),
        words=(
            b"<tool_call>",
            b"</tool_call>",
            b"[TOOL_CALLS]",
            b"[ARGS]",
            b"<function=",
            b"<parameter=",
            b"```",
        ),
    ),
    Target(
        name="event-stream",
        check=_events,
        seeds=(
            b"\x05" + CHUNK + b"data: [DONE]\n\n",
            b"\x03" + CALL_CHUNK + CHUNK,
            b"\x47: hello\r\n\r\n" + CHUNK,
        ),
        words=(b"data: ", b"data:", b"\n\n", b"\r", b"event: x", b'"delta":', b'"tool_calls":', b'"index":'),
    ),
)
