from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.control import ErrorCode, Exit, NotARequest, Request, decode, encode
from bxcore.control import memory_requests as m
from bxcore.control import requests as r
from bxcore.control.routes import GET, POST
from bxcore.http import HttpRequest

EXAMPLES: tuple[Request, ...] = (
    r.ChatRequest(text="hé", session="k3f", speaker="ada.l"),
    r.ChatRequest(text="x"),
    r.WatchRequest(session="k3f"),
    r.StopTurnRequest(session="main"),
    r.StatusRequest(),
    r.TreeRequest(),
    r.RestartRequest(name="loop/k3f"),
    r.RestartRequest(all=True),
    r.StopRequest(name="memory"),
    r.StartRequest(name="memory"),
    r.InspectRequest(name="a/b c&d=é"),
    r.StackRequest(name="memory"),
    r.DeadLettersRequest(limit=3),
    r.SessionsRequest(),
    r.SessionRequest(session="main"),
    r.EndSessionRequest(session="main"),
    r.AskRequest(question="where?", workspaces=("own", "fleet")),
    r.ChatRequest(text="x", answers=True),
    r.ApprovalsRequest(),
    r.AnswerApprovalRequest(code="k7", approve=True, for_session=True, by="the chat"),
    r.AnswerApprovalRequest(code="k7", approve=False),
    r.GrantsRequest(),
    r.ReloadGrantsRequest(),
    r.ExplainRequest(tool="shell", arguments='{"command":"ls"}'),
    r.ExplainRequest(tool="x", arguments="", session_class="secret", untrusted=True, said="ls é"),
    r.AuditTailRequest(limit=3),
    r.AuditShowRequest(number=12),
    r.AuditVerifyRequest(),
    r.DoctorRequest(),
    r.PromptSizeRequest(),
    r.VersionRequest(),
    m.MemoryRequest(),
    m.MemoryRequest(file="user"),
    m.MemoryLogRequest(file="notes", limit=3),
    m.MemoryEditRequest(action="replace", id="abcdef", text="é\n"),
    m.MemoryUndoRequest(number=7),
    m.MemoryTrustRequest(id="abcdef"),
    m.MemorySearchRequest(query="where?", k=3),
    m.MemoryForgetRequest(text="x", dry_run=False),
    m.MemoryConsolidateRequest(file="notes"),
    m.MemoryAcceptRequest(id="abcdef", numbers=(1, 3)),
    m.ImportTurnsRequest(
        conversation="c", turns=(m.ExchangeRequest(user="a", reply="b"),), first=2, speaker="x"
    ),
    m.ImportEntriesRequest(entries=("a", "b"), dry_run=False),
    m.OutboxRequest(limit=3),
    m.OutboxRetryRequest(id="k3f.1"),
    m.OutboxDropRequest(id="k3f.1"),
)


def arrive(method: str, target: str, body: bytes = b"") -> Request | NotARequest:
    path, _, query = target.partition("?")
    return decode(HttpRequest(method=method, path=path, query=query, body=body))


def no(method: str, target: str, body: bytes = b"") -> tuple[ErrorCode, str]:
    found = arrive(method, target, body)
    assert isinstance(found, NotARequest)
    return found.code, found.sentence


@pytest.mark.parametrize("request_", EXAMPLES, ids=lambda each: type(each).__name__)
def test_a_request_arrives_as_it_was_sent(request_: Request) -> None:
    encoded = encode(request_)
    assert arrive(encoded.method, encoded.target, encoded.body or b"") == request_


def test_every_request_has_one_route_and_an_example() -> None:
    routed = [*GET.values(), *POST.values()]
    assert sorted(map(str, routed)) == sorted(map(str, get_args(Request)))
    assert {type(example) for example in EXAMPLES} == set(routed)


@given(text=st.text(), session=st.text(), speaker=st.none() | st.text())
def test_any_text_of_whole_characters_arrives(text: str, session: str, speaker: str | None) -> None:
    request = r.ChatRequest(text=text, session=session, speaker=speaker)
    encoded = encode(request)
    assert arrive(encoded.method, encoded.target, encoded.body or b"") == request


