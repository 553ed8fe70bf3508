"""A server that refuses large requests: less goes at once, and all of it arrives (spec 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.messages.outbox import Deliver
from tests.doubles.outbox_bench import OutboxBench, retry, show, until
from tests.doubles.troubled_honcho import TroubledHoncho

TOO_LARGE = "413, the server, or a proxy before it, refuses so large a request"
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[TroubledHoncho]:
    made = TroubledHoncho(tmp_path / "server").open()
    yield made
    made.end()


@pytest.fixture
def bench(outbox_bench: OutboxBench, honcho: TroubledHoncho) -> OutboxBench:
    outbox_bench.client = honcho.client
    return outbox_bench


def is_append(method: str, path: str) -> bool:
    return method == "POST" and path.endswith("/messages")


def test_turns_that_are_too_large_together_go_in_smaller_requests(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.most_bytes = 4_000
    turns = [f"turn {number} {'x' * 300}" for number in range(40)]
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", turn) for turn in turns)))
    until(lambda: show(box).waiting == 0, 30)
    assert (honcho.said("k3f"), show(box).parked) == (turns, 0)
    assert honcho.count("/messages") < 15, "once it is known how much goes, no larger request is tried"
    assert not honcho.count("/list"), "nothing of what was too large is there"


def test_a_turn_that_is_too_large_goes_message_by_message(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    honcho.most_bytes = 4_000
    large = "x" * 3_000
    box = bench.start()
    rows = [
        bench.decided("k3f", "turn 1"),
        bench.decided("k3f", large, large),
        bench.decided("k3f", "turn 3"),
    ]
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 0, 30)
    assert (honcho.said("k3f"), show(box).parked) == (["turn 1", large, "turn 3"], 0)
    assert [each.content for each in honcho.messages("k3f")] == (
        ["turn 1", "noted", large, large, "turn 3", "noted"]
    )


def test_of_a_turn_in_several_requests_what_is_there_is_not_sent_again(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.most_bytes = 100_000
    said = "".join(chr(ord("a") + number) * 25_000 for number in range(3))
    small, count = "noted " * 10, iter(range(1, 1000))
    honcho.fate = lambda method, path: (
        "stored, reset" if is_append(method, path) and next(count) in {3, 5} else "ok"
    )
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", said * 3, small),)))
    until(lambda: show(box).waiting == 0, 30)
    assert "".join(honcho.said("k3f")) == said * 3
    assert show(box).parked == 0


def test_a_single_message_that_is_too_large_is_parked_and_the_others_go_on(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.most_bytes = 4_000
    box = bench.start()
    rows = [bench.decided("k3f", text) for text in ("turn 1", "x" * 5_000, "turn 3")]
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("k3f") == ["turn 1", "turn 3"]
    assert [(row.id, row.state, row.why) for row in show(box).rows] == [("k3f.2", "parked", TOO_LARGE)]
    honcho.most_bytes = 1 << 20
    assert retry(box).ok
    until(lambda: show(box).parked == 0 and show(box).waiting == 0, 30)
    assert [text[:6] for text in honcho.said("k3f")] == ["turn 1", "turn 3", "xxxxxx"]


@pytest.mark.parametrize("status", ["414", "431"])
def test_other_words_for_too_large_are_taken_so_too(
    bench: OutboxBench, honcho: TroubledHoncho, status: str
) -> None:
    fates = iter([status, status])
    honcho.fate = lambda method, path: next(fates, "ok") if is_append(method, path) else "ok"
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", f"turn {number}") for number in range(8))))
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("k3f") == [f"turn {number}" for number in range(8)]
    assert honcho.count("/messages") == 2 + 4
