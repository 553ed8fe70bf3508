"""A session in the broker: order, room, and how long those behind a question may wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors import broker_sessions
from actors.base import Reply
from actors.broker_sessions import Session, Sessions, Taken
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ToolRequest
from bxcore.records import Assistant, SessionStart, ToolResult, User
from bxcore.repeats import TurnCalls
from bxio.session_store import SessionStore
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
PUBLIC = Label(Level.PUBLIC, untrusted=False)


def session() -> Session:
    return Session(NEW_SESSION, TurnCalls(turn=1))


def taken(tool: str, reply: Reply | None = None, call: str = "c1") -> Taken:
    return Taken(ToolRequest(session="k3f", turn=1, call=call, tool=tool, arguments="{}"), reply)


def reply_of(kit: Kit) -> Reply:
    return Reply(kit.world, kit.runtime.dead_letters, "broker", 100.0)


def begun(one: Session) -> list[str]:
    """The tools of the calls that begin now."""
    found = []
    while (call := one.next()) is not None:
        found.append(call.request.tool)
    return found


@pytest.mark.parametrize(
    ("tools", "at_once"),
    [
        (["recall", "ask_memory", "recall"], 3),
        (["recall", "shell", "recall"], 1),
        (["shell", "recall"], 1),
        (["memory", "memory"], 1),
        (["read_file", "read_file"], 1),
    ],
)
def test_what_raises_nothing_runs_side_by_side_and_all_else_alone(tools: list[str], at_once: int) -> None:
    one = session()
    for tool in tools:
        assert one.wait(taken(tool))
    assert begun(one) == tools[:at_once]
    for _ in range(at_once):
        one.answer(taken(tools[0]), content="")
    assert begun(one)[:1] == tools[at_once : at_once + 1]


def test_a_call_that_was_given_up_never_begins(kit: Kit) -> None:
    one, gone = session(), reply_of(kit)
    one.wait(taken("shell"))
    assert begun(one) == ["shell"]
    one.wait(taken("write_file", gone))
    one.wait(taken("recall"))
    gone.abandon()
    one.answer(taken("shell"), content="")
    assert begun(one) == ["recall"]


def test_a_session_has_room_for_so_many_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_sessions, "WAITING_CALLS", 2)
    one = session()
    one.wait(taken("shell"))
    begun(one)
    assert one.wait(taken("shell"))
    assert one.wait(taken("shell"))
    assert not one.wait(taken("shell"))


def test_those_behind_a_question_wait_as_long_as_it_does(kit: Kit) -> None:
    one, before, after = session(), reply_of(kit), reply_of(kit)
    one.wait(taken("shell"))
    begun(one)
    one.wait(taken("recall", before))
    one.pending(700.0)
    one.wait(taken("recall", after))
    assert (before.deadline_s, after.deadline_s) == (700.0, 700.0)
    one.answer(taken("shell"), content="")
    last = reply_of(kit)
    one.wait(taken("recall", last))
    assert last.deadline_s == 100.0, "nothing is before the owner any more"


def test_a_label_only_rises() -> None:
    one = session()
    assert one.raised(UNTRUSTED) == NEW_SESSION
    assert one.label == UNTRUSTED
    assert one.raised(PUBLIC) == UNTRUSTED
    assert one.label == UNTRUSTED


def test_the_calls_of_another_turn_are_counted_anew() -> None:
    one = session()
    assert one.counted(1, 30).made == 0
    assert one.counted(1, 30).made == 1
    assert one.counted(2, 30).made == 0
    assert one.calls.made == 1


def test_a_result_is_cut_and_its_whole_is_there_only_then() -> None:
    request = taken("shell").request
    short = session().outcome(request, content="x" * 16_000)
    assert (short.content, short.whole) == ("x" * 16_000, None)
    long = session().outcome(request, content="x" * 16_001)
    assert long.whole == "x" * 16_001
    assert 15_900 < len(long.content) <= 16_000


def test_a_new_session_is_private_and_trusted(tmp_path: Path) -> None:
    assert Sessions(SessionStore(tmp_path), 30).get("new").label == NEW_SESSION


def test_a_long_session_is_folded_from_its_last_epoch_though_an_earlier_one_is_damaged(
    tmp_path: Path,
) -> None:
    store = SessionStore(tmp_path)
    opened = store.open("k3f")
    page = ToolResult(call="t1c1", tool="http_fetch", content="", ok=True, level=Level.SECRET, untrusted=True)
    opened.append([SessionStart(baseline="", log="l"), User(text="one"), page, Assistant(content="x")])
    label = opened.label
    opened.begin_epoch(
        SessionStart(baseline="", log="l", level=label.level, untrusted=label.untrusted, epoch=1, turns=1)
    )
    opened.append([User(text="two")])
    opened.close()
    (tmp_path / "k3f" / "0.jsonl").write_bytes(b"x")
    found = Sessions(store, calls_per_turn=30).get("k3f")
    assert found.label == Label(Level.SECRET, untrusted=True)
    assert found.calls.turn == 2
