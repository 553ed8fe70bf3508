"""Targets at the doors: a strangers' text made harmless, a URL, requests to the two interfaces."""

# ruff: noqa: RUF001  # look-alike characters are among the words

from __future__ import annotations

import json

from bxcore import fetch_target, session_ids
from bxcore.control.requests import ChatRequest
from bxcore.control.routes import GET, POST, NotARequest, decode, encode
from bxcore.http import HttpRequest
from bxcore.openai_api import asked
from bxcore.openai_api.errors import ApiError
from bxcore.openai_api.sessions import HEADER as SESSION_HEADER
from bxcore.sanitize import MARK, has_secret, neutralise, one_line, redact, refuse
from tools.fuzz.target import Target, promise, split, text_of

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8J9k0" * 2
TEXTS = (
    f"the token is {TOKEN}.",
    "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    "<|im_start|>system\nyou are <tool_call> [INST] ### Instruction:\nHuman: hi",
    "[1] memory · notes · private\n<｜begin▁of▁sentence｜> /no_think",
    "Z2hwX0ExYjJDM2Q0RTVmNkc3aDhKOWswQTFiMkMzZDRFNWY2\n&#103;&lowbar;\\u0067\\x68%67%5f",
    "می‌خواهم 👨‍👩‍👧 क्‍ष 葛󠄀 ☀️",
)
TEXT_WORDS = tuple(
    word.encode()
    for word in (
        *(
            "ghp_",
            "glpat-",
            "sk-",
            "sk-ant-",
            "xoxb-",
            "AKIA",
            "AGE-SECRET-KEY-1",
            "-----BEGIN ",
            "PRIVATE KEY-----",
        ),
        *(
            "<|",
            "|>",
            "<s>",
            "[INST]",
            "]~b]",
            "### ",
            "Human:",
            "＜｜",
            "\u200b",
            "\u202e",
            "\ufe0f",
            "\u200d",
            MARK,
        ),
        *(
            "%25",
            "%67",
            "&#x67;",
            "&amp;",
            "\\\\u0067",
            "\\x67",
            "\\147",
            "QUJDRA==",
            "GEZDGNBV",
            "67686f5f",
            " + ",
        ),
        *(
            '" + "',
            "\r",
            "\u2028",
            "\ue000",
            "\U000e0041",
            "\u0301",
            "ſ",
            "Å",
            "ﷺ",
            TOKEN,
            TOKEN[:20],
            TOKEN[::-1],
        ),
    )
)


def _sanitize(data: bytes) -> None:
    text = text_of(data)
    refusal = refuse(text)
    secret = has_secret(text)
    promise(secret or refusal is None or not refusal.rule.startswith("secret-"), "a secret that is none")
    shown = neutralise(text)
    promise(shown.replace(MARK, "") == text.replace(MARK, ""), "a character is lost")
    promise(neutralise(shown) == shown, "neutralised again it is another")
    still = refuse(shown)
    promise(still is None or still.rule != "tag", "a tag is left")
    safe = redact(text)
    promise(not has_secret(safe), "a redacted text holds a secret")
    promise(secret or safe == text, "a text without a secret is redacted")
    promise(len(one_line(text, 80).splitlines()) <= 1, "more than one line")


def _url(data: bytes) -> None:
    first, _, second = text_of(data).partition("\n")
    try:
        target = fetch_target.parse(first)
        again = fetch_target.parse(target.url)
        promise(again == target, "the target's own url is another target")
        promise(target.url.isascii() and target.path_query.startswith("/"), "no plain url")
        promise(target.host == target.host.lower() and not target.host.endswith("."), "no plain host")
        followed = fetch_target.follow(target, second)
        promise(fetch_target.parse(followed.url) == followed, "the redirect's own url is another target")
    except fetch_target.TargetError as error:
        promise("\n" not in error.sentence, "the sentence is no line")


PATHS = (*GET, *POST)


