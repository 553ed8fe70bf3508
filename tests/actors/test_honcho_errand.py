from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.base import (
    Answer,
    Dead,
    DeadLetters,
    Expired,
    Failed,
    Late,
    Outcome,
    Reply,
    Runtime,
    Why,
    gather,
)
from actors.honcho_chat import HonchoChat
from actors.honcho_errand import HonchoErrand
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatUnavailable
from bxio.honcho import HonchoServer
from tests.doubles import bad_manners, certificate
from tests.doubles.bad_manners import answers
from tests.doubles.certificate import Certificate
from tests.doubles.honcho_asks import MOST, Asks, until
from tests.doubles.loopback import Connection, LoopbackServer
from tests.kit.leaks import Letters, threads_left

LONG_S = 20.0
QUESTION = "where is the marmalade"


@pytest.fixture
def asks(runtime: Runtime) -> Asks:
    return Asks.begun(runtime, HonchoChat)


@pytest.fixture
def certified(tmp_path: Path) -> Certificate:
    return certificate.make(tmp_path)


def asked(asks: Asks, server: HonchoServer, deadline_s: float) -> Reply:
    return asks.ask(server, Chat(question=QUESTION), deadline_s)


def test_a_second_question_is_not_asked(asks: Asks, letters: Letters) -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        deadline_s = time.monotonic() + LONG_S
        box = asks.start(HonchoServer(url=server.url))
        first, second = (box.ask(Chat(question=QUESTION), deadline_s) for _ in range(2))
        assert first.outcome(deadline_s) == Answer(ChatAnswered(text="x"))
        assert isinstance(second.outcome(deadline_s), Failed)
        assert len(server.requests) == 1
    assert [letter.reason for letter in letters.read_all()] in ([], [Why.DEAD])


def test_a_question_that_nobody_waits_for_is_not_asked(asks: Asks) -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        asks.start(HonchoServer(url=server.url)).tell(Chat(question=QUESTION))
        assert asks.all_ended()
        assert server.requests == []


def test_an_actor_that_is_never_asked_ends(asks: Asks) -> None:
    asks.start(HonchoServer(url="http://127.0.0.1:9"))
    assert asks.all_ended()


def test_an_asker_that_gives_up_cuts_the_exchange_at_once_and_a_dead_letter_tells_of_it(
    asks: Asks, letters: Letters
) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(LONG_S)

    with LoopbackServer(hangs) as server:
        reply = asked(asks, HonchoServer(url=server.url), time.monotonic() + LONG_S)
        assert came.wait(LONG_S)
        reply.abandon()
        assert server.wait_idle()
    assert asks.all_ended()
    letter = letters.expect("asks/0-own", Why.LATE)
    assert letter.type_name == "ChatUnavailable"
    assert (QUESTION not in repr(letter), letter.size) == (True, len("cut off"))


def test_an_answer_after_the_deadline_is_a_dead_letter_with_its_size(asks: Asks, letters: Letters) -> None:
    go_on = threading.Event()

    def answers_late(connection: Connection) -> None:
        assert go_on.wait(LONG_S)
        answers(200, {"content": QUESTION * 3})(connection)

    with LoopbackServer(answers_late) as server:
        deadline_s = time.monotonic() + 0.1
        reply = asked(asks, HonchoServer(url=server.url), deadline_s)
        assert reply.outcome(deadline_s) == Late()
        go_on.set()
        assert asks.all_ended()
    letter = letters.expect("asks/0-own", Why.LATE)
    assert (letter.type_name, letter.size) == ("ChatAnswered", len(QUESTION * 3))
    assert QUESTION not in repr(letter)


def test_no_answer_is_waited_for_longer_than_a_second_after_the_deadline(
    asks: Asks, letters: Letters
) -> None:
    with LoopbackServer(bad_manners.drips_a_body) as server:
        deadline_s = time.monotonic() + 0.1
        asked(asks, HonchoServer(url=server.url), deadline_s).outcome(deadline_s)
        assert asks.all_ended()
        assert time.monotonic() - deadline_s < 1.0
        assert server.wait_idle()
    assert letters.expect("asks/0-own", Why.LATE).type_name == "ChatUnavailable"


