"""Outages, and contents that Honcho never takes: at the end it holds each turn once (spec 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from bxcore.messages.outbox import Deliver
from bxcore.records import SessionStart
from bxio.session_store import SessionStore
from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.outbox_bench import UNTRUSTED, OutboxBench, show, until

POISON_500 = "a <|fim_prefix|> token"
POISON_422 = "a <|endoftext|> token"


@pytest.fixture
def bench(outbox_bench: OutboxBench, tmp_path: Path) -> OutboxBench:
    """One whose Honcho has the real one's poison."""
    outbox_bench.wire.honcho.close()
    poisoned = tmp_path / "poisoned"
    poisoned.mkdir()
    outbox_bench.wire = HonchoWire(poisoned, poison=True)
    return outbox_bench


def each(fates: Iterator[str]) -> Callable[[httpx.Request], str]:
    return lambda _: next(fates)


def is_append(request: httpx.Request) -> bool:
    return request.url.path.endswith("/messages")


def users(bench: OutboxBench, session: str = "k3f", workspace: str = "boxmaker") -> list[str]:
    return [content for peer, content in bench.wire.said(session, workspace) if peer == "owner"]


def test_two_hundred_turns_of_an_outage_arrive_once_and_in_order(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    for number in range(200):
        session = f"s{number % 4}"
        action = UNTRUSTED if session == "s3" else None
        said = f"turn {number}"
        row = bench.decided(session, said, action=action) if action else bench.decided(session, said)
        box.tell(Deliver(rows=(row,)))
    until(lambda: len(bench.wire.requests) > 5)
    assert show(box).waiting == 200
    assert show(box).failing == "unreachable"
    before = bench.wire.appends()
    bench.wire.fate = lambda _: "ok"
    until(lambda: bench.done() == 200)
    for number in range(4):
        workspace = "boxmaker-untrusted" if number == 3 else "boxmaker"
        assert users(bench, f"s{number}", workspace) == [f"turn {turn}" for turn in range(number, 200, 4)]
    assert bench.wire.appends() - before < 20, "what waits together goes together"


def test_turns_of_several_epochs_that_wait_go_together_and_in_order(bench: OutboxBench) -> None:
    rows = []
    for epoch in range(3):
        rows += [bench.decided("k3f", f"turn {epoch}.{number}") for number in range(2)]
        opened = SessionStore(bench.folder / "sessions").open("k3f")
        opened.begin_epoch(
            SessionStart(baseline="", log=bench.log, epoch=epoch + 1, turns=opened.turns, summary="they talk")
        )
        opened.close()
    box = bench.start()
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 0)
    assert users(bench) == [f"turn {epoch}.{number}" for epoch in range(3) for number in range(2)]


@pytest.mark.parametrize("status", ["500", "503", "429", "lost"])
def test_a_failure_of_every_third_request_doubles_and_parks_nothing(bench: OutboxBench, status: str) -> None:
    count = iter(range(1, 100_000))
    bench.wire.fate = lambda _: status if next(count) % 3 == 0 else "ok"
    rows = tuple(bench.decided("k3f", f"turn {number}") for number in range(60))
    box = bench.start()
    box.tell(Deliver(rows=rows[:30]))
    until(lambda: show(box).waiting == 0)
    for row in rows[30:]:
        box.tell(Deliver(rows=(row,)))
    until(lambda: show(box).waiting == 0)
    assert users(bench) == [f"turn {number}" for number in range(60)]
    assert show(box).parked == 0


def test_a_reset_after_the_batch_was_stored_is_found_there(bench: OutboxBench) -> None:
    fates = iter(["lost"])
    bench.wire.fate = lambda request: next(fates, "ok") if is_append(request) else "ok"
    box = bench.start()
    assert show(box).waiting == 0
    box.tell(Deliver(rows=tuple(bench.decided("k3f", f"turn {number}") for number in range(20))))
    until(lambda: bench.done() == 20)
    assert users(bench) == [f"turn {number}" for number in range(20)]
    assert bench.wire.appends() == 1


