from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest

from actors import outbox_waiting
from actors.base import Runtime
from bxcore.decide import Skip
from bxcore.messages.outbox import Deliver, LookAgain
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles import bad_manners
from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.loopback import LoopbackServer
from tests.doubles.outbox_bench import UNTRUSTED, until
from tests.doubles.outbox_bench import OutboxBench as Bench


@pytest.fixture
def bench(outbox_bench: Bench) -> Bench:
    return outbox_bench


def done(bench: Bench) -> int:
    return bench.done()


def test_a_turn_is_two_messages_with_their_marks_in_the_sessions_own_session(bench: Bench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "the key is in the tin", "I will remember"),)))
    until(lambda: done(bench) == 1)
    user, reply = bench.wire.messages("k3f")
    assert (user.peer_id, user.content) == ("owner", "the key is in the tin")
    assert user.metadata == {"session": "k3f", "turn": 1, "part": 0}
    assert user.created_at.startswith("2026-11-02T10:00:00")
    assert (reply.peer_id, reply.content) == ("boxmaker", "I will remember")
    assert reply.metadata == {"session": "k3f", "turn": 1, "part": 1}
    assert [path for path, _ in bench.wire.requests] == ["messages"], "a fresh turn is not looked up"


def test_an_untrusted_turn_goes_to_the_untrusted_workspace_and_a_skipped_one_nowhere(bench: Bench) -> None:
    box = bench.start()
    rows = (bench.decided("a", "x", action=UNTRUSTED), bench.decided("b", "y", action=Skip("secret")))
    box.tell(Deliver(rows=rows))
    until(lambda: done(bench) == 1)
    assert bench.wire.said("a", "boxmaker-untrusted") == [("owner", "x"), ("boxmaker", "noted")]
    assert bench.wire.said("a") == []
    assert len(bench.wire.requests) == 1


def test_what_was_sent_is_found_by_the_workspace_chat(bench: Bench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "The spare key is in the blue tin."),)))
    until(lambda: done(bench) == 1)
    answer = bench.wire.client.chat("boxmaker", "Where is the spare key?", time.monotonic() + 5)
    assert answer is not None
    assert "blue tin" in answer


def test_turns_that_the_ledger_holds_at_the_start_are_sent(bench: Bench) -> None:
    for number in range(3):
        bench.decided("k3f", f"turn {number}")
    bench.start()
    until(lambda: done(bench) == 3)
    assert [content for peer, content in bench.wire.said("k3f") if peer == "owner"] == [
        "turn 0",
        "turn 1",
        "turn 2",
    ]


def test_a_turn_is_not_sent_again_after_a_restart(bench: Bench) -> None:
    bench.decided("k3f", "once")
    bench.start()
    until(lambda: done(bench) == 1)
    bench.stop()
    box = bench.start()
    box.tell(LookAgain())
    box.tell(Deliver(rows=(bench.decided("k3f", "twice"),)))
    until(lambda: done(bench) == 2)
    assert len(bench.wire.messages("k3f")) == 4


def test_nothing_is_lost_or_doubled_while_honcho_is_away(bench: Bench, logged: list[str]) -> None:
    box = bench.start()
    bench.wire.fate = lambda _: "down"
    box.tell(
        Deliver(rows=(bench.decided("a", "one"), bench.decided("a", "two"), bench.decided("b", "other")))
    )
    until(lambda: len(bench.wire.requests) > 3)
    assert done(bench) == 0
    bench.wire.fate = lambda _: "ok"
    until(lambda: done(bench) == 3)
    assert [content for _, content in bench.wire.said("a")] == ["one", "noted", "two", "noted"]
    assert len(bench.wire.said("b")) == 2
    assert sum("wait for honcho" in line for line in logged) == 1


def test_a_lost_answer_is_looked_up_and_not_sent_twice(bench: Bench) -> None:
    lost = iter(["lost"])
    bench.wire.fate = lambda request: next(lost, "ok") if request.url.path.endswith("/messages") else "ok"
    bench.start().tell(Deliver(rows=(bench.decided("k3f", "once"),)))
    until(lambda: done(bench) == 1)
    assert bench.wire.said("k3f") == [("owner", "once"), ("boxmaker", "noted")]
    assert bench.wire.appends() == 1


def test_a_kill_between_send_and_mark_doubles_nothing(bench: Bench) -> None:
    bench.decided("k3f", "once")
    bench.start()
    until(lambda: done(bench) == 1)
    bench.stop()
    (bench.folder / "delivered.jsonl").unlink()
    bench.start()
    until(lambda: done(bench) == 1)
    assert len(bench.wire.messages("k3f")) == 2
    assert bench.wire.appends() == 1