def test_two_hanging_workspaces_are_over_after_one_limit(asks: Asks, letters: Letters) -> None:
    with LoopbackServer(bad_manners.silent) as one, LoopbackServer(bad_manners.drips_headers) as other:
        began_s = time.monotonic()
        deadline_s = began_s + 0.5
        replies = [asked(asks, HonchoServer(url=server.url), deadline_s) for server in (one, other)]
        assert gather(replies, deadline_s) == [Late(), Late()]
        assert 0.5 <= time.monotonic() - began_s < 1.0
    assert asks.all_ended()
    assert len(letters.read_all()) == 2


def test_a_stop_ends_a_hanging_chat_at_once(asks: Asks) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(LONG_S)

    with LoopbackServer(hangs) as server:
        deadline_s = time.monotonic() + LONG_S
        reply = asked(asks, HonchoServer(url=server.url), deadline_s)
        assert came.wait(LONG_S)
        began_s = time.monotonic()
        assert asks.runtime.stop("asks")
        assert time.monotonic() - began_s < LONG_S / 4
        assert reply.outcome(deadline_s) in (
            Answer(ChatUnavailable(error="cut off")),
            Failed(Dead("asks/0-own")),
        )


def timed_out(outcome: Outcome) -> bool:
    """On a busy machine a chat may start so late that it drops its question unread."""
    return isinstance(outcome, Late) or (isinstance(outcome, Failed) and isinstance(outcome.error, Expired))


@dataclass
class Counts:
    """What a timed-out ask must not leave."""

    threads: set[threading.Thread]
    descriptors: int

    @classmethod
    def now(cls) -> Counts:
        return cls(set(threading.enumerate()), len(list(Path("/proc/self/fd").iterdir())))


@pytest.fixture
def hanging(certified: Certificate) -> Iterator[list[tuple[LoopbackServer, HonchoServer]]]:
    """A silent, a dripping, a half-open and two TLS servers, each with how to reach it."""
    handlers = [
        bad_manners.silent,
        bad_manners.drips_headers,
        bad_manners.drips_a_body,
        bad_manners.half_open,
    ]
    servers = [LoopbackServer(handler) for handler in handlers]
    servers += [
        LoopbackServer(handler, tls=certified.server)
        for handler in (bad_manners.silent, bad_manners.drips_headers)
    ]
    yield [(server, HonchoServer(url=server.url, roots=certified.client)) for server in servers]
    for server in servers:
        server.close()


@pytest.mark.timeout(60)
def test_a_thousand_timed_out_asks_leave_no_thread_and_no_descriptor(
    asks: Asks,
    letters: Letters,
    hanging: list[tuple[LoopbackServer, HonchoServer]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HonchoErrand, "LISTENS_ON_S", 0.05)
    over_s = 0.0
    before = Counts.now()
    for batch in range(1000 // MOST + 1):
        deadline_s = time.monotonic() + 0.25
        size = min(MOST, 1000 - batch * MOST)
        replies = [asked(asks, hanging[at % len(hanging)][1], deadline_s) for at in range(size)]
        outcomes = gather(replies, deadline_s)
        over_s = max(over_s, time.monotonic() - deadline_s)
        assert all(timed_out(outcome) for outcome in outcomes), outcomes
        assert asks.all_ended()
    assert over_s < 1.0
    assert all(server.wait_idle() for server, _ in hanging)
    assert sum(server.accepted for server, _ in hanging) > 500, "most were on their way when time was up"
    assert threads_left(before.threads) == []
    assert until(lambda: Counts.now().descriptors == before.descriptors)
    assert _counted(asks.runtime.dead_letters) == 1000
    letters.read_all()


def _counted(dead_letters: DeadLetters) -> int:
    return sum(times for (address, _), times in dead_letters.counts().items() if address.startswith("asks/"))
