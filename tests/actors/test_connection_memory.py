"""Memory and the outbox over the control socket: each request is one message, each answer one shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from actors import connection_memory as room
from actors.base import Runtime
from bxcore.control import ErrorCode
from bxcore.control import memory_requests as r
from bxcore.labels import NEW_SESSION
from bxcore.memory_views import FileView, ForgetView, ImportView, OutboxView, ProposalView, Told
from bxcore.messages.memory_operator import EditEntry, ImportTurns, ListEntries, OperatorMessage
from bxcore.messages.outbox import DropRow, RetryRows, ShowOutbox
from bxcore.tool_answer import ToolAnswer
from tests.doubles.control_box import control_boxes
from tests.doubles.control_client import ask, no, raw
from tests.doubles.remembering_box import Remembering, row


def test_every_request_has_a_message_and_every_message_its_request() -> None:
    requests = {*get_args(r.OfMemory), *get_args(r.OfOutbox)}
    assert set(room._MESSAGES) == requests
    made = {
        type(room._MESSAGES[type(each)](each))
        for each in (
            r.MemoryRequest(),
            r.MemoryLogRequest(),
            r.MemoryEditRequest(action="remove", id="a"),
            r.MemoryUndoRequest(),
            r.MemoryTrustRequest(id="a"),
            r.MemorySearchRequest(query="a"),
            r.MemoryForgetRequest(text="a"),
            r.MemoryConsolidateRequest(file="user"),
            r.MemoryAcceptRequest(id="a"),
            r.ImportTurnsRequest(conversation="c", turns=()),
            r.ImportEntriesRequest(entries=()),
        )
    }
    assert made == set(get_args(OperatorMessage))


def test_a_request_s_fields_arrive_in_its_message() -> None:
    edit = r.MemoryEditRequest(action="add", file="user", text="likes tea")
    assert room._MESSAGES[type(edit)](edit) == EditEntry(action="add", file="user", text="likes tea")
    assert room._MESSAGES[r.MemoryRequest](r.MemoryRequest(file="notes")) == ListEntries(file="notes")
    piece = r.ImportTurnsRequest(
        conversation="c",
        turns=(r.ExchangeRequest(user="a", reply="b"),),
        first=3,
        speaker="anna",
        dry_run=False,
    )
    message = room._MESSAGES[type(piece)](piece)
    assert isinstance(message, ImportTurns)
    assert (message.first, message.speaker, message.dry_run, message.turns[0].reply) == (
        3,
        "anna",
        False,
        "b",
    )


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (r.MemoryEditRequest(action="add", text="x"), "name the file: memory, user or notes"),
        (r.MemoryEditRequest(action="add", file="user"), "text is empty; write the text of one entry"),
        (
            r.MemoryEditRequest(action="replace", id="a", text=" \n"),
            "text is empty; write the text of one entry",
        ),
        (r.MemoryEditRequest(action="remove", id="a"), None),
        (r.MemoryEditRequest(action="remove"), room.NO_ID),
        (r.MemoryEditRequest(action="replace", text="x"), room.NO_ID),
        (r.MemoryEditRequest(action="add", file="user", text="x"), None),
        (r.MemoryTrustRequest(id=""), room.NO_ID),
        (r.MemoryTrustRequest(id="a"), None),
        (r.MemorySearchRequest(query=" "), "query is empty; write the words to look for"),
        (r.MemorySearchRequest(query="x", k=11), "k is a number from 1 to 10"),
        (r.MemorySearchRequest(query="x", k=10), None),
        (r.ImportTurnsRequest(conversation="c", turns=(), first=0), "first is the number of a turn, from 1"),
        (r.MemoryLogRequest(limit=0), "limit is a number from 1"),
        (r.OutboxRequest(limit=-1), "limit is a number from 1"),
        (r.MemoryForgetRequest(), "name a session or a text, and not both"),
        (r.MemoryForgetRequest(session="a", text="b"), "name a session or a text, and not both"),
        (r.MemoryForgetRequest(text=" "), "text is empty; write the words that are to be forgotten"),
        (r.MemoryForgetRequest(session="a"), None),
        (r.MemoryUndoRequest(), None),
    ],
)
def test_fields_that_cannot_be_are_a_sentence(request_: r.OfMemory, problem: str | None) -> None:
    assert room.problem(request_) == problem


def test_a_session_that_can_be_none_is_a_bad_request() -> None:
    assert "a session's name has" in str(room.problem(r.MemoryForgetRequest(session="a/b")))


def test_the_model_and_old_logs_have_longer_than_the_rest() -> None:
    assert room.wait_s(r.MemoryConsolidateRequest(file="user"), 30.0) > 300.0
    assert room.wait_s(r.MemoryForgetRequest(text="x"), 30.0) > 30.0
    assert room.wait_s(r.OutboxRequest(), 30.0) == 45.0
    assert room.wait_s(r.MemoryRequest(), 30.0) == 30.0


@pytest.mark.parametrize(
    "value",
    [
        Told(ok=True, sentence="x"),
        ToolAnswer(ok=True, content="x", label=NEW_SESSION),
        ForgetView(done=True, sessions=(), turns=0, entries=0, revisions=0),
        ImportView(done=True, new=0, already=0),
        ProposalView(file="user", id="p", size_before=2, size_after=1, limit=3, entries=()),
        OutboxView(waiting=0, parked=0, oldest_s=0.0, failing="", next_try_s=0.0, rows=()),
        (),
        (FileView(file="user", path="/m", size=0, limit=9, entries=()),),
    ],
)
def test_every_answer_has_a_shape(value: object) -> None:
    assert isinstance(room.shape(value), dict)


def test_a_no_says_whether_the_thing_is_there_at_all() -> None:
    assert room.no(Told(ok=True, sentence="x")) is None
    assert room.no(Told(ok=False, sentence="x")) == (ErrorCode.REFUSED, "x")
    assert room.no(Told(ok=False, sentence="x", known=False)) == (ErrorCode.NO_SUCH_THING, "x")
    assert room.no("another's answer") is None


# Over the socket, with a real memory behind it.


@pytest.fixture
def remembering(runtime: Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Remembering]:
    for make in control_boxes(runtime, monkeypatch):
        yield Remembering(make, runtime, tmp_path)


def entries(remembering: Remembering, file: r.MemoryFile) -> list[Any]:
    status, answer = ask(remembering.box, r.MemoryRequest(file=file))
    assert status == 200
    [found] = answer["files"]
    assert found["file"] == file
    return list(found["entries"])


def test_an_entry_s_life(remembering: Remembering) -> None:
    box = remembering.box
    assert ask(box, r.MemoryLogRequest()) == (200, {"revisions": []})
    status, done = ask(box, r.MemoryEditRequest(action="add", file="user", text="likes tea"))
    assert (status, done["ok"]) == (200, True)
    [entry] = entries(remembering, "user")
    assert (entry["text"], entry["origin"]) == ("likes tea", "operator")
    ask(box, r.MemoryEditRequest(action="replace", id=entry["id"], text="likes coffee"))
    assert [each["text"] for each in entries(remembering, "user")] == ["likes coffee"]
    assert ask(box, r.MemoryUndoRequest())[1]["sentence"].startswith("edit 2 is undone in user.md")
    assert [each["text"] for each in entries(remembering, "user")] == ["likes tea"]
    _, log = ask(box, r.MemoryLogRequest(file="user", limit=2))
    assert [(each["number"], each["undone"]) for each in log["revisions"]] == [(3, 0), (2, 3)]
    ask(box, r.MemoryEditRequest(action="remove", id=entry["id"]))
    assert entries(remembering, "user") == []
    assert [each["file"] for each in ask(box, r.MemoryRequest())[1]["files"]] == ["memory", "user", "notes"]


def test_each_no_has_its_status(remembering: Remembering) -> None:
    box = remembering.box
    assert no(box, r.MemoryEditRequest(action="remove", id="zzzzzz"))[:2] == (404, "no_such_thing")
    assert no(box, r.MemoryTrustRequest(id="zzzzzz"))[:2] == (404, "no_such_thing")
    assert no(box, r.MemoryUndoRequest(number=7))[:2] == (404, "no_such_thing")
    assert no(box, r.MemoryForgetRequest(session="none"))[:2] == (404, "no_such_thing")
    assert no(box, r.MemoryAcceptRequest(id="p"))[:2] == (404, "no_such_thing")
    assert no(box, r.MemoryConsolidateRequest(file="user"))[:2] == (403, "refused")
    secret = r.MemoryEditRequest(action="add", file="user", text="ghp_" + "a1B2" * 9)
    status, code, sentence = no(box, secret)
    assert (status, code) == (403, "refused")
    assert "ghp_" not in sentence
    assert no(box, r.MemoryEditRequest(action="add", text="x"))[:2] == (400, "bad_request")
    (remembering.bench.folder / "memory" / "user.md").mkdir()
    assert no(box, r.MemoryRequest())[:2] == (500, "failed")  # it cannot be read, which is nobody's "no"


def test_a_file_that_is_none_is_no_request(remembering: Remembering) -> None:
    status, body = raw(remembering.box, b"GET /v1/memory?file=..%2Fetc HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (status, json.loads(body)["error"]) == (400, "bad_request")


def test_an_import_is_found_trusted_and_forgotten(remembering: Remembering) -> None:
    box = remembering.box
    piece = r.ImportTurnsRequest(
        conversation="c", turns=(r.ExchangeRequest(user="the ladder is in the barn", reply="noted"),)
    )
    assert ask(box, piece)[1]["done"] is False
    taken = r.ImportTurnsRequest(conversation="c", turns=piece.turns, dry_run=False)
    _, brought = ask(box, taken)
    assert (brought["done"], brought["new"]) == (True, 1)
    assert ask(box, taken)[1]["already"] == 1
    ask(box, r.ImportEntriesRequest(entries=("has a dog",), dry_run=False))
    [note] = entries(remembering, "notes")
    assert note["label"] == {"class": "private", "untrusted": True}
    assert ask(box, r.MemoryTrustRequest(id=note["id"]))[1]["ok"]
    assert entries(remembering, "notes")[0]["lifted"] is True
    _, found = ask(box, r.MemorySearchRequest(query="ladder"))
    assert f"session {brought['session']}" in found["content"]
    would = r.MemoryForgetRequest(text="LADDER")
    _, view = ask(box, would)
    assert (view["done"], view["turns"], view["sessions"]) == (False, 1, [brought["session"]])
    _, view = ask(box, r.MemoryForgetRequest(text="LADDER", dry_run=False))
    assert view["done"] is True
    assert "ladder" not in ask(box, r.MemorySearchRequest(query="ladder"))[1]["content"]


def test_the_outbox_is_asked_and_not_the_memory(remembering: Remembering) -> None:
    box = remembering.box
    remembering.rows = [row("k3f.2"), row("k3f.3")]
    _, shown = ask(box, r.OutboxRequest(limit=1))
    assert ([each["id"] for each in shown["rows"]], shown["parked"]) == (["k3f.2"], 2)
    assert ask(box, r.OutboxRetryRequest())[1] == {"ok": True, "sentence": "retry_rows None"}
    assert ask(box, r.OutboxDropRequest(id="k3f.2"))[1]["ok"]
    assert no(box, r.OutboxDropRequest(id="main.9"))[:2] == (404, "no_such_thing")
    assert remembering.told == [
        ShowOutbox(limit=1),
        RetryRows(),
        DropRow(id="k3f.2"),
        DropRow(id="main.9"),
    ]
