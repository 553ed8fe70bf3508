"""An outbox and a Honcho with a real connection between them, in every kind of trouble (spec 4.7).

At the end the server holds each turn once, in order, and what it never takes is parked and shown.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.messages.outbox import Deliver
from tests.doubles.outbox_bench import UNTRUSTED, OutboxBench, show, until
from tests.doubles.troubled_honcho import TroubledHoncho

POISON_500 = "a <|fim_prefix|> token"
POISON_422 = "a <|endoftext|> token"
pytestmark = pytest.mark.timeout(90)


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[TroubledHoncho]:
    made = TroubledHoncho(tmp_path / "server", poison=True).open()
    yield made
    made.end()


@pytest.fixture
def bench(outbox_bench: OutboxBench, honcho: TroubledHoncho) -> OutboxBench:
    outbox_bench.client = honcho.client
    return outbox_bench


def sent(bench: OutboxBench, texts: list[str], session: str = "k3f") -> Deliver:
    return Deliver(rows=tuple(bench.decided(session, text) for text in texts))


def turns(first: int, end: int) -> list[str]:
    return [f"turn {number}" for number in range(first, end)]


def is_append(method: str, path: str) -> bool:
    return method == "POST" and path.endswith("/messages")


def test_down_for_two_hundred_turns_then_up(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    honcho.close()
    box = bench.start()
    for number in range(200):
        box.tell(sent(bench, [f"turn {number}"], f"s{number % 3}"))
    until(lambda: show(box).failing == "the connection was refused", 30)
    assert show(box).waiting == 200
    honcho.open()
    until(lambda: show(box).waiting == 0, 30)
    for number in range(3):
        assert honcho.said(f"s{number}") == [f"turn {turn}" for turn in range(number, 200, 3)]
    assert show(box).parked == 0
    assert not honcho.count("/list"), "a connection that was refused stored nothing"


@pytest.mark.parametrize("every", [2, 3, 5])
@pytest.mark.parametrize("trouble", ["500", "503", "429 0", "reset", "stored, reset"])
def test_trouble_at_each_nth_request_doubles_and_parks_nothing(
    bench: OutboxBench, honcho: TroubledHoncho, trouble: str, every: int
) -> None:
    count = itertools.count(1)
    honcho.fate = lambda _method, _path: trouble if next(count) % every == 0 else "ok"
    box = bench.start()
    box.tell(sent(bench, turns(0, 20)))
    for number in range(20, 40):
        box.tell(sent(bench, [f"turn {number}"]))
    until(lambda: show(box).waiting == 0, 60)
    assert (honcho.said("k3f"), show(box).parked) == (turns(0, 40), 0)


def test_trouble_of_every_kind_by_chance_with_poison_in_it(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    chance = random.Random(11)
    kinds = ["500", "502", "429 0", "reset", "stored, reset", "late 0.02"]
    calm = ["ok"] * 12
    honcho.fate = lambda _method, _path: chance.choice(kinds + calm)
    said = [POISON_422 if number in {7, 31} else f"turn {number}" for number in range(50)]
    box = bench.start()
    for text in said:
        box.tell(sent(bench, [text]))
    until(lambda: show(box).waiting == 0, 60)
    assert honcho.said("k3f") == [text for text in said if text != POISON_422]
    assert [row.id for row in show(box).rows] == ["k3f.8", "k3f.32"]


def test_a_reset_after_the_server_stored_the_batch(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    fates = iter(["stored, reset"])
    honcho.fate = lambda method, path: next(fates, "ok") if is_append(method, path) else "ok"
    box = bench.start()
    box.tell(sent(bench, turns(0, 30)))
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("k3f") == turns(0, 30)
    assert (honcho.count("/messages"), honcho.count("/list")) == (1, 1), "one of them tells"


def test_a_server_that_stores_after_our_deadline_stores_once(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    bench.request_s, bench.settle_s = 0.3, 0.6
    fates = iter(["late 0.7", "late 0.7"])
    honcho.fate = lambda method, path: next(fates, "ok") if is_append(method, path) else "ok"
    box = bench.start()
    box.tell(sent(bench, turns(0, 5)))
    until(lambda: show(box).waiting == 0, 30)
    box.tell(sent(bench, turns(5, 6)))
    until(lambda: show(box).waiting == 0, 30)
    honcho.close()  # once it has done all that it was asked for
    assert honcho.said("k3f") == turns(0, 6)


def test_a_server_that_is_slow_each_time_gets_everything_once(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    bench.request_s, bench.settle_s = 0.1, 0.3
    honcho.fate = lambda _method, _path: "late 0.2"
    box = bench.start()
    box.tell(sent(bench, turns(0, 5)))
    until(lambda: show(box).waiting == 0, 30)
    honcho.close()
    assert honcho.said("k3f") == turns(0, 5)


@pytest.mark.parametrize("poison", [POISON_422, POISON_500])
@pytest.mark.parametrize("places", [{0}, {7}, {19}, {3, 4}, {0, 1, 2}])
def test_poison_among_good_turns_is_parked_and_the_others_keep_their_order(
    bench: OutboxBench, honcho: TroubledHoncho, poison: str, places: set[int]
) -> None:
    said = [poison if number in places else f"turn {number}" for number in range(20)]
    box = bench.start()
    box.tell(sent(bench, said))
    box.tell(sent(bench, ["x", "y"], "other"))
    until(lambda: show(box).waiting == 0, 60)
    assert honcho.said("k3f") == [text for text in said if text != poison]
    assert honcho.said("other") == ["x", "y"]
    shown = show(box)
    assert [row.id for row in shown.rows] == [f"k3f.{place + 1}" for place in sorted(places)]
    assert {(row.state, row.why[:3]) for row in shown.rows} == {
        ("parked", "422" if poison == POISON_422 else "500")
    }
    assert b"token" not in (bench.folder / "delivered.jsonl").read_bytes()


def test_poison_that_is_all_there_is_is_parked_too(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    box = bench.start()
    box.tell(sent(bench, [POISON_500]))
    until(lambda: show(box).parked == 1, 60)
    assert honcho.count("/sessions") > 15, "after many probes"
    assert show(box).failing == ""


def test_appends_that_all_fail_while_the_rest_is_well_park_nothing(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.fate = lambda method, path: "500" if is_append(method, path) else "ok"
    box = bench.start()
    box.tell(sent(bench, turns(0, 4)))
    until(lambda: honcho.count("/messages") > 40, 60)
    assert (show(box).waiting, show(box).parked) == (4, 0)
    honcho.fate = lambda _method, _path: "ok"
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("k3f") == turns(0, 4)


def test_a_token_refused_in_one_workspace_holds_up_that_one_alone(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.fate = lambda _method, path: "401" if "untrusted" in path else "ok"
    box = bench.start()
    rows = [bench.decided("u", "strange", action=UNTRUSTED)]
    rows += [bench.decided("k3f", text) for text in turns(0, 5)]
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 1, 30)
    assert honcho.said("k3f") == turns(0, 5)
    until(lambda: honcho.count("/messages") > 4, 30)
    [row] = show(box).rows
    assert (row.id, row.why, show(box).failing) == ("u.1", "401, the token was refused", row.why)
    honcho.fate = lambda _method, _path: "ok"
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("u", "boxmaker-untrusted") == ["strange"]
    assert not honcho.count("/list"), "a token that was refused stored nothing"


def test_a_server_that_asks_to_be_left_alone_is(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    fates = iter(["429 3600"])
    honcho.fate = lambda _method, _path: next(fates, "ok")
    box = bench.start()
    box.tell(sent(bench, turns(0, 1)))
    until(lambda: show(box).failing != "", 30)
    assert show(box).next_try_s > 3500
    box.tell(sent(bench, turns(1, 2)))
    assert (honcho.count("/messages"), show(box).waiting) == (1, 2)


def test_a_workspace_that_is_not_there_is_made(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    made: list[str] = []

    def fate(method: str, path: str) -> str:
        if path == "/v3/workspaces":
            made.append(path)
        return "gone" if is_append(method, path) and not made else "ok"

    honcho.fate = fate
    honcho.answers["gone"] = (404, {"detail": "Workspace boxmaker not found"})
    box = bench.start()
    box.tell(sent(bench, turns(0, 3)))
    until(lambda: show(box).waiting == 0, 30)
    assert (honcho.said("k3f"), made) == (turns(0, 3), ["/v3/workspaces"])


def test_a_witness_that_was_stored_before_a_stop_is_not_sent_again_once_the_suspect_is_taken(
    bench: OutboxBench, honcho: TroubledHoncho, tmp_path: Path
) -> None:
    box = bench.start()
    fates: dict[int, str] = {}

    def fate(method: str, path: str) -> str:
        if not is_append(method, path):
            return "503" if fates else "ok"
        if "sending" not in (bench.folder / "delivered.jsonl").read_text():
            return "ok"
        fates[0] = "the witness is on its way; from here on nothing is answered"
        return "stored, reset"

    honcho.fate = fate
    box.tell(sent(bench, [POISON_500, "turn 1", "turn 2"]))
    until(lambda: bool(fates), 30)
    bench.stop()
    assert honcho.said("k3f") == ["turn 1"]
    honcho.end()
    mended = TroubledHoncho(tmp_path / "server").open()
    bench.client = mended.client
    box = bench.start()
    until(lambda: show(box).waiting == 0, 30)
    assert mended.said("k3f") == ["turn 1", POISON_500, "turn 2"]
    bench.stop()
    mended.end()


def test_a_session_whose_log_is_damaged_waits_and_says_so_and_holds_up_no_other(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    rows = (bench.decided("bad", "x"), bench.decided("bad", "y"), bench.decided("k3f", "turn 0"))
    log = bench.folder / "sessions" / "bad" / "0.jsonl"
    good = log.read_bytes()
    log.write_bytes(good.replace(b'"x"', b'"z"'))
    box = bench.start()
    box.tell(Deliver(rows=rows))
    until(lambda: show(box).waiting == 2 and honcho.said("k3f") == ["turn 0"], 30)
    until(lambda: "damaged" in show(box).rows[0].why, 30)
    log.write_bytes(good)
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("bad") == ["x", "y"]


def test_the_same_words_in_a_log_begun_anew_are_not_taken_for_those_of_before(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    bench.log = "l1"
    bench.start().tell(sent(bench, ["the same words"]))
    until(lambda: honcho.said("k3f") == ["the same words"] and bench.done() == 1)
    bench.stop()
    bench.begin_anew("k3f", "l2")
    bench.decided("k3f", "the same words")
    box = bench.start()
    until(lambda: show(box).waiting == 0)
    assert honcho.count("/list") == 1
    assert honcho.said("k3f") == ["the same words"] * 2
