from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from actors import fetch as fetch_module
from actors.base import Answer, Mailbox, Outcome, Reply, Runtime, Why
from actors.fetch import Fetch
from actors.supervising import Supervisor
from bxcore.args import HttpFetchArgs
from bxcore.grants import Grant, Mode
from bxcore.labels import Label, Level
from bxcore.messages.runner import RunTool
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.tool_answer import Effect, ToolAnswer, not_begun
from bxio.fetch.dialer import Dialer
from tests.doubles import bad_manners
from tests.doubles.far_place import dialer, leads_to, says
from tests.doubles.loopback import Connection, Handler, LoopbackServer
from tests.kit.leaks import Letters

LONG_S = 20.0
UNTRUSTED = Label(Level.PUBLIC, untrusted=True)


def grant(*hosts: str, mode: Mode = Mode.AUTO, **changed: Any) -> Grant:
    return Grant(id="docs", tool="http_fetch", mode=mode, text="", hosts=hosts, **changed)


@dataclass
class Runs:
    """The supervisor of the fetches, spoken to as the runner does."""

    runtime: Runtime
    supervisor: Mailbox
    boxes: list[Mailbox] = field(default_factory=list)

    def ask(self, url: str, over: Dialer | None = None, **changed: Any) -> Reply:
        name = f"runs/{len(self.boxes)}"
        box = self.runtime.mailbox(name, bound=4)
        self.boxes.append(box)
        spec = ChildSpec(name=name, start=partial(Fetch, dialer=over or dialer()), restart=Restart.TEMPORARY)
        self.supervisor.tell(StartChild(spec=spec, mailbox=box))
        call = RunTool(
            args=HttpFetchArgs(url, **changed.get("args", {})),
            grant=changed.get("grant", grant("far.example:1-65535")),
            session="k3f",
            call="c1",
            limit_s=changed.get("limit_s", LONG_S),
            stricter=changed.get("stricter", ()),
        )
        return box.ask(call, time.monotonic() + LONG_S)

    def all_ended(self) -> bool:
        until_s, pause = time.monotonic() + LONG_S / 2, threading.Event()
        while not all(box.closed for box in self.boxes):
            if time.monotonic() > until_s:
                return False
            pause.wait(0.005)
        return True


@pytest.fixture
def runs(runtime: Runtime) -> Runs:
    spec = SupervisorSpec(max_children=8)
    return Runs(runtime, runtime.start("runs", lambda context: Supervisor(context, spec)))


def answer(outcome: Outcome) -> ToolAnswer:
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.value, ToolAnswer)
    return outcome.value


def fetched(runs: Runs, handler: Handler, path: str = "/", **changed: Any) -> ToolAnswer:
    with LoopbackServer(handler) as server:
        port = server.port
        changed.setdefault("grant", grant(f"far.example:{port}"))
        told = answer(
            runs.ask(f"http://far.example:{port}{path}", **changed).outcome(time.monotonic() + LONG_S)
        )
    return ToolAnswer(ok=told.ok, content=told.content.replace(str(port), "PORT"), label=told.label)


def test_a_page_is_told_as_text_and_the_actor_ends(runs: Runs) -> None:
    html = b"<title>Jam</title><p>on the <b>shelf</b>"
    told = fetched(runs, says("200 Fine", "content-type: text/html", body=html), "/a?b")
    assert told == ToolAnswer(
        ok=True,
        content="HTTP 200 · text/html · 40 bytes · http://far.example:PORT/a?b\n\nJam\n\non the shelf",
        label=UNTRUSTED,
    )
    assert runs.all_ended()


def test_a_page_that_is_not_there_is_told_and_no_success(runs: Runs) -> None:
    told = fetched(runs, says("404 Gone", "content-type: text/plain", body=b"no such page"))
    assert not told.ok
    assert told.content.startswith("HTTP 404 ")
    assert told.content.endswith("no such page")
    assert told.label == UNTRUSTED


