"""Opening a session: started with one baseline, resumed with the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bxcore.baseline import Baseline, make, sha256
from bxcore.records import Assistant, SessionStart, ToolCall, User
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import Held
from bxio.live_session import open_live
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


@pytest.mark.parametrize("spoil", [_drop_the_file, _change_the_file])
def test_a_session_without_its_baseline_does_not_go_on(
    store: SessionStore, spoil: Callable[[Path], None]
) -> None:
    live = open_live(store, "k3f", baseline)
    live.log.append([*live.before_the_first_turn(), User(text="hi")])
    live.log.close()
    spoil(store.folder / "k3f")
    with pytest.raises(SessionError, match="session k3f cannot go on: its baseline"):
        open_live(store, "k3f", never)
    store.open("k3f").close()


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
    assert live.request(4096).uncached_tokens == 30
    assert live.request(4096).uncached_tokens == 0
    assert len(live.request(4096).history) == 2
    live.log.close()
