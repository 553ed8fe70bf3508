"""A model that comes and goes, seen from a chat: each turn ends with a reply or a clear sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.honcho_asks import until
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, turns

Serve = Callable[..., ModelServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server that says the same at each request; ``port`` is where one was before."""
    with ExitStack() as servers:
        yield lambda step, port=0: servers.enter_context(ModelServer(lambda _body: step, port=port))


def free_port() -> int:
    with ModelServer() as server:
        pass
    return server.port


def url(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def talk(box: Box, text: str = "hi") -> tuple[str | None, str]:
    """One turn of one session: the reply, and what was said beside it or in its place."""
    chat = box.chatting(text)
    out, err = chat.communicate(timeout=30)
    (turn,) = (line for line in out.splitlines() if line)
    said: Any = json.loads(turn)
    return said["reply"], err


def doctor(box: Box) -> dict[str, str]:
    lines = box.bxctl("doctor", "--json").stdout.splitlines()
    checks = [json.loads(line) for line in lines]
    return {check["name"]: check["sentence"] for check in checks}


@pytest.mark.timeout(120)
def test_a_single_model_may_be_down_at_the_start_and_go_and_come_back(serve: Serve, tmp_path: Path) -> None:
    port = free_port()
    toml = f'[model]\nurl = "{url(port)}"\nprofile = "native"\n'
    with Box(tmp_path / "home", toml) as box:
        reply, said = talk(box)
        assert reply is None
        assert f"the model's server at {url(port)} cannot be reached (connection refused); start it" in said
        with ModelServer(lambda _body: {"say": "hello"}, port=port):
            assert talk(box)[0] == "hello"
        stalls: Step = {"say": "hello there everybody", "cut_after": 2}
        with ModelServer(lambda _body: stalls, port=port):
            reply, said = talk(box)
            assert reply is None
            assert "ended the connection in the middle of its answer" in said
        with ModelServer(lambda _body: {"say": "back"}, port=port):
            assert talk(box)[0] == "back"
        with ModelServer(lambda _body: {"wait_s": 0.5, "hang_up": True}, port=port) as dying:
            chat = box.chatting("hi")
            assert until(lambda: bool(dying.chats))
        (turn,) = turns(chat)
        assert turn["reply"] is None
        serve({"say": "here again"}, port=port)
        assert talk(box)[0] == "here again"
        assert doctor(box)["model"] == f"scripted at {url(port)}, native profile"


@pytest.mark.timeout(120)
def test_of_two_models_the_second_stands_in_and_the_first_is_taken_back(serve: Serve, tmp_path: Path) -> None:
    first = free_port()
    second = serve({"say": "second"})
    toml = (
        f'[model]\nurl = "{url(first)}"\nprofile = "native"\n'
        f'[[model.also]]\nurl = "{second.url}"\nprofile = "native"\n'
    )
    with Box(tmp_path / "home", toml) as box:
        assert talk(box)[0] == "second"
        found = doctor(box)
        assert f"at {second.url}, native profile; {url(first)} is left alone" in found["model"]
        assert "cannot be reached" in found["model 1"]
        assert "in use" in found["model 2"]
        with ModelServer(lambda _body: {"say": "first"}, port=first):
            assert until(lambda: "in use" in doctor(box)["model 1"])
            assert talk(box)[0] == "first"
        reply, said = talk(box)
        assert reply == "second"
        assert "cannot be reached (connection refused); start it, or check [model] url; the model's" in said
        assert f"server at {second.url} is asked instead" in said
        assert box.json("status")["problems"] == []
