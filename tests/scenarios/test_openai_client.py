"""The official ``openai`` package against a real box, over TCP and over the control socket."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("tools_image")]
TOKEN = "a-token-of-this-test-alone"
SLOW = {"say": "one two three four five six seven eight", "drip_s": 0.25, "piece": 4}
ANSWERS: Mapping[str, Step] = {
    "be slow": SLOW,
    "fail": {"status": 400, "body": '{"error":{"message":"no such thing"}}'},
    "fail late": {"say": "I was about to say", "cut_after": 3},
    "look at the clock": {"call": ["clock", {}]},
    "remember it": {"call": ["memory", {"action": "add", "file": "user", "text": "The tin is blue."}]},
    "read the file": {"call": ["read_file", {"path": "/srv/notes/a.md"}]},
}


def step(body: Mapping[str, Any]) -> Step:
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"say": f"The tool said: {last['content']}"}
    text = last["content"].rpartition("\n\n")[2]  # a session's first message says before what day it is
    return ANSWERS.get(text, {"say": f"You said: {text}"})


@dataclass(frozen=True, kw_only=True)
class Place:
    """A box with its door on the loopback open, and the model that thinks for it."""

    box: Box
    model: ModelServer
    url: str

    def client(self, token: str = TOKEN, **headers: str) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=token, default_headers=headers, timeout=30)

    def turns(self, session: str) -> list[dict[str, Any]]:
        return list(self.box.json("sessions", "show", session)["said"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("api") / "home"
    notes = home.parent / "notes"
    for folder in (home, home / "grants", notes):
        folder.mkdir(mode=0o700)
    (home / "token").write_text(f"{TOKEN}\n")
    (home / "grants" / "notes.toml").write_text(f'tool = "read_file"\nmode = "ask"\npaths = ["{notes}"]\n')
    with (
        ModelServer(lambda body: _at(notes, step(body))) as model,
        Box(home, toml(model.url, "127.0.0.1:0")) as box,
    ):
        url = box.json("status")["facts"]["api"].removeprefix("listens at ")
        yield Place(box=box, model=model, url=url)


def _at(notes: Path, chosen: Step) -> Step:
    """The one file that a grant covers, which asks."""
    return json.loads(json.dumps(chosen).replace("/srv/notes", str(notes)))  # type: ignore[no-any-return]


def toml(model: str, listen: str) -> str:
    api = f'[api]\nlisten = "{listen}"\ntoken_file = "token"\nspeaker = "anna"\n'
    return f'[model]\nurl = "{model}"\nprofile = "native"\n{api}'


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def say(client: openai.OpenAI, text: str, session: str) -> ChatCompletion:
    return client.chat.completions.create(model="boxmaker", messages=[user(text)], user=session)


def content(completion: ChatCompletion) -> str | None:
    return completion.choices[0].message.content


def wait_for(holds: Callable[[], object]) -> None:
    pause = threading.Event()
    deadline_s = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline_s
        pause.wait(0.05)


def test_it_lists_the_box_as_its_model(place: Place) -> None:
    assert [model.id for model in place.client().models.list()] == ["boxmaker"]


def test_a_turn_has_its_reply_and_its_tokens(place: Place) -> None:
    completion = say(place.client(), "hí, Zoë 🙂", "plain")
    assert content(completion) == "You said: hí, Zoë 🙂"
    assert completion.id == "chatcmpl-plain-1"
    assert completion.usage is not None
    assert completion.usage.prompt_tokens > 100
    assert completion.usage.completion_tokens > 0
    again = say(place.client(), "again", "plain").usage
    assert again is not None
    assert again.prompt_tokens_details is not None
    assert (again.prompt_tokens_details.cached_tokens or 0) > 100


def test_a_stream_is_the_same_text_in_pieces(place: Place) -> None:
    stream = place.client().chat.completions.create(
        model="boxmaker",
        messages=[user("ünd jetzt? 🙂")],
        user="streamed",
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "You said: ünd jetzt? 🙂"
    assert chunks[-1].usage is not None
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_words_are_shown_while_the_model_still_writes(place: Place) -> None:
    with place.client().chat.completions.create(
        model="boxmaker", messages=[user("be slow")], user="slow", stream=True
    ) as stream:
        times = [time.monotonic() for _ in stream]
    assert len(times) > 5
    assert times[-1] - times[1] > 1.0


def test_a_whole_history_each_time_is_not_said_again_and_gives_no_rules(place: Place) -> None:
    """As a chat front end does: all messages anew, a system message of its own in front."""
    client = place.client()
    history: list[ChatCompletionMessageParam] = [{"role": "system", "content": "You are a pirate."}]
    for text in ("one", "two", "three"):
        history.append(user(text))
        answer = client.chat.completions.create(model="boxmaker", messages=history, user="history")
        history.append({"role": "assistant", "content": content(answer)})
    assert [turn["user"] for turn in place.turns("history")] == ["one", "two", "three"]
    sent = place.model.chats[-1]["messages"]
    said = [each["content"] for each in sent if each["role"] == "user"][-3:]
    assert [text.rpartition("\n\n")[2] for text in said] == ["one", "two", "three"]
    assert "pirate" not in json.dumps(sent)


def test_a_tool_call_happens_inside_of_the_turn(place: Place) -> None:
    answer = say(place.client(), "remember it", "tools")
    assert "added to user.md" in (content(answer) or "")
    assert answer.choices[0].finish_reason == "stop"
    assert answer.choices[0].message.tool_calls is None
    assert "The tin is blue." in json.dumps(place.box.json("memory", "list"))
    stream = place.client().chat.completions.create(
        model="boxmaker", messages=[user("look at the clock")], user="tools", stream=True
    )
    assert "The tool said:" in "".join(c.choices[0].delta.content or "" for c in stream if c.choices)


def test_a_call_that_asks_is_denied_at_once_unless_the_client_waits(place: Place) -> None:
    answer = content(say(place.client(), "read the file", "asks")) or ""
    assert "did not run" in answer
    waiting = place.client(**{"X-Boxmaker-Approvals": "wait"})
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(say, waiting, "read the file", "asks")
        wait_for(lambda: place.box.json("approvals"))
        (pending,) = place.box.json("approvals")
        assert pending["session"] == "asks"
        assert place.box.bxctl("deny", pending["code"]).returncode == 0
        assert "the owner denied this call" in (content(asked.result(30)) or "")


def test_two_users_talk_side_by_side_in_sessions_of_their_own(place: Place) -> None:
    before = len(place.model.chats)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(say, place.client(), "be slow", name) for name in ("ben", "Cleo@example.org")]
        wait_for(lambda: len(place.model.chats) == before + 2)
        assert not any(each.done() for each in both), "one waited for the other"
        assert [content(each.result(40)) for each in both] == [SLOW["say"], SLOW["say"]]
    sessions = {each["session"] for each in place.box.json("sessions")}
    assert "ben" in sessions
    assert any(each.startswith("cleo-example-org__") for each in sessions)


def test_the_header_names_the_session_and_who_speaks(place: Place) -> None:
    client = place.client(**{"X-Boxmaker-Session": "kitchen", "X-Boxmaker-Speaker": "ben"})
    say(client, "hi", "not-this-one")
    assert [turn["user"] for turn in place.turns("kitchen")] == ["hi"]
    records = (place.box.home / "state" / "sessions" / "kitchen" / "0.jsonl").read_text()
    assert '"ben"' in records
    say(place.client(), "hi", "annas")
    assert '"anna"' in (place.box.home / "state" / "sessions" / "annas" / "0.jsonl").read_text()


def test_each_no_is_the_clients_own_exception(place: Place) -> None:
    client = place.client()
    with pytest.raises(openai.AuthenticationError):
        place.client("wrong-token-entirely").models.list()
    with pytest.raises(openai.PermissionDeniedError):
        place.client(Host="evil.example").models.list()
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model="boxmaker", messages=[user("hi")], n=3)
    assert (bad.value.param, bad.value.code) == ("n", "unsupported_parameter")
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="gpt-5", messages=[user("hi")])
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="boxmaker", input="hi")
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="boxmaker", messages=[user(" ")])
    with pytest.raises(openai.APIStatusError) as large:
        client.chat.completions.create(model="boxmaker", messages=[user("x" * 1_100_000)])
    assert large.value.status_code == 413


def test_a_turn_that_fails_is_said_once(place: Place) -> None:
    """The client tries a 500 again by itself: it is told not to, or the turn would be run three times."""
    before = len(place.model.chats)
    with pytest.raises(openai.InternalServerError) as failed:
        say(place.client(), "fail", "failing")
    assert failed.value.code == "turn_failed"
    assert len(place.turns("failing")) == 1
    assert len(place.model.chats) == before + 1


def test_a_stream_that_breaks_off_is_an_error_and_not_a_short_answer(place: Place) -> None:
    stream = place.client().chat.completions.create(
        model="boxmaker", messages=[user("fail late")], user="late", stream=True
    )
    with pytest.raises(openai.APIError):
        list(stream)
    assert len(place.turns("late")) == 1


def test_more_than_may_wait_are_told_to_come_again(place: Place) -> None:
    client = place.client().with_options(max_retries=0)
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(say, client, "be slow", "crowd") for _ in range(40)]
        wait_for(lambda: any(each.done() for each in asked))
        found = [each.exception(1) for each in asked if each.done()]
        assert any(isinstance(each, openai.RateLimitError) for each in found), found
        place.box.bxctl("restart", "api")
        for each in asked:
            each.exception(30)
    wait_for(lambda: place.box.bxctl("status").returncode == 0)
    place.box.bxctl("sessions", "end", "crowd")
    say(client, "/stop", "crowd")


def test_a_stop_ends_the_turn_that_runs(place: Place) -> None:
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(say, place.client(), "be slow", "stopped")
        wait_for(lambda: place.turns("stopped") if "stopped" in sessions(place) else [])
        began_s = time.monotonic()
        assert content(say(place.client(), "/stop", "stopped")) == "The turn is being stopped."
        with pytest.raises(openai.InternalServerError, match="stopped"):
            slow.result(20)
        assert time.monotonic() - began_s < 3
    assert [turn["user"] for turn in place.turns("stopped")] == ["be slow"]


def sessions(place: Place) -> set[str]:
    return {each["session"] for each in place.box.json("sessions")}


def leave_in_the_middle(place: Place, session: str, **headers: str) -> None:
    stream = place.client(**headers).chat.completions.create(
        model="boxmaker", messages=[user("be slow")], user=session, stream=True
    )
    next(iter(stream))
    stream.close()


def test_a_closed_tab_loses_nothing_of_the_turn(place: Place) -> None:
    leave_in_the_middle(place, "tab")
    wait_for(lambda: place.turns("tab")[0]["reply"])
    assert place.turns("tab")[0]["reply"] == SLOW["say"]


def test_who_wants_it_has_the_turn_end_with_the_tab(place: Place) -> None:
    leave_in_the_middle(place, "tab-stop", **{"X-Boxmaker-On-Disconnect": "stop"})
    wait_for(lambda: place.turns("tab-stop")[0]["failed"])
    assert "stopped" in place.turns("tab-stop")[0]["failed"]


def test_the_same_is_there_on_the_control_socket_without_a_token(place: Place) -> None:
    transport = httpx2.HTTPTransport(uds=str(place.box.home / "run" / "control.sock"))
    client = openai.OpenAI(
        base_url="http://box/v1", api_key="none", http_client=openai.DefaultHttpxClient(transport=transport)
    )
    with client:
        assert [model.id for model in client.models.list()] == ["boxmaker"]
        assert content(say(client, "hi", "socket")) == "You said: hi"
        stream = client.chat.completions.create(
            model="boxmaker", messages=[user("you")], user="socket", stream=True
        )
        assert "".join(c.choices[0].delta.content or "" for c in stream if c.choices) == "You said: you"


def test_hundreds_of_connections_in_a_row_leave_the_box_well(place: Place) -> None:
    host, port = place.url.removeprefix("http://").removesuffix("/v1").split(":")
    for number in range(400):
        with socket.create_connection((host, int(port)), timeout=10) as client:
            if number % 2:
                client.sendall(b"GET /v1/models HTTP/1.1\r\n\r\n")
    wait_for(lambda: len(place.client().models.list().data) == 1)
    assert place.box.json("status")["state"] == "ok"


def test_the_token_stands_in_nothing_that_is_shown_or_logged(place: Place) -> None:
    place.client().models.list()
    assert TOKEN not in place.box.said()
    shown = "".join(place.box.bxctl(word).stdout for word in ("status", "doctor", "tree"))
    assert "listens at http://127.0.0.1:" in shown
    assert TOKEN not in shown
    for log in (place.box.home / "log").rglob("*"):
        assert TOKEN not in (log.read_text(errors="replace") if log.is_file() else "")


def test_a_port_in_use_does_not_keep_the_box_from_its_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "token").write_text(TOKEN)
    with socket.create_server(("127.0.0.1", 0)) as other, ModelServer(step) as model:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with Box(home, toml(model.url, address)) as box:
            status = box.json("status")
            assert status["state"] == "degraded"
            (problem,) = status["problems"]
            assert problem["sentence"].startswith(f"api: {address} cannot be listened on")
            assert problem["help"].startswith("ss -ltnp")
            doctor = box.bxctl("doctor").stdout
            assert f"api: {address} cannot be listened on" in doctor
            other.close()
            wait_for(lambda: box.json("status")["state"] == "ok")
            client = openai.OpenAI(base_url=f"http://{address}/v1", api_key=TOKEN)
            assert content(say(client, "hi", "late")) == "You said: hi"
