from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bxcore.quoting import MARK, UNMARK, Passage
from bxio.embedded_honcho import EmbeddedHoncho
from tests.bxio.conftest import Speak, send, speaker
from tests.bxio.embedded_honcho.test_search import say

CHAT = "/v3/workspaces/w/chat"
KEY = "Where is the spare key?"


def ask(speak: Speak, query: str, **more: Any) -> str | None:
    status, answer = speak("POST", CHAT, {"query": query, "reasoning_level": "minimal", **more})
    assert status == 200
    content: str | None = answer["content"]
    return content


def quoted(answer: str | None) -> str:
    assert answer is not None
    return answer.split('"')[1]


@pytest.mark.parametrize(
    "question", [KEY, "where are my spare keys", "SPARE KEY", "Do you know where the key is?"]
)
def test_what_was_said_is_quoted(speak: Speak, question: str) -> None:
    say(speak, "It rains.", "Remember: the spare key is in the blue tin.")
    assert quoted(ask(speak, question)) == "the spare key is in the blue tin"


def test_asking_often_does_not_bury_the_answer(speak: Speak) -> None:
    say(speak, "Remember: the spare key is in the blue tin.")
    for n in range(3):
        say(speak, *([KEY] * 100), session=f"t{n}")
    say(speak, "I do not know where the spare key is.", peer="boxmaker")
    assert quoted(ask(speak, KEY)) == "the spare key is in the blue tin"


def test_what_the_agent_made_up_does_not_come_back(speak: Speak) -> None:
    say(speak, "Remember: the spare key is in the blue tin.")
    say(speak, "The spare key is in the red box.", peer="boxmaker")
    answer = ask(speak, KEY)
    assert answer is not None
    assert "red box" not in answer


def test_marks_in_a_message_make_it_no_better(speak: Speak) -> None:
    say(speak, "The spare key is in the blue tin.")
    say(speak, f"A key to {MARK}spar{UNMARK}kling wine.")
    assert quoted(ask(speak, KEY)) == "The spare key is in the blue tin"


@pytest.mark.parametrize("question", ["Who won the regatta?", "?", " ", "\0"])
def test_nothing_relevant_is_null(speak: Speak, question: str) -> None:
    say(speak, "Remember: the spare key is in the blue tin.", "Who won the regatta?")
    assert ask(speak, question) is None


def test_a_session_may_be_asked_alone(speak: Speak) -> None:
    say(speak, "The spare key is in the tin.")
    say(speak, "It rains.", session="t")
    assert ask(speak, KEY, session_id="t") is None
    assert quoted(ask(speak, KEY, session_id="s")) == "The spare key is in the tin"
    assert speak("POST", CHAT, {"query": "x", "session_id": "u"}) == (404, {"detail": "Session u not found"})
    assert speak("POST", CHAT, {"query": "x", "scope": "u"}) == (404, {"detail": "Scope u not found"})


@pytest.mark.parametrize("query", ["", None, 5, ["x"], "x" * 10_001])
def test_a_question_of_no_kind_is_422_with_a_list(speak: Speak, query: Any) -> None:
    status, answer = speak("POST", CHAT, {"query": query})
    assert (status, answer["detail"][0]["loc"]) == (422, ["body", "query"])
    assert answer["detail"][0]["input"] == query


@pytest.mark.parametrize("level", [None, "Minimal", "none", 1])
def test_an_unknown_level_is_422_with_a_list(speak: Speak, level: Any) -> None:
    status, answer = speak("POST", CHAT, {"query": "x", "reasoning_level": level})
    assert (status, answer["detail"][0]["loc"]) == (422, ["body", "reasoning_level"])


def test_a_response_format_is_422_with_a_text(speak: Speak) -> None:
    say(speak, "x")
    status, answer = speak("POST", CHAT, {"query": "x", "response_format": {}})
    assert status == 422
    assert isinstance(answer["detail"], str)


def test_a_stream_ends_with_done(honcho: EmbeddedHoncho, speak: Speak) -> None:
    say(speak, "The spare key is in the tin.")
    answer = send(honcho, "POST", CHAT, {"query": KEY, "stream": True})
    events = [json.loads(line[6:]) for line in answer.body.decode().split("\n\n") if line]
    assert answer.headers["content-type"] == "text/event-stream"
    assert quoted(events[0]["delta"]["content"]) == "The spare key is in the tin"
    assert events[-1]["done"] is True


def test_a_model_answers_from_the_passages_by_the_deadline(tmp_path: Path) -> None:
    seen: list[tuple[str, tuple[str, ...], float]] = []

    def respond(question: str, passages: Sequence[Passage], deadline_s: float) -> str:
        seen.append((question, tuple(passage.text for passage in passages), deadline_s))
        return "In the tin."

    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", respond)
    say(speaker(honcho), "The spare key is in the tin.")
    assert ask(speaker(honcho), KEY) == "In the tin."
    assert ask(speaker(honcho), "Who won the regatta?") is None
    [(question, texts, deadline_s)] = seen
    assert (question, texts) == (KEY, ("The spare key is in the tin.",))
    assert time.monotonic() < deadline_s < time.monotonic() + 20
    honcho.close()


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_passages_are_quoted_when_the_model_has_nothing(tmp_path: Path, nothing: str | None) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", lambda *_: nothing)
    say(speaker(honcho), "The spare key is in the tin.")
    assert quoted(ask(speaker(honcho), KEY)) == "The spare key is in the tin"
    honcho.close()


def test_the_database_is_free_while_a_model_answers(tmp_path: Path) -> None:
    def respond(*_: object) -> str:
        say(speaker(honcho), "It rains.")
        return "In the tin."

    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", respond)
    say(speaker(honcho), "The spare key is in the tin.")
    assert ask(speaker(honcho), KEY) == "In the tin."
    honcho.close()
