"""Restarts: who is restarted with whom, who never is, when a supervisor gives up, and what news is stale.

The rules themselves are held to a model in ``tests/kit/test_otp_rules.py``; here stand the single stories.
"""

from __future__ import annotations

import pytest

from actors.base import Crashed, Dead, State
from bxcore.backoff import Backoff
from bxcore.messages.supervision import Down
from bxcore.supervision import Restart, Strategy, SupervisorSpec
from tests.kit.children import Log, child, group, tree_of
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


def starts_and_stops(log: Log, mark: int) -> list[str]:
    return [line for line in log.since(mark) if not line.startswith("cut")]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (Strategy.ONE_FOR_ONE, ["stop b", "start b"]),
        (Strategy.REST_FOR_ONE, ["stop b", "stop c", "start b", "start c"]),
        (Strategy.ONE_FOR_ALL, ["stop b", "stop c", "stop a", "start a", "start b", "start c"]),
    ],
)
def test_each_strategy_restarts_whom_it_names(kit: Kit, strategy: Strategy, expected: list[str]) -> None:
    log = Log()
    kit.tree(tree_of(log, "abc", strategy))
    mark = log.mark()
    kit.crash("b")
    kit.settle()
    assert starts_and_stops(log, mark) == expected


def test_a_temporary_sibling_is_not_restarted_and_its_mailbox_is_closed(kit: Kit) -> None:
    log = Log()
    children = (child(log, "a"), child(log, "t", Restart.TEMPORARY), child(log, "z"))
    kit.tree(SupervisorSpec(strategy=Strategy.ONE_FOR_ALL, children=children))
    box = kit.runtime.mailbox("t")
    kit.crash("a")
    kit.settle()
    assert log.lines.count("start t") == 1
    assert log.lines.count("start z") == 2
    assert box.closed


def test_a_transient_child_rests_after_a_normal_end_and_is_restarted_after_a_crash(kit: Kit) -> None:
    log = Log()
    kit.tree(SupervisorSpec(children=(child(log, "a", Restart.TRANSIENT),)))
    kit.crash("a")
    assert kit.expect_restart("a") == 2
    kit.runtime.mailbox("a").tell("end")
    kit.settle()
    (root,) = kit.runtime.tree()
    assert [node.child.state for node in root.children] == [State.ENDED]
    with pytest.raises(Dead):
        kit.runtime.mailbox("a").call("anyone?", 1.0)
    kit.letters.read_all()


def test_over_the_intensity_the_tree_stops_itself_and_says_why(kit: Kit) -> None:
    log = Log()
    reasons: list[str | None] = []
    root = kit.tree(tree_of(log, "ab", intensity=2, period_s=5.0), on_end=reasons.append)
    for _ in range(3):
        kit.crash("b", ValueError("a text that nobody may see"))
        kit.settle()
    assert root.ended
    assert reasons == ["b was the last of 3 restarts within 5 s (ValueError)"]
    assert starts_and_stops(log, 0)[-1] == "stop a"
    assert kit.runtime.mailbox("a").closed


def test_crashes_further_apart_than_the_period_never_add_up(kit: Kit) -> None:
    root = kit.tree(tree_of(Log(), "a", intensity=1, period_s=5.0))
    for _ in range(10):
        kit.crash("a")
        kit.advance(5.1)
    assert not root.ended


def test_a_supervisor_that_gives_up_is_one_death_to_its_parent(kit: Kit) -> None:
    log = Log()
    inner = group("inner", tree_of(log, "bc", intensity=0))
    root = kit.tree(SupervisorSpec(intensity=1, children=(child(log, "a"), inner)))
    waiting = kit.runtime.mailbox("c").ask(lambda actor: actor.reply_later(), kit.now() + 9.0)
    kit.settle()
    kit.runtime.mailbox("c").tell(2.0)
    kept = kit.runtime.mailbox("c").ask("kept for the next", kit.now() + 9.0)
    kit.crash("b")
    kit.advance(3.0)
    assert not root.ended
    assert log.lines.count("start a") == 1
    assert log.lines.count("start b") == 2
    assert not waiting.pending
    assert kept.get(1.0) == "kept for the next"
    kit.crash("b")
    kit.settle()
    assert root.ended