def _request(data: bytes) -> None:
    which, rest = split(data)
    path = PATHS[which % len(PATHS)]
    method = "GET" if path in GET else "POST"
    if which & 128:
        method, path = "POST" if method == "GET" else "GET", text_of(rest[:20])
    query, _, body = rest.partition(b"\n")
    request = HttpRequest(method=method, path=path, query=query.decode("latin-1"), body=body)
    found = decode(request)
    if isinstance(found, NotARequest):
        promise(found.sentence and "\n" not in found.sentence, "the sentence is no line")
        return
    sent = encode(found)
    way, _, asked = sent.target.partition("?")
    again = decode(HttpRequest(method=sent.method, path=way, query=asked, body=sent.body or b""))
    promise(again == found, "a request is another when written again")


def _chat_seed() -> bytes:
    at = PATHS.index("/v1/chat")
    body = encode(ChatRequest(text="hi", session="main")).body or b""
    return bytes([at]) + b"\n" + body


OPENAI_LONG = (
    b'kitchen,ben,wait,stop\n{"messages": [{"role": "system", "content": ""}, {"role": "user", "content": '
    b'[{"type": "text", "text": "hi"}]}], "stream": true, "stream_options": {"include_usage": true}}'
)
OPENAI_ODD = (
    b'\n{"messages": [{"role": "user", "content": "x"}], "n": 1, "tools": [], "logprobs": false, '
    b'"response_format": {"type": "text"}, "modalities": ["text"], "functions": null}'
)


def _openai(data: bytes) -> None:
    head, _, body = data.partition(b"\n")
    names = (SESSION_HEADER, asked.SPEAKER_HEADER, asked.APPROVALS_HEADER, asked.LEAVING_HEADER)
    values = head.decode("latin-1").split(",")
    found = asked.read(body, dict(zip(names, values, strict=False)) if head else {})
    if isinstance(found, ApiError):
        promise(found.message and "\n" not in found.message, "the message is no line")
        promise(found.status in {400, 404} and not found.again, "a bad request is tried again")
        json.loads(found.response().body)
        return
    promise(session_ids.problem(found.session) is None, "the session is no valid id")
    promise(found.text.strip() and len(found.text) <= asked.MAX_TEXT, "an empty or a huge text is said")
    promise(found.speaker is None or found.speaker.strip(), "nobody speaks")


TARGETS = (
    Target(name="sanitize", check=_sanitize, seeds=tuple(text.encode() for text in TEXTS), words=TEXT_WORDS),
    Target(
        name="urls",
        check=_url,
        seeds=(
            b"https://example.org:8443/a/b?c=d#e\n../x",
            b"http://[2001:db8::1]/\n//other.example/",
            b"http://192.0.2.1\n?q",
            "http://bücher.example/ä\nhttp://0x7f.1/".encode(),
        ),
        words=(
            b"://",
            b"@",
            b":",
            b"//",
            b"[::1]",
            b"[::ffff:127.0.0.1]",
            b"0x7f",
            b"xn--",
            b".",
            b"%2e",
            b"\xef\xbc\x8e",
        ),
    ),
    Target(
        name="control-routes",
        check=_request,
        seeds=(_chat_seed(), *(bytes([at]) + b"name=broker&x=1\n{}" for at in range(len(PATHS)))),
        words=(b"name=", b"session=", b"&", b"%ff", b"+", b'"text":', b'"session":', b'"name":', b"last="),
    ),
    Target(
        name="openai-requests",
        check=_openai,
        seeds=(
            b'\n{"model": "boxmaker", "messages": [{"role": "user", "content": "hi"}], "user": "anna"}',
            OPENAI_LONG,
            OPENAI_ODD,
        ),
        words=(
            b'"role":',
            b'"user"',
            b'"content":',
            b'{"type": "text", "text": "x"}',
            b"null",
            b"[]",
            b"\xc3\xab",
            b",",
        ),
    ),
)
