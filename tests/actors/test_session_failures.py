"""Each sentence of docs/model.md is what a turn ends with when a server at the wire fails in that way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from actors.base import Runtime
from bxcore.messages.loop import Notice, TurnEvent
from bxcore.messages.model import Endpoint, GetEndpoint, NoModel
from bxcore.model import repetition
from bxio.deadline_http import Cut
from bxio.model import ModelClient, ModelUnavailable
from bxio.model import listed as listed_module
from bxio.model.probe import describe
from tests.doubles import bad_manners
from tests.doubles.bad_manners import answers
from tests.doubles.loop_bench import LoopBench
from tests.doubles.loopback import Handler, LoopbackServer
from tests.doubles.model_bench import ModelBench, remote
from tests.doubles.raw_model import DONE, end, event, sends, text

PAGE = (Path(__file__).parents[2] / "docs" / "model.md").read_text("utf-8")
SENTENCES, LINES = (
    re.findall(r"^\| `(.+?)` \|", part, flags=re.MULTILINE)
    for part in PAGE.partition("## The sentences")[2].split("Beside a reply")
)
KEY = "sk-proj-" + "A1b2C3d4" * 6


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to fail: a server's handler or an address, and what is configured around it."""

    handler: Handler | None = None
    url: str = ""
    endpoint: Mapping[str, Any] = field(default_factory=dict)
    first_token_s: float = 5.0
    answer_s: float = 10.0


def refuses(status: int, words: str = "no", **headers: str) -> Way:
    """Each request is refused; the server's words hold a secret, as they do."""
    body = {"error": {"message": f"{words} {KEY} my-own-key"}}
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Way(handler=answers(status, body, headers=fields))


CALL = event(
    choices=[{"delta": {"tool_calls": [{"index": 0, "function": {"name": "clock", "arguments": "{}"}}]}}]
)
THOUGHT = event(choices=[{"delta": {"reasoning_content": "hm"}}])
CIRCLES = [event(choices=[{"delta": {"reasoning_content": "wait, no, " * 100}}])] * 5
WAYS: Mapping[str, Way] = {
    "SERVER cannot be reached": Way(url="http://127.0.0.1:1/v1"),
    "URL holds no host": Way(url="http://xn--a/v1"),
    "URL is no http": Way(url="ftp://127.0.0.1/v1"),
    "SERVER speaks no HTTP": Way(handler=bad_manners.speaks_no_http),
    "SERVER ended the connection before": Way(handler=bad_manners.hangs_up),
    "SERVER ended the connection in": Way(handler=sends(text("hello"), 0.05)),
    "SERVER gave no first token": Way(handler=bad_manners.silent, first_token_s=0.2),
    "SERVER stood still": Way(handler=sends(text("a"), stays=True), endpoint={"stall_s": 0.2}),
    "SERVER did not finish": Way(handler=sends(text("a"), stays=True), answer_s=0.3),
    "SERVER answered with": Way(handler=sends(b"<html>", kind="text/html")),
    "SERVER answered 3NN": refuses(307, location="http://127.0.0.1:2/v1"),
    "SERVER answered 400: the conv": refuses(400, "the context is too small"),
    "SERVER answered 400: look at its log": refuses(400),
    "SERVER answered 400: look at its log; this session": Way(
        handler=answers(400, {}), endpoint={"profile": "json"}
    ),
    "SERVER answered 401": refuses(401),
    "SERVER answered 402": refuses(402),
    "SERVER answered 404": refuses(404),
    "SERVER answered 405": refuses(405),
    "SERVER answered 413": refuses(413),
    "SERVER answered 429": refuses(429, retry_after="300"),
    "SERVER answered 500": refuses(500),
    "SERVER answered 502": refuses(502),
    "SERVER answered 503": Way(handler=answers(503, "Loading model"), first_token_s=0.3),
    "SERVER answered 504": refuses(504),
    "the model's reply was empty": Way(handler=sends(end(), DONE)),
    "the model used its whole": Way(handler=sends(THOUGHT, end("length"), DONE)),
    "the model went on thinking": Way(handler=sends(*CIRCLES, stays=True)),
    "the model's server held": Way(handler=sends(end("content_filter"), DONE)),
    "the model called tools": Way(handler=sends(CALL, end("tool_calls"), DONE)),
}
ELSEWHERE = {"SERVER gave no answer within", "none of the N models"}
"""Of the model's actor, before a turn has a server."""


def pattern(row: str) -> re.Pattern[str]:
    """What a row of the page looks like at the wire; the server's own words may follow, or stand within."""
    found = re.escape(row)
    for name, like in {
        "3NN": "307",
        r"\(WHY\)": r"\(.+\)",
        "WHY": ".+",
        "WHAT": ".+",
        "URL": r"[a-z]+://\S+?",
        r"\ N\ ": r"\ [0-9.]+\ ",
        r"\ P\ ": r"\ (?:json|native)\ ",
    }.items():
        found = found.replace(name, like)
    quoted = r"(?: \(\".*\"\))?"
    return re.compile(
        found.replace("log;", f"log{quoted};") + rf"(?:; it asks to be left alone for \d+ s)?{quoted}"
    )