@given(
    method=st.text(max_size=8),
    path=st.text(max_size=20),
    query=st.text(max_size=40),
    body=st.binary(max_size=60),
)
def test_nothing_that_comes_raises(method: str, path: str, query: str, body: bytes) -> None:
    decode(HttpRequest(method=method, path=path, query=query, body=body))


@given(target=st.sampled_from(sorted(POST)), value=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))  # fmt: skip
def test_no_json_raises(target: str, value: object) -> None:
    arrive("POST", target, json.dumps(value).encode())


@pytest.mark.parametrize("kind", [r.InspectRequest, r.StackRequest])
def test_a_name_of_bytes_that_are_no_text_is_sent_and_refused(kind: type[r.InspectRequest]) -> None:
    encoded = encode(kind(name="\udcff"))
    assert no(encoded.method, encoded.target) == (
        ErrorCode.BAD_REQUEST,
        "the query is not key=value in UTF-8",
    )


def test_an_unknown_path_and_a_wrong_method_are_told_apart() -> None:
    assert no("GET", "/v1/statsu")[0] is ErrorCode.NO_SUCH_ROUTE
    assert "/v1/status" in no("GET", "/v1/statsu")[1]
    assert no("POST", "/v1/status") == (ErrorCode.WRONG_METHOD, "/v1/status takes GET only")
    assert no("PUT", "/v1/chat") == (ErrorCode.WRONG_METHOD, "/v1/chat takes POST only")
    assert no("__class__", "__init__")[0] is ErrorCode.NO_SUCH_ROUTE


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "the body is empty; write one JSON object, such as {}"),
        (b"[1]", "the body is no JSON object; write one object, such as {}"),
        (b"{'a': 1}", "the body is not valid JSON at character 2; write one JSON object"),
        (b"\xff", "the body is not UTF-8 text"),
        (b'{"text": "\\ud800"}', "the body holds half a surrogate pair; write the whole character"),
        (b'{"text": ' + b"[" * 100_000, "the body is nested deeper than 32; write them flatter"),
        (b'{"text": ' + b"9" * 5000 + b"}", "a number is too large; write a smaller one"),
        (b'{"text": "a", "text": "b"}', "a key is given twice; give each key once"),
        (b'{"text": 3}', "text must be text in quotes"),
        (b"{}", "text is missing"),
        (b'{"txt": "a"}', "there is no key 'txt'; did you mean text?"),
        (b'{"text": "a", "session": null}', "session must be text in quotes"),
    ],
)
def test_a_bad_body_is_one_sentence(body: bytes, sentence: str) -> None:
    assert no("POST", "/v1/chat", body) == (ErrorCode.BAD_REQUEST, sentence)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("limit", "the query is not key=value in UTF-8"),
        ("limit=%ff", "the query is not key=value in UTF-8"),
        ("limit=1&limit=2", "the query names a key twice"),
        ("limt=1", "there is no key 'limt'; did you mean limit?"),
        ("limit=x", "limit must be a whole number"),
        ("&".join(f"k{n}=1" for n in range(17)), "the query is not key=value in UTF-8"),
    ],
)
def test_a_bad_query_is_one_sentence(query: str, sentence: str) -> None:
    assert no("GET", f"/v1/dead-letters?{query}") == (ErrorCode.BAD_REQUEST, sentence)


def test_a_get_has_no_body() -> None:
    assert no("GET", "/v1/status", b"{}")[1] == "a GET has no body; use the query instead"


def test_every_no_has_a_status_and_an_exit_code() -> None:
    assert all(400 <= code.status < 600 for code in ErrorCode)
    exits = {ErrorCode.NO_SUCH_THING: 4, ErrorCode.REFUSED: 5, ErrorCode.TIMED_OUT: 6, ErrorCode.DOWN: 3}
    assert {code: code.exit for code in exits} == exits
    assert ErrorCode.BAD_REQUEST.exit is Exit.USAGE
    assert ErrorCode.BUSY.exit is Exit.FAILED


def test_a_no_of_a_newer_process_is_a_failure() -> None:
    assert ErrorCode.read("too_new") is ErrorCode.FAILED
    assert ErrorCode.read(None) is ErrorCode.FAILED
    assert ErrorCode.read("down") is ErrorCode.DOWN
