"""One client of the control socket, over the wire: the acceptor and the connection are the real ones."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actors.base import Refusal, Runtime
from actors.connection import Limits
from bxcore.control import ErrorCode
from bxcore.control import requests as r
from bxcore.messages.loop import EndSession, Say, StopTurn
from bxcore.messages.memory import AskMemory
from bxcore.waits import Waits
from tests.doubles.control_box import (
    HELD,
    MakeBox,
    answered,
    connected,
    control_boxes,
    turn,
)
from tests.doubles.control_client import ask, chat, no, raw, sent
from tests.kit.leaks import Letters

CHILDREN = ("memory", "broker", "loop", "connections", "control")


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def test_a_turns_news_comes_before_its_result(make: MakeBox) -> None:
    box = make()
    lines = chat(box, r.ChatRequest(text="where?", session="k3f", speaker="ada"))
    kinds = [line["kind"] for line in lines]
    assert kinds[:3] == ["turn_started", "tool_started", "tool_ended"]
    assert set(kinds[3:-1]) == {"text_delta"}
    assert "".join(line["text"] for line in lines[3:-1]) == "the blue tin"
    assert lines[-1]["result"]["reply"] == "the blue tin"
    assert lines[-1]["failed"] is None
    (say,) = [message for message in box.seen if isinstance(message, Say)]
    assert (say.session, say.text, say.speaker) == ("k3f", "where?", "ada")


def test_a_failed_turn_has_its_sentence(make: MakeBox) -> None:
    box = make(script=lambda say: turn(say, reply=None, failed="there is no model"))
    assert chat(box, r.ChatRequest(text="hi"))[-1]["failed"] == "there is no model"


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (r.ChatRequest(text=" "), "there is no text; say something"),
        (r.ChatRequest(text="hi", session="../x"), "a session's name has 1 to 64 of a-z, 0-9, _ and -, "),
    ],
)
def test_a_turn_that_cannot_be_is_refused_before_it_begins(
    make: MakeBox, request_: r.ChatRequest, sentence: str
) -> None:
    box = make()
    status, error, said = no(box, request_)
    assert (status, error) == (400, "bad_request")
    assert said.startswith(sentence)
    assert box.seen == []


def test_a_loop_that_refuses_or_crashes_ends_the_stream_with_why(make: MakeBox) -> None:
    def script(say: Say) -> object:
        if say.text == "refuse":
            raise Refusal("the baseline is too large")
        raise KeyError(say.text)

    box = make(script=script)
    refused = chat(box, r.ChatRequest(text="refuse"))[-1]["error"]
    assert refused == {"error": "failed", "sentence": "the baseline is too large"}
    crashed = chat(box, r.ChatRequest(text="crash"))[-1]["error"]
    assert crashed == {"error": "failed", "sentence": "loop crashed on this request (KeyError)"}
    assert chat(box, r.ChatRequest(text="refuse"))[-1]["kind"] == "error"


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def test_status_tree_and_counts_need_no_actors_answer(make: MakeBox) -> None:
    stuck, go_on = threading.Event(), threading.Event()

    def script(say: Any) -> object:
        stuck.set()
        assert go_on.wait(10)
        return turn(say)

    box = make(script=script)
    with connected(box) as client:
        client.sendall(sent(r.ChatRequest(text="hi")))
        assert stuck.wait(10)
        status = ask(box, r.StatusRequest())[1]
        tree = ask(box, r.TreeRequest())[1]
        actor = ask(box, r.InspectRequest(name="loop"))[1]
        stack = ask(box, r.StackRequest(name="loop"))[1]
        assert ask(box, r.DeadLettersRequest())[1]["total"] == 0
        go_on.set()
        client.settimeout(10)
        while client.recv(65_536):
            pass
    assert (status["state"], status["facts"]) == ("ok", {"model": "embedded, ready"})
    assert [child["name"] for child in tree[0]["children"]] == [
        "memory",
        "broker",
        "loop",
        "connections",
        "control",
    ]
    assert (actor["state"], actor["details"]["in hand"]) == ("running", "Say")
    assert any("script" in frame for frame in stack["frames"])


def test_an_unknown_actor_is_no_such_thing(make: MakeBox) -> None:
    box = make()
    told = (404, "no_such_thing", "no actor is named 'memroy'; did you mean memory?")
    for request in (
        r.InspectRequest(name="memroy"),
        r.StackRequest(name="memroy"),
        r.RestartRequest(name="memroy"),
        r.StopRequest(name="memroy"),
        r.StartRequest(name="memroy"),
    ):
        assert no(box, request) == told
    assert no(box, r.InspectRequest(name="qqq"))[2] == "no actor is named 'qqq'; see bxctl tree"


def test_an_actor_is_stopped_started_and_restarted_by_name(make: MakeBox) -> None:
    box = make()
    assert ask(box, r.StopRequest(name="memory"))[1] == {"ok": True, "sentence": "memory is stopped"}
    assert ask(box, r.StatusRequest())[1]["problems"] == [
        {"sentence": "memory is stopped", "help": "bxctl start memory"}
    ]
    assert ask(box, r.StartRequest(name="memory"))[1] == {"ok": True, "sentence": "memory is started"}
    assert ask(box, r.StartRequest(name="memory"))[1]["ok"] is False
    assert ask(box, r.RestartRequest(name="memory"))[1] == {"ok": True, "sentence": "memory is restarted"}


def test_restart_needs_a_name_or_all_and_not_both(make: MakeBox) -> None:
    box = make()
    for request in (r.RestartRequest(), r.RestartRequest(name="memory", all=True)):
        assert no(box, request)[:2] == (400, "bad_request")


@pytest.mark.parametrize("name", ["control", "connections"])
def test_what_lets_commands_in_is_not_stopped_by_one(make: MakeBox, name: str) -> None:
    box = make()
    status, code, sentence = no(box, r.StopRequest(name=name))
    assert (status, code) == (403, "refused")
    assert sentence.startswith(f"without {name} no command reaches the box")
    before = box.runtime.mailbox(name).epoch
    assert ask(box, r.RestartRequest(name=name))[1]["ok"]
    wait_for(lambda: box.runtime.mailbox(name).epoch > before and box.root.box.depth == 0)


def test_the_root_is_the_whole_box(make: MakeBox) -> None:
    box = make()
    for request in (r.RestartRequest(name="root"), r.StopRequest(name="root"), r.StartRequest(name="root")):
        status, code, sentence = no(box, request)
        assert (status, code) == (403, "refused")
        assert sentence.startswith("root is the whole box; restart --all, or end the process ")


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "x" * 65])
def test_what_is_no_sessions_name_is_the_askers_fault_in_every_request(make: MakeBox, name: str) -> None:
    box = make()
    for request in (
        r.ChatRequest(text="hi", session=name),
        r.StopTurnRequest(session=name),
        r.SessionRequest(session=name),
        r.EndSessionRequest(session=name),
    ):
        assert no(box, request)[:2] == (400, "bad_request")
    assert box.seen == []


def test_all_is_what_this_connection_does_not_live_in(make: MakeBox) -> None:
    box = make()
    before = {
        name: box.runtime.mailbox(name).epoch
        for name in ("memory", "broker", "loop", "connections", "control")
    }
    answer = ask(box, r.RestartRequest(all=True))[1]
    assert answer["ok"]
    assert answer["sentence"].startswith("memory is restarted; broker is restarted; loop is restarted")
    after = {name: box.runtime.mailbox(name).epoch for name in before}
    assert {name for name in before if after[name] > before[name]} == {"memory", "broker", "loop", "control"}
    assert ask(box, r.VersionRequest())[0] == 200


def test_a_restart_of_what_it_lives_in_is_answered_first(make: MakeBox) -> None:
    box = make()
    before = box.runtime.mailbox("connections").epoch
    answer = ask(box, r.RestartRequest(name="connections"))[1]
    assert answer == {"ok": True, "sentence": "connections is told; this connection ends with it"}
    wait_for(lambda: box.runtime.mailbox("connections").epoch > before)
    wait_for(lambda: box.root.box.depth == 0)
    assert ask(box, r.VersionRequest())[0] == 200


def test_memory_is_asked_as_the_operator(make: MakeBox) -> None:
    box = make()
    status, answer = ask(box, r.AskRequest(question="where?", workspaces=("own", "fleet")))
    assert (status, answer["ok"], answer["label"]["class"]) == (200, True, "private")
    (message,) = [each for each in box.seen if isinstance(each, AskMemory)]
    assert (message.session, message.args.question, message.args.asked()) == (
        "operator",
        "where?",
        ("own", "fleet"),
    )


def test_a_bad_question_is_refused_without_asking(make: MakeBox) -> None:
    box = make()
    assert no(box, r.AskRequest(question=" "))[2] == "question is empty; write the question to ask"
    assert box.seen == []


def test_sessions_are_listed_shown_and_ended(make: MakeBox) -> None:
    def script(message: object) -> object:
        return True if isinstance(message, EndSession | StopTurn) else answered(message)

    box = make(script=script)
    assert ask(box, r.SessionsRequest(limit=-3))[1]["sessions"][0]["session"] == "main"
    said = ask(box, r.SessionRequest(session="main"))[1]["said"]
    assert said[1] == {"user": "hi", "reply": None, "failed": None}
    assert no(box, r.SessionRequest(session="gone"))[:2] == (404, "no_such_thing")
    assert ask(box, r.EndSessionRequest(session="main"))[1]["ok"] is True
    assert ask(box, r.StopTurnRequest(session="main"))[1]["sentence"] == "the turn is being stopped"
    assert ask(box, r.PromptSizeRequest())[1]["total"] == 1200


def test_an_actor_that_is_down_or_late_is_told_apart(make: MakeBox, letters: Letters) -> None:
    go_on = threading.Event()

    def script(message: object) -> object:
        assert go_on.wait(10)
        return answered(message)

    box = make(script=script, limits=Limits(call_s=0.05))
    assert no(box, r.SessionsRequest())[:2] == (504, "timed_out")
    go_on.set()
    assert ask(box, r.StopRequest(name="loop"))[1]["ok"]
    assert no(box, r.SessionsRequest()) == (503, "down", "loop is stopped and will not answer")
    letters.read_all()


def test_an_operators_question_waits_as_long_as_memory_may_take(make: MakeBox, letters: Letters) -> None:
    box = make(script=lambda _: HELD, waits=Waits(broker_ask_memory_s=0.05))
    assert no(box, r.AskRequest(question="where?"))[:2] == (504, "timed_out")
    letters.read_all()


@pytest.mark.parametrize(
    ("data", "status", "error"),
    [
        (b"hello\r\n\r\n", 400, ErrorCode.BAD_REQUEST),
        (b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 404, ErrorCode.NO_SUCH_ROUTE),
        (b"DELETE /v1/tree HTTP/1.1\r\nHost: x\r\n\r\n", 405, ErrorCode.WRONG_METHOD),
        (b"POST /v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413, ErrorCode.TOO_LARGE),
        (b"POST /v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n\xff", 400, ErrorCode.BAD_REQUEST),
        (sent(r.ChatRequest(text="x")).replace(b'"x"', b"1e9"), 400, ErrorCode.BAD_REQUEST),
        (
            b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100_000,
            400,
            ErrorCode.BAD_REQUEST,
        ),
        (
            b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + b"9" * 5000,
            400,
            ErrorCode.BAD_REQUEST,
        ),
    ],
)
def test_bad_input_gets_a_typed_answer_and_harms_nothing(
    make: MakeBox, data: bytes, status: int, error: ErrorCode
) -> None:
    box = make()
    got, body = raw(box, data)
    answer = json.loads(body)
    assert (got, answer["error"]) == (status, error)
    assert answer["sentence"]
    assert ask(box, r.VersionRequest())[0] == 200
    assert box.runtime.mailbox("control").epoch == 1


def test_a_slow_client_is_answered_at_its_deadline(make: MakeBox) -> None:
    box = make(limits=Limits(request_s=0.05))
    status, body = raw(box, b"GET /v1/sta")
    assert (status, json.loads(body)["error"]) == (408, "too_slow")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
def test_curl_works(make: MakeBox) -> None:
    box = make()
    base = ["curl", "-sS", "--max-time", "10", "--unix-socket", str(box.path)]
    version = subprocess.run([*base, "http://x/v1/version"], capture_output=True, timeout=20, check=True)
    assert json.loads(version.stdout)["protocol"] == 1
    said = ["-d", '{"text": "where?"}', "http://x/v1/chat"]
    lines = subprocess.run([*base, *said], capture_output=True, timeout=20, check=True).stdout.splitlines()
    assert json.loads(lines[-1])["result"]["reply"] == "the blue tin"