def test_askers_of_a_tree_that_gave_up_are_refused_at_once(kit: Kit) -> None:
    inner = group("inner", tree_of(Log(), "b", intensity=0))
    kit.tree(SupervisorSpec(intensity=0, children=(inner,)))
    waiting = [kit.runtime.mailbox("b").ask(message, kit.now() + 60.0) for message in (ValueError, "behind")]
    with pytest.raises(Crashed):
        waiting[0].get(1.0)
    with pytest.raises(Dead):
        waiting[1].get(1.0)
    assert kit.now() == 0.0
    kit.letters.read_all()


def test_stale_news_of_an_end_is_ignored(kit: Kit) -> None:
    log = Log()
    root = kit.tree(tree_of(log, "a"))
    kit.crash("a")
    assert kit.expect_restart("a") == 2
    root.box.tell(Down(name="a", incarnation=1, reason="crashed", error="ValueError"))
    root.box.tell(Down(name="nobody", incarnation=1, reason="crashed", error="ValueError"))
    kit.settle()
    assert log.lines.count("start a") == 2


def test_a_network_childs_crashes_never_end_the_tree_and_its_rest_begins_anew_after_a_long_run(
    kit: Kit,
) -> None:
    log = Log()
    spec = SupervisorSpec(
        intensity=0, children=(child(log, "net", backoff=Backoff(first_s=1.0, most_s=8.0)),)
    )
    root = kit.tree(spec)
    rests = []
    for _ in range(6):
        kit.crash("net")
        before = kit.now()
        kit.expect_restart("net", within_s=9.0)
        rests.append(kit.now() - before)
    kit.advance(8.0)
    kit.crash("net")
    before = kit.now()
    kit.expect_restart("net", within_s=9.0)
    assert not root.ended
    assert max(rests) > 3.9
    assert kit.now() - before <= 1.6


def test_a_clean_up_that_never_ends_is_fenced_and_the_child_restarted(kit: Kit) -> None:
    log = Log(slow={("stop", "a"): 60.0})
    kit.tree(SupervisorSpec(children=(child(log, "a", shutdown_s=2.0),)))
    kit.crash("a", ValueError())
    kit.advance(1.9)
    assert kit.runtime.mailbox("a").epoch == 1
    kit.advance(0.2)
    assert kit.runtime.mailbox("a").call("there again", 1.0) == "there again"
    assert [zombie.name for zombie in kit.runtime.zombies.snapshot()] == ["a"]
    log.slow.clear()
    kit.advance(60.0)


def test_a_crash_report_names_all_and_holds_no_text(kit: Kit) -> None:
    kit.tree(tree_of(Log(), "a"))

    def burst(_: object) -> None:
        try:
            {"": 0}["secret one"]
        except KeyError as error:
            raise ValueError("secret two") from error

    with log_lines() as lines, pytest.raises(Crashed, match="ValueError"):
        kit.runtime.mailbox("a").call(burst, 1.0)
    assert len(lines) == 1
    assert "a crashed on function: ValueError from KeyError" in lines[0]
    assert "(incarnation 1, 0 restarts, supervised by root)" in lines[0]
    assert "test_supervisor_restarts.py" in lines[0]
    assert "secret" not in lines[0]


def test_the_tree_shows_how_often_each_was_restarted_and_why(kit: Kit) -> None:
    kit.tree(tree_of(Log(), "ab", Strategy.REST_FOR_ONE, intensity=5))
    kit.crash("a", MemoryError())
    kit.expect_restart("a")
    kit.settle()
    (root,) = kit.runtime.tree()
    shown = [(node.child.name, node.child.restarts, node.child.last_error) for node in root.children]
    assert shown == [("a", 1, "MemoryError"), ("b", 1, None)]
    assert [node.child.state for node in root.children] == [State.RUNNING, State.RUNNING]
    assert root.strategy == "rest_for_one"
