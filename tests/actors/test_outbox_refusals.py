"""A server that refuses every turn is not asked to the end of them, and it is said (spec 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.messages.outbox import Deliver
from bxcore.outbox_parking import REFUSED_ALL
from tests.doubles.outbox_bench import UNTRUSTED, OutboxBench, retry, show, until
from tests.doubles.troubled_honcho import TroubledHoncho

REFUSED = "422, what was sent is refused"
POISON_422, POISON_500 = "a <|endoftext|> token", "a <|fim_prefix|> token"
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[TroubledHoncho]:
    made = TroubledHoncho(tmp_path / "server", poison=True).open()
    yield made
    made.end()


@pytest.fixture
def bench(outbox_bench: OutboxBench, honcho: TroubledHoncho) -> OutboxBench:
    outbox_bench.client = honcho.client
    return outbox_bench


def is_append(method: str, path: str) -> bool:
    return method == "POST" and path.endswith("/messages")


@pytest.mark.parametrize("status", ["422", "413"])
def test_after_a_few_turns_in_a_row_no_more_are_parked_and_status_says_so(
    bench: OutboxBench, honcho: TroubledHoncho, status: str
) -> None:
    honcho.fate = lambda method, path: status if is_append(method, path) else "ok"
    turns = [f"turn {number}" for number in range(12)]
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", turn) for turn in turns)))
    until(lambda: show(box).failing.startswith(status), 30)
    tried = honcho.count("/messages")
    until(lambda: honcho.count("/messages") > tried + 30, 30)
    assert (show(box).parked, show(box).waiting) == (REFUSED_ALL, 12 - REFUSED_ALL)
    until(lambda: bench.facts[-1].failing != "")
    facts = bench.facts[-1]
    assert (facts.ok, facts.refuses_all) == (False, True)
    assert "Honcho refuses every turn" in facts.text
    honcho.fate = lambda _method, _path: "ok"
    until(lambda: show(box).waiting == 0, 30)
    assert honcho.said("k3f") == turns[REFUSED_ALL:]
    assert not bench.facts[-1].refuses_all
    assert retry(box).ok
    until(lambda: bench.facts[-1].text == "every turn is delivered", 30)
    assert bench.facts[-1].ok


def test_many_turns_of_poison_in_a_row_are_still_found_one_by_one(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    said = ["first", *[POISON_422] * (REFUSED_ALL + 2), "last"]
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", text) for text in said)))
    until(lambda: show(box).waiting == 0, 50)
    assert honcho.said("k3f") == ["first", "last"]
    assert {row.why for row in show(box).rows} == {REFUSED}
    assert bench.facts[-1].text == "no turn waits; 5 turns parked, Honcho refuses what they hold"


def test_what_one_workspace_refuses_is_not_held_against_another(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.fate = lambda method, path: "422" if is_append(method, path) and "untrusted" in path else "ok"
    rows = [bench.decided("u", f"strange {number}", action=UNTRUSTED) for number in range(3)]
    rows.append(bench.decided("k3f", POISON_422))
    box = bench.start()
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).parked == 4, 30)
    assert honcho.count("boxmaker/sessions/k3f/messages") == 1, "it is parked at its first refusal"


def test_while_a_turn_is_suspected_its_line_says_so(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    box = bench.start()
    honcho.fate = lambda method, path: "500" if is_append(method, path) else "ok"
    box.tell(Deliver(rows=(bench.decided("k3f", "turn 1"), bench.decided("k3f", "turn 2"))))
    until(lambda: "times for this turn alone; it is parked if" in show(box).rows[0].why, 30)
    assert show(box).rows[0].why.startswith("500")
    assert "alone" not in show(box).rows[1].why


def test_a_turn_that_the_server_fails_on_is_not_called_refused(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", POISON_500),)))
    until(lambda: show(box).parked == 1, 50)
    until(lambda: bench.facts[-1].parked == 1)
    assert bench.facts[-1].text == "no turn waits; 1 turn parked, the server fails on what they hold"


@pytest.mark.parametrize("status", ["401", "403", "302", "405"])
def test_what_does_not_mend_itself_is_a_problem_at_once(
    bench: OutboxBench, honcho: TroubledHoncho, status: str
) -> None:
    honcho.fate = lambda _method, _path: status
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "turn 1"),)))
    until(lambda: show(box).failing.startswith(status), 30)
    until(lambda: bench.facts[-1].failing != "")
    assert not bench.facts[-1].ok


@pytest.mark.parametrize("status", ["500", "503", "429 0"])
def test_what_may_mend_itself_is_no_problem_yet(
    bench: OutboxBench, honcho: TroubledHoncho, status: str
) -> None:
    honcho.fate = lambda _method, _path: status
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "turn 1"),)))
    until(lambda: show(box).failing.startswith(status[:3]), 30)
    until(lambda: bench.facts[-1].failing != "")
    assert bench.facts[-1].ok


def test_a_workspace_that_cannot_be_made_is_a_problem_at_once(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    honcho.answers["gone"] = (404, {"detail": "Workspace boxmaker not found"})
    honcho.fate = lambda _method, path: "401" if path == "/v3/workspaces" else "gone"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "turn 1"),)))
    why = "404, no such workspace, and it cannot be made: 401, the token was refused"
    until(lambda: show(box).failing == why, 30)
    until(lambda: bench.facts[-1].failing != "")
    assert not bench.facts[-1].ok


def test_a_damaged_log_is_a_problem_at_once(bench: OutboxBench, honcho: TroubledHoncho) -> None:
    rows = (bench.decided("bad", "x"), bench.decided("bad", "y"))
    log = bench.folder / "sessions" / "bad" / "0.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"x"', b'"z"'))
    box = bench.start()
    box.tell(Deliver(rows=rows))
    until(lambda: "damaged" in show(box).failing, 30)
    until(lambda: bench.facts[-1].failing != "")
    assert not bench.facts[-1].ok
    assert honcho.said("bad") == []
