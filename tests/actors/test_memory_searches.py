"""Recall with a real Honcho beside the index: two seconds at most, labels by workspace, no secret sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.base import Mailbox, Runtime, Why
from actors.honcho_search import HonchoSearch
from actors.supervising import Supervisor
from bxcore.args import RecallArgs
from bxcore.labels import NEW_SESSION
from bxcore.messages.memory import Recall
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer, NewMessage
from tests.doubles import bad_manners
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.loopback import LoopbackServer
from tests.doubles.memory_bench import MemoryBench, ended, recall
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

TOKEN = "ghp_" + "a1B2" * 9
FAR_S = 20.0


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[HonchoPort]:
    embedded = EmbeddedHoncho(tmp_path / "honcho.sqlite", agent="boxmaker")
    with HonchoPort(embedded) as port:
        yield port
    embedded.close()


@pytest.fixture
def start(
    runtime: Runtime, probe: Callable[[str], Probe], tmp_path: Path
) -> Iterator[Callable[..., tuple[Mailbox, MemoryBench]]]:
    def started(url: str, search_s: float = 2.0) -> tuple[Mailbox, MemoryBench]:
        client = HonchoClient(HonchoServer(url=url))

        def child(name: str, workspace: str) -> ChildSpec:
            return ChildSpec(
                name=name,
                restart=Restart.TEMPORARY,
                start=lambda context: HonchoSearch(context, client=client, workspace=workspace),
            )

        asks = runtime.start("asks", lambda context: Supervisor(context, SupervisorSpec(max_children=8)))
        bench = MemoryBench(
            folder=tmp_path, asks=asks, outbox=probe("outbox").box, search=child, search_s=search_s
        )
        return runtime.start("memory", bench.make), bench

    yield started
    for name in ("memory", "asks"):
        if runtime.life(name) is not None:
            runtime.stop(name)


def say(honcho: HonchoPort, workspace: str, text: str, **metadata: object) -> None:
    client = HonchoClient(HonchoServer(url=honcho.url))
    message = NewMessage(peer="owner", content=text, metadata=metadata, created_at="2026-10-01T10:00:00Z")
    client.append(workspace, "elsewhere", [message], time.monotonic() + FAR_S)


def test_what_honcho_knows_and_this_box_does_not_is_found_too(
    start: Callable[..., tuple[Mailbox, MemoryBench]], honcho: HonchoPort
) -> None:
    say(honcho, "boxmaker", "the ladder is in the shed")
    say(honcho, "boxmaker-untrusted", "the ladder is broken")
    box, bench = start(honcho.url)
    bench.turn("k3f", "I lent the ladder to Tom")
    ended(box, "k3f", 1)
    found = recall(box, "where is the ladder?")
    assert [line for line in found.content.splitlines() if line.startswith("[")] == [
        "[1] memory · session k3f turn 1, 2026-11-02 · private",
        "[2] memory · own, owner, 2026-10-01 · private",
        "[3] memory-tainted · untrusted, owner, 2026-10-01 · private",
    ]
    assert found.label.untrusted


def test_what_the_index_shows_is_not_shown_again(
    start: Callable[..., tuple[Mailbox, MemoryBench]], honcho: HonchoPort
) -> None:
    say(honcho, "boxmaker", "I lent the ladder to Tom", session="k3f", turn=1, part=0)
    box, bench = start(honcho.url)
    bench.turn("k3f", "I lent the ladder to Tom")
    ended(box, "k3f", 1)
    assert "[2]" not in recall(box, "ladder").content
    assert "nothing found" in recall(box, "ladder", session="k3f").content


def test_the_loops_own_recall_asks_nobody(start: Callable[..., tuple[Mailbox, MemoryBench]]) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        box, _ = start(server.url)
        found = recall(box, "ladder", trusted_only=True)
        assert (server.requests, found.label) == ([], NEW_SESSION)


def test_a_query_with_a_secret_is_looked_up_here_alone(
    start: Callable[..., tuple[Mailbox, MemoryBench]],
) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        box, _ = start(server.url)
        assert "nothing found" in recall(box, f"is {TOKEN} mine?").content
        assert server.requests == []


def test_an_empty_answer_says_which_workspaces_were_searched(
    start: Callable[..., tuple[Mailbox, MemoryBench]], honcho: HonchoPort
) -> None:
    box, _ = start(honcho.url)
    assert recall(box, "ladder").content.startswith(
        "nothing found; searched 0 turns and 0 notes, and in Honcho own and untrusted"
    )


def test_a_silent_honcho_costs_its_limit_once_and_holds_up_nobody(
    start: Callable[..., tuple[Mailbox, MemoryBench]], logged: list[str], letters: Letters
) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        box, bench = start(server.url, search_s=0.4)
        bench.turn("k3f", "I lent the ladder to Tom")
        ended(box, "k3f", 1)
        began_s = time.monotonic()
        asked = box.ask(Recall(args=RecallArgs("ladder"), session="x"), began_s + FAR_S)
        assert "[1]" in recall(box, "ladder", trusted_only=True).content
        assert asked.pending
        assert "[1]" in asked.get(FAR_S).content
        assert time.monotonic() - began_s < 5.0
        until_s = time.monotonic() + FAR_S
        while len(letters.unread()) < 2 and time.monotonic() < until_s:
            recall(box, "ladder", trusted_only=True)
        assert {letter.reason for letter in letters.read_all()} == {Why.LATE}
    unavailable = [line for line in logged if line.startswith("recall: ")]
    assert unavailable == [
        "recall: own unavailable: no answer in 400 ms",
        "recall: untrusted unavailable: no answer in 400 ms",
    ]


def test_an_honcho_that_is_down_is_said_in_the_log_and_recall_answers(
    start: Callable[..., tuple[Mailbox, MemoryBench]], logged: list[str]
) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        url = server.url
    box, _ = start(url)
    assert recall(box, "ladder").content.startswith(
        "nothing found; searched 0 turns and 0 notes; other words"
    )
    assert sum("unavailable: the connection was refused" in line for line in logged) == 2
    assert not any("ladder" in line for line in logged)