def row(key: str, rows: list[str]) -> str:
    """The row that begins so, the shortest that does."""
    return min((each for each in rows if each.startswith(key)), key=len)


@pytest.fixture
def turn(bench: Callable[..., LoopBench]) -> Iterator[Callable[[Way], tuple[Any, list[TurnEvent], str]]]:
    """Run one turn against a server of this kind: how it ended, what was shown, the server's address."""
    with ExitStack() as open_servers:

        def run(way: Way) -> tuple[Any, list[TurnEvent], str]:
            url = way.url
            if way.handler is not None:
                url = f"{open_servers.enter_context(LoopbackServer(way.handler)).url}/v1"
            plan = {"url": url, "name": "m", "profile": "native", "api_key": "my-own-key"}
            fields = {**plan, "prompt_tokens_per_s": 1e6, **way.endpoint}
            made = bench(
                endpoint=Endpoint(**fields),
                changes={
                    "client": lambda endpoint: ModelClient(
                        endpoint, first_token_s=way.first_token_s, retry_s=0.1
                    ),
                    "answer_s": way.answer_s,
                    "max_rounds": 2,
                },
            )
            result = (
                made.say("hi") if "profile" not in way.endpoint else _begun_natively(made, endpoint=fields)
            )
            return result, made.events(), url

        yield run


def _begun_natively(made: LoopBench, endpoint: dict[str, Any]) -> Any:
    """A session of one profile that then meets a server of the other."""
    other = made.endpoint
    made.endpoint = Endpoint(**{**endpoint, "profile": "native"})
    made.say("hi")
    made.endpoint = other
    return made.say("hi again")


def test_the_page_has_a_row_for_each_way_and_a_way_for_each_row() -> None:
    assert {row(key, SENTENCES) for key in (*WAYS, *ELSEWHERE)} == set(SENTENCES)
    assert len(WAYS) + len(ELSEWHERE) == len(SENTENCES)


@pytest.mark.parametrize("key", WAYS)
def test_a_turn_ends_with_the_sentence_of_the_page(
    key: str, turn: Callable[[Way], tuple[Any, list[TurnEvent], str]]
) -> None:
    result, _, url = turn(WAYS[key])
    assert result.reply is None
    sentence = result.failed.replace(f"the model's server at {url}", "SERVER")
    assert pattern(row(key, SENTENCES)).fullmatch(sentence), sentence
    assert "my-own-key" not in sentence
    assert KEY[:12] not in sentence


def test_a_server_that_does_not_even_list_its_models_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_module, "WAIT_S", 0.2)
    with LoopbackServer(bad_manners.silent) as server:
        plan = Endpoint(url=f"{server.url}/v1", name="m", profile="native")
        with pytest.raises(ModelUnavailable) as caught:
            describe(plan, profile="native", configured_context=None, cut=Cut())
    sentence = caught.value.sentence.replace(f"the model's server at {plan.url}", "SERVER")
    assert pattern(row("SERVER gave no answer", SENTENCES)).fullmatch(sentence)


def test_that_none_of_several_answers_is_said(runtime: Runtime, tmp_path: Path) -> None:
    made = ModelBench(runtime, tmp_path)
    model = made.start(remote("http://127.0.0.1:1/v1"), remote("http://127.0.0.1:2/v1"))
    found = model.call(GetEndpoint(), 10)
    assert isinstance(found, NoModel)
    assert pattern(row("none of the N", SENTENCES)).fullmatch(found.sentence)


LOOPS = text("la " * (repetition.TAIL // 3 + repetition.LOOK))
TOLD: Mapping[str, Way] = {
    "the reply was cut at": Way(handler=sends(text("a"), end("length"), DONE)),
    "the reply was cut: the model went on rep": Way(handler=sends(LOOPS, stays=True)),
    "the reply was cut: the model went on thi": Way(handler=sends(text("a"), *CIRCLES, stays=True)),
    "the reply was cut by": Way(handler=sends(text("a"), end("content_filter"), DONE)),
    "SERVER is loading": Way(
        handler=bad_manners.in_turn([answers(503, "Loading model"), sends(text("a"), end(), DONE)])
    ),
    "SERVER takes no": Way(
        handler=bad_manners.in_turn(
            [answers(429, {}, headers={"retry-after": "1"}), sends(text("a"), end(), DONE)]
        )
    ),
    "this session was begun": Way(handler=sends(text("a"), end(), DONE), endpoint={"profile": "json"}),
}


def test_each_line_of_the_page_has_its_way() -> None:
    assert {row(key, LINES) for key in (*TOLD, "WHY; SERVER is asked")} == set(LINES)


@pytest.mark.parametrize("key", TOLD)
def test_a_line_beside_a_reply_is_that_of_the_page(
    key: str, turn: Callable[[Way], tuple[Any, list[TurnEvent], str]]
) -> None:
    result, events, url = turn(TOLD[key])
    assert result.reply is not None
    told = [each.text for each in events if isinstance(each, Notice)]
    lines = [line.replace(f"the model's server at {url}", "SERVER") for line in told]
    assert [line for line in lines if pattern(row(key, LINES)).fullmatch(line)], lines