@pytest.mark.parametrize("poison", [POISON_422, POISON_500])
@pytest.mark.parametrize("places", [{0}, {7}, {19}, {3, 4}, {0, 1, 2}])
def test_poison_among_good_turns_is_parked_and_shown(
    bench: OutboxBench, poison: str, places: set[int]
) -> None:
    said = [poison if number in places else f"turn {number}" for number in range(20)]
    rows = tuple(bench.decided("k3f", text) for text in said)
    box = bench.start()
    box.tell(Deliver(rows=rows))
    until(lambda: show(box).waiting == 0)
    assert users(bench) == [text for number, text in enumerate(said) if number not in places]
    shown = show(box)
    assert [row.id for row in shown.rows] == [f"k3f.{place + 1}" for place in sorted(places)]
    assert {row.state for row in shown.rows} == {"parked"}
    assert {row.why[:3] for row in shown.rows} == {"422" if poison == POISON_422 else "500"}
    assert not any("token" in row.why for row in shown.rows)
    assert not bench.facts[-1].ok


def test_a_server_that_answers_500_to_everything_parks_nothing(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "500"
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided(f"s{number % 3}", "x") for number in range(12))))
    until(lambda: len(bench.wire.requests) > 60)
    assert (show(box).waiting, show(box).parked) == (12, 0)
    bench.wire.fate = lambda _: "ok"
    until(lambda: show(box).waiting == 0)
    assert show(box).parked == 0


def test_a_token_that_is_revoked_parks_nothing_and_says_so(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "401"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    until(lambda: len(bench.wire.requests) > 3)
    assert show(box).failing == "401, the token was refused"
    assert [(row.state, row.why) for row in show(box).rows] == [("waiting", "401, the token was refused")]
    bench.wire.fate = lambda _: "ok"
    until(lambda: show(box).waiting == 0)
    assert users(bench) == ["x"]
    assert show(box).failing == ""


def test_a_slow_server_delays_its_own_turns_alone(bench: OutboxBench) -> None:
    bench.wire.fate = lambda request: "504" if "/sessions/slow/" in request.url.path else "ok"
    rows = [bench.decided("slow", "x"), *(bench.decided(f"s{number}", "y") for number in range(8))]
    box = bench.start()
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 1)
    assert [row.session for row in show(box).rows] == ["slow"]


def test_after_a_start_only_what_may_have_been_sent_is_looked_up(bench: OutboxBench) -> None:
    for number in range(150):
        bench.decided(f"s{number % 3}", f"turn {number}")
    bench.start()
    until(lambda: bench.done() == 150)
    lookups = sum(path == "list" for path, _ in bench.wire.requests)
    assert lookups == 3, "one a session: the first turn is not there, so none behind it is"
    for session in range(3):
        assert users(bench, f"s{session}") == [f"turn {number}" for number in range(session, 150, 3)]


def test_a_session_begun_anew_under_its_old_name_is_sent_anew(bench: OutboxBench) -> None:
    bench.log = "l1"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "the same words"),)))
    until(lambda: bench.done() == 1)
    bench.begin_anew("k3f", "l2")
    box.tell(Deliver(rows=(bench.decided("k3f", "the same words"),)))
    until(lambda: bench.done() == 2)
    assert users(bench) == ["the same words"] * 2
    assert [message.metadata.get("log") for message in bench.wire.messages("k3f")] == ["l1"] * 2 + ["l2"] * 2


def test_a_turn_of_a_log_that_was_deleted_is_not_the_new_ones(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    bench.log = "l1"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "of before"),)))
    bench.begin_anew("k3f", "l2")
    box.tell(Deliver(rows=(bench.decided("k3f", "of now"),)))
    bench.wire.fate = lambda _: "ok"
    until(lambda: bench.done() == 2)
    assert users(bench) == ["of now"]


def test_without_save_nothing_is_sent_and_the_view_says_why(bench: OutboxBench) -> None:
    bench.save = False
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    assert [(row.state, row.why) for row in show(box).rows] == [("waiting", "[honcho] save is false")]
    bench.stop()
    assert bench.wire.requests == []
    bench.save = True
    box = bench.start()
    until(lambda: show(box).waiting == 0)


def test_what_honcho_has_still_to_think_about_is_asked_once_all_is_delivered(bench: OutboxBench) -> None:
    asked: list[str] = []

    def noted(request: httpx.Request) -> str:
        asked.append(request.url.path)
        return "ok"

    bench.wire.fate = noted
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", f"{number}") for number in range(3))))
    until(lambda: show(box).waiting == 0)
    box.tell(Deliver(rows=(bench.decided("k3f", "4"),)))
    until(lambda: bench.done() == 4 and show(box).waiting == 0)
    assert sum(path.endswith("/queue/status") for path in asked) == 2, "one a workspace, once a minute"