def test_only_the_part_that_is_missing_is_sent(bench: Bench) -> None:
    long = "x" * 25_000 * 4
    bench.decided("k3f", long, long)
    seen: list[int] = []

    def second_batch_fails(request: httpx.Request) -> str:
        if request.url.path.endswith("/messages"):
            seen.append(1)
            return "down" if len(seen) == 2 else "ok"
        return "ok"

    bench.wire.fate = second_batch_fails
    bench.start()
    until(lambda: done(bench) == 1)
    found = bench.wire.messages("k3f")
    assert sorted(message.metadata["part"] for message in found) == list(range(8))
    assert len(seen) == 3


def test_a_session_that_fails_lets_the_others_pass(bench: Bench) -> None:
    bench.wire.fate = lambda request: "down" if "/sessions/bad/" in request.url.path else "ok"
    rows = [bench.decided("bad", "x"), *(bench.decided(f"s{number}", "y") for number in range(5))]
    bench.start().tell(Deliver(rows=tuple(rows)))
    until(lambda: done(bench) == 5)
    assert bench.wire.said("bad") == []
    bench.wire.fate = lambda _: "ok"
    until(lambda: done(bench) == 6)


def test_what_honcho_refuses_for_good_is_parked_and_said(
    runtime: Runtime, tmp_path: Path, bench: Bench, logged: list[str]
) -> None:
    poisoned = tmp_path / "poisoned"
    poisoned.mkdir()
    bench.wire.honcho.close()
    bench.wire = HonchoWire(poisoned, poison=True)
    rows = (bench.decided("k3f", "a <|endoftext|> token"), bench.decided("k3f", "plain"))
    bench.start().tell(Deliver(rows=rows))
    until(lambda: done(bench) == 2)
    assert [content for _, content in bench.wire.said("k3f")] == ["plain", "noted"]
    assert any("turn 1 of session k3f is parked: 422" in line for line in logged)
    assert b'"is":"parked"' in (tmp_path / "delivered.jsonl").read_bytes()
    assert not any("endoftext" in line or "wait for honcho" in line for line in logged)


def test_more_than_it_holds_at_hand_is_sent_all_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_waiting, "HELD", 2)
    box = bench.start()
    bench.wire.fate = lambda _: "down"
    for number in range(7):
        box.tell(Deliver(rows=(bench.decided("k3f", f"turn {number}"),)))
    until(lambda: len(bench.wire.requests) > 2)
    bench.wire.fate = lambda _: "ok"
    until(lambda: done(bench) == 7)
    said = [content for peer, content in bench.wire.said("k3f") if peer == "owner"]
    assert said == [f"turn {number}" for number in range(7)]


def test_a_stop_does_not_wait_for_honcho(bench: Bench) -> None:
    bench.wire.fate = lambda _: "down"
    bench.start().tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    until(lambda: len(bench.wire.requests) > 0)
    began_s = time.monotonic()
    bench.stop()
    assert time.monotonic() - began_s < 2.0
    bench.wire.fate = lambda _: "ok"
    bench.start()
    until(lambda: done(bench) == 1)


def test_another_turn_of_that_number_in_honcho_is_not_this_one(bench: Bench) -> None:
    bench.decided("k3f", "of an earlier box")
    bench.start()
    until(lambda: done(bench) == 1)
    bench.stop()
    (bench.folder / "delivered.jsonl").unlink()
    (bench.folder / "sessions" / "k3f" / "0.jsonl").unlink()
    bench.turns.clear()
    bench.decided("k3f", "of this one")
    bench.start()
    until(lambda: done(bench) == 1)
    assert ("owner", "of this one") in bench.wire.said("k3f")


def test_a_stop_cuts_a_request_that_hangs_and_the_turn_still_waits(bench: Bench) -> None:
    bench.request_s = 60.0
    with LoopbackServer(bad_manners.silent) as server:
        box = bench.start(HonchoClient(HonchoServer(url=server.url)))
        box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
        until(lambda: len(server.requests) == 1)
        began_s = time.monotonic()
        bench.stop()
        assert time.monotonic() - began_s < 2.0
    assert done(bench) == 0
    bench.start()
    until(lambda: done(bench) == 1)


def test_a_turn_whose_log_is_gone_holds_up_nothing(bench: Bench) -> None:
    row = bench.decided("gone", "x")
    (bench.folder / "sessions" / "gone" / "0.jsonl").unlink()
    bench.start().tell(Deliver(rows=(row, bench.decided("k3f", "y"))))
    until(lambda: done(bench) == 2)
    assert bench.wire.appends() == 1
