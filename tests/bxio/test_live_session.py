"""Opening a session: started with one baseline, resumed with the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.baseline import Baseline, make, sha256
from bxcore.labels import TOP, Label, Level
from bxcore.records import Assistant, SessionStart, ToolCall, ToolResult, Usage, User
from bxcore.session_loss import Loss
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import Held
from bxcore.window import A_MESSAGE
from bxio.live_session import LiveSession, open_live
from bxio.session_evidence import SessionEvidence
from bxio.session_store import SessionError, SessionStore


def baseline(block: str = "- Anna") -> Baseline:
    return make(
        "native", system="Be brief.", memory_block=block, tools=ToolRegistry().array(), workspaces=("own",)
    )


def never() -> Baseline:
    raise AssertionError("a resumed session has its baseline")


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def test_a_new_session_saves_its_baseline_before_its_first_record(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    (start,) = live.before_the_first_turn()
    assert isinstance(start, SessionStart)
    assert live.log.records == []
    saved = live.log.baseline()
    assert saved is not None
    assert sha256(saved) == start.baseline
    live.log.append([start, User(text="hi")])
    assert (live.before_the_first_turn(), live.turns) == ((), 1)
    live.log.close()


def test_a_resumed_session_has_the_baseline_that_it_started_with(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    live.log.append([*live.before_the_first_turn(), User(text="hi")])
    live.log.close()
    again = open_live(store, "k3f", never)
    assert again.baseline == live.baseline
    assert again.request(4096).baseline == live.request(4096).baseline
    again.log.close()


def test_a_start_that_was_cut_short_is_made_anew(store: SessionStore) -> None:
    open_live(store, "k3f", baseline).log.close()
    again = open_live(store, "k3f", lambda: baseline("- Bert"))
    assert again.baseline == baseline("- Bert")
    again.log.close()


def test_a_start_that_fails_leaves_nothing_and_frees_the_log(store: SessionStore) -> None:
    def fails() -> Baseline:
        raise RuntimeError("no model")

    with pytest.raises(RuntimeError):
        open_live(store, "k3f", fails)
    assert not store.exists("k3f")
    store.open("k3f").close()
    with pytest.raises(RuntimeError):
        open_live(store, "k3f", fails)
    open_live(store, "k3f", baseline).log.close()


def _drop_the_file(folder: Path) -> None:
    (folder / "baseline.json").unlink()


def _change_the_file(folder: Path) -> None:
    (folder / "baseline.json").write_bytes(b"{}")


SPOILT = {
    "is missing": _drop_the_file,
    "was changed since it started, and is kept as baseline.json.damaged-1": _change_the_file,
}


@pytest.mark.parametrize("why", SPOILT)
def test_a_session_without_its_baseline_goes_on_with_another(store: SessionStore, why: str) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 2, untrusted=True)
    live.log.close()
    SPOILT[why](store.folder / "k3f")
    again = open_live(store, "k3f", lambda: baseline("- Bert"), ("clock", "new"))
    assert again.loss == Loss(baseline=f"its baseline.json {why}")
    again.begin_epoch("they talked of tea", 9000)
    again.log.append([User(text="and now?")])
    asked = again.request(9000)
    again.log.close()
    assert "Bert" in str(asked.baseline)
    assert "they talked of tea" in str(asked.history)
    later = open_live(store, "k3f", never)
    assert (later.loss, later.turns, later.log.label) == (None, 3, Label(Level.PRIVATE, untrusted=True))
    assert later.request(9000).baseline == asked.baseline
    later.log.close()
    kept = [path.name for path in (store.folder / "k3f").glob("baseline.json.damaged-*")]
    assert kept == ["baseline.json.damaged-1"] * ("kept" in why)


def test_wherever_a_crash_stops_a_new_baseline_the_session_goes_on(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 2)
    live.log.close()
    _change_the_file(store.folder / "k3f")
    open_live(store, "k3f", lambda: baseline("- Bert")).log.close()  # kept aside, and no more
    saved = open_live(store, "k3f", lambda: baseline("- Carl"))
    assert saved.loss == Loss(baseline="its baseline.json is missing")
    saved.log.save_baseline(saved.baseline.dump())  # saved, and the epoch not begun
    saved.log.close()
    again = open_live(store, "k3f", lambda: baseline("- Dora"))
    again.begin_epoch("tea", 9000)
    again.log.close()
    folder = store.folder / "k3f"
    (folder / "baseline.json").rename(folder / "baseline.json.next")  # begun, and the file not named
    whole = open_live(store, "k3f", never)
    assert (whole.loss, whole.baseline, whole.turns) == (None, baseline("- Dora"), 2)
    whole.log.close()


def test_a_baseline_that_cannot_be_read_says_what_to_do(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 1)
    live.log.close()
    path = store.folder / "k3f" / "baseline.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(
        SessionError, match=r"Is a directory; make .*baseline\.json readable, or move it away"
    ):
        open_live(store, "k3f", never)


class Evidence(SessionEvidence):
    """It knows five turns of every log, and a secret."""

    def gone(self, session: str) -> Loss | None:
        return Loss(turns=5, label=Label(Level.SECRET, untrusted=True))

    def loss(self, session: str, log: str, turns: int) -> Loss | None:
        return Loss(turns=5 - turns, label=Label(Level.SECRET, untrusted=True)) if turns < 5 else None


def test_a_session_begun_where_one_is_gone_begins_with_the_label_of_that_one(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline, (), Evidence())
    assert live.gone == Loss(turns=5, label=TOP)
    live.log.append([*live.before_the_first_turn(), User(text="hi")])
    assert live.log.label == TOP
    live.log.close()


def test_turns_that_the_log_lost_keep_their_places_and_their_label(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 3)
    live.log.close()
    again = open_live(store, "k3f", never, (), Evidence())
    assert again.loss == Loss(turns=2, label=TOP)
    again.begin_epoch("they talked of tea", 9000)
    assert (again.turns, again.log.label, again.log.epoch, again.first) == (5, TOP, 2, 6)
    again.log.append([User(text="and now?")])
    assert "they talked of tea" in str(again.request(9000).history)
    assert "(lost)" not in str(again.request(9000).history)
    assert again.baseline == live.baseline
    again.log.close()
    whole = open_live(store, "k3f", never, (), Evidence())
    assert (whole.loss, whole.turns) == (None, 6)
    whole.log.close()
    texts = [record.text for record in store.read("k3f") if isinstance(record, User)]
    assert [text.split()[0] for text in texts] == ["message"] * 3 + ["(lost)"] * 2 + ["and"]


@pytest.mark.parametrize("left", [2, 1])
def test_wherever_a_crash_stops_the_places_of_lost_turns_their_label_stays(
    store: SessionStore, left: int
) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 3)
    live.log.close()
    again = open_live(store, "k3f", never, (), Evidence())
    again.begin_epoch("they talked of tea", 9000)
    again.log.close()
    folder = store.folder / "k3f"
    (folder / "2.jsonl").unlink()
    if left == 1:  # the places were not on disk yet
        path = folder / "1.jsonl"
        path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
    whole = open_live(store, "k3f", never, (), Evidence())
    assert whole.log.label == TOP
    if whole.loss is not None:
        whole.begin_epoch("tea", 9000)
    assert (whole.turns, left) in {(5, 2), (5, 1)}
    whole.log.append([User(text="and now?")])
    assert "tea" in str(whole.request(9000).history)
    whole.log.close()


def test_a_log_that_does_not_begin_with_its_start_is_refused(store: SessionStore) -> None:
    log = store.open("k3f")
    log.append([User(text="hi")])
    log.close()
    with pytest.raises(SessionError, match="does not begin with its start"):
        open_live(store, "k3f", never)


def test_a_request_says_how_much_of_it_is_new(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    live.log.append([*live.before_the_first_turn(), User(text="x" * 300)])
    assert live.request(4096).uncached_tokens is None
    live.held = Held(tokens=500)
    call = ToolCall(id="t1c1", name="clock", arguments="y" * 30)
    live.log.append([Assistant(content="z" * 60, tool_calls=(call,))])
    assert live.request(4096).uncached_tokens == 30 + A_MESSAGE
    assert live.request(4096).uncached_tokens == 0
    assert len(live.request(4096).history) == 2
    live.log.close()


def talk(live: LiveSession, turns: int, size: int = 300, *, untrusted: bool = False) -> None:
    for _ in range(turns):
        call = ToolCall(id=f"t{live.turns + 1}c1", name="recall", arguments="{}")
        result = ToolResult(
            call=call.id, tool="recall", content="r" * 900, ok=True, level=Level.PRIVATE, untrusted=untrusted
        )
        live.log.append(
            [
                *live.before_the_first_turn(),
                User(text=f"message {live.turns + 1} " + "x" * size),
                Assistant(content="", tool_calls=(call,)),
                result,
                Assistant(content="y" * size),
                Usage(),
            ]
        )


def test_what_no_longer_repeats_the_request_before_is_said(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 1)
    assert not live.request(9000).anew
    live.held = Held(tokens=500)
    talk(live, 3)
    assert not live.request(9000).anew
    shortened = live.request(3400)
    assert (shortened.anew, shortened.uncached_tokens) == (True, None)
    assert not live.request(3400).anew
    assert live.first == 1
    assert live.request(2700).anew
    assert live.first > 1
    live.log.close()


def test_a_new_epoch_keeps_the_baseline_the_label_and_the_numbers(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline, ("clock", "old"))
    talk(live, 5, untrusted=True)
    assert live.nears("hi", 3400)
    assert not live.nears("hi", 9000)
    before = live.request(9000)
    live.tools = ("clock", "new")
    live.begin_epoch("they talked of tea", 9000)
    assert (live.turns, live.first, live.held) == (5, 6, None)
    live.log.append([User(text="and now?")])
    after = live.request(9000)
    assert (after.baseline, after.tools, after.profile) == (before.baseline, before.tools, before.profile)
    assert "they talked of tea" in str(after.history)
    assert "message 4" not in str(after.history)
    assert "message 5" in str(after.history), "the last exchange"
    assert (live.log.label, live.turns, live.first) == (Label(Level.PRIVATE, untrusted=True), 6, 6)
    live.log.close()
    again = open_live(store, "k3f", never)
    assert again.request(9000) == replace(after, anew=False)
    assert (again.turns, again.log.label, again.baseline) == (6, live.log.label, live.baseline)
    again.log.close()
    starts = [record for record in store.read("k3f") if isinstance(record, SessionStart)]
    assert [start.tools for start in starts] == [("clock", "old"), ("clock", "new")]
    assert starts[0].log == starts[1].log
    assert starts[0].baseline == starts[1].baseline


def test_the_summary_is_asked_for_behind_what_the_server_has(store: SessionStore) -> None:
    live = open_live(store, "k3f", baseline)
    talk(live, 2)
    before = live.request(9000)
    asked = live.summary_request(9000)
    assert asked.history[:-1] == before.history
    assert (asked.baseline, asked.tools) == (before.baseline, before.tools)
    assert asked.max_tokens == 400
    assert not asked.anew
    live.log.close()


def test_an_epoch_has_the_tools_that_it_began_with(store: SessionStore) -> None:
    present = ToolRegistry()
    live = open_live(store, "k3f", baseline, ("clock", "shell", "telegraph"))
    assert live.registry(present).others == ("shell",)
    talk(live, 1)
    live.tools = present.names
    assert live.registry(present).others == ("shell",)
    live.begin_epoch("", 9000)
    assert live.registry(present).others == present.others
    live.log.close()
    again = open_live(store, "k3f", never, ("clock",))
    assert again.registry(present) == live.registry(present)
    again.log.close()


def test_a_request_costs_what_it_sends_and_not_what_was_said(store: SessionStore) -> None:
    """Counted in records that are looked at, so that no clock is needed."""
    live = open_live(store, "k3f", baseline)
    looked: list[int] = []
    take = live.history.take
    live.history.take = lambda some: (looked.append(len(list(some))), take(some))[1]  # type: ignore[method-assign, assignment, func-returns-value]
    for _ in range(50):
        talk(live, 1)
        live.request(100_000)
        live.request(100_000)
    assert max(looked) <= 6
    live.log.close()