def test_what_is_no_text_is_told_with_its_size(runs: Runs) -> None:
    told = fetched(runs, says("200 Fine", "content-type: image/png", body=b"x" * 5))
    assert not told.ok
    assert told.content.endswith("this is image/png, 5 bytes; only text is shown")


def test_a_head_tells_headers(runs: Runs) -> None:
    told = fetched(runs, says("200 Fine", "etag: x", length=9), args={"method": "HEAD"})
    assert "etag: x" in told.content.split("\n")


def test_the_lesser_limit_of_call_and_grant_counts(runs: Runs) -> None:
    page = says("200 Fine", "content-type: text/plain", body=b"x" * 50)
    assert "the first 10 of 50" in fetched(runs, page, args={"max_bytes": 10}).content
    with LoopbackServer(page) as server:
        asked = runs.ask(
            f"http://far.example:{server.port}/", grant=grant(f"far.example:{server.port}", max_bytes=20)
        )
        assert "the first 20 of 50" in answer(asked.outcome(time.monotonic() + LONG_S)).content


def test_a_url_that_is_no_target_is_a_failure(runs: Runs) -> None:
    told = answer(runs.ask("http://127.1/").outcome(time.monotonic() + LONG_S))
    assert not told.ok
    assert told.content.startswith("the url's host is an address in an unusual form")


def test_an_address_that_is_not_public_is_a_failure(runs: Runs) -> None:
    told = answer(runs.ask("http://10.0.0.1/").outcome(time.monotonic() + LONG_S))
    assert told == not_begun("10.0.0.1 is not at a public address, so it is not fetched")


def test_an_address_that_is_not_public_and_that_a_page_has_named_is_a_strangers_word(runs: Runs) -> None:
    with LoopbackServer(leads_to("http://10.0.0.1/")) as server:
        allowed = grant(f"far.example:{server.port}", "10.0.0.1")
        asked = runs.ask(f"http://far.example:{server.port}/", grant=allowed)
        told = answer(asked.outcome(time.monotonic() + LONG_S))
    assert (told.content, told.label, told.effect) == (
        "10.0.0.1 is not at a public address, so it is not fetched",
        UNTRUSTED,
        Effect.DONE,
    )


def test_a_redirect_that_the_grant_does_not_cover_is_a_failure(runs: Runs) -> None:
    told = fetched(runs, leads_to("http://other.example/x"))
    assert not told.ok
    assert "does not cover" in told.content
    assert "http://other.example" in told.content


def test_a_redirect_under_a_stricter_grant_is_a_failure(runs: Runs) -> None:
    told = fetched(
        runs,
        leads_to("http://secret.far.example/"),
        grant=grant("*.far.example", "far.example"),
        stricter=(grant("secret.far.example", mode=Mode.DENY),),
    )
    assert not told.ok
    assert "needs a call of its own" in told.content


def test_the_calls_limit_holds(runs: Runs) -> None:
    began_s = time.monotonic()
    told = fetched(runs, bad_manners.drips_a_body, limit_s=0.3)
    assert not told.ok
    assert "took too long" in told.content
    assert time.monotonic() - began_s < LONG_S / 2


def test_an_asker_who_gives_up_ends_the_fetch(runs: Runs, letters: Letters) -> None:
    reading = threading.Event()

    def reads_and_is_silent(connection: Connection) -> None:
        reading.set()
        bad_manners.silent(connection)

    with LoopbackServer(reads_and_is_silent) as server:
        reply = runs.ask(f"http://far.example:{server.port}/")
        assert reading.wait(LONG_S)
        reply.abandon()
        assert runs.all_ended()
    assert letters.expect("runs/0", Why.LATE).type_name == "ToolAnswer"


def test_a_fetch_that_nobody_asks_ends(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_module.Fetch, "IDLE_S", 0.05)
    box = runs.runtime.mailbox("runs/idle", bound=4)
    runs.boxes.append(box)
    spec = ChildSpec(name="runs/idle", start=partial(Fetch, dialer=dialer()), restart=Restart.TEMPORARY)
    runs.supervisor.tell(StartChild(spec=spec, mailbox=box))
    assert runs.all_ended()
