"""Memory and the outbox over the control socket: each request is one message, each answer one shape."""

from __future__ import annotations

from typing import get_args

import pytest

from actors import connection_memory as room
from bxcore.control import ErrorCode
from bxcore.control import memory_requests as r
from bxcore.labels import NEW_SESSION
from bxcore.memory_views import FileView, ForgetView, ImportView, OutboxView, ProposalView, Told
from bxcore.messages.memory_operator import EditEntry, ImportTurns, ListEntries, OperatorMessage
from bxcore.tool_answer import ToolAnswer


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
        (r.MemorySearchRequest(query=" "), "query is empty; write the words to look for"),
        (r.MemorySearchRequest(query="x", k=11), "k is a number from 1 to 10"),
        (r.ImportTurnsRequest(conversation="c", turns=(), first=0), "first is the number of a turn, from 1"),
        (r.MemoryUndoRequest(), None),
    ],
)
def test_fields_that_cannot_be_are_a_sentence(request_: r.OfMemory, problem: str | None) -> None:
    assert room.problem(request_) == problem


def test_the_model_and_old_logs_have_longer_than_the_rest() -> None:
    assert room.wait_s(r.MemoryConsolidateRequest(file="user"), 30.0) > 300.0
    assert room.wait_s(r.MemoryForgetRequest(text="x"), 30.0) > 30.0
    assert room.wait_s(r.OutboxRequest(), 30.0) == 30.0


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
