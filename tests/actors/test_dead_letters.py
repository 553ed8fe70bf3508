"""Each dead letter has its log line, up to so many a minute, and never its text."""

from __future__ import annotations

from functools import partial

from actors.base import Reply, Why
from actors.dead_letters import DeadLetterLog
from bxcore.supervision import ChildSpec, SupervisorSpec
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


def send_dead(kit: Kit, times: int) -> None:
    box = kit.runtime.mailbox("gone")
    box.close()
    for _ in range(times):
        box.tell("the secret text")
    kit.settle()


def test_a_letter_is_written_without_its_text(kit: Kit) -> None:
    kit.start("dead-letters", DeadLetterLog)
    with log_lines() as lines:
        send_dead(kit, 1)
    assert lines == ["WARNING dead letter for gone (dead): str, size 15"]
    kit.expect_dead_letter("gone", Why.DEAD)


def test_an_answer_that_nobody_wanted_any_more_is_no_warning(kit: Kit) -> None:
    kit.start("dead-letters", partial(DeadLetterLog, lines_a_minute=1))
    with log_lines() as lines:
        for _ in range(3):
            reply = Reply(kit.world, kit.runtime.dead_letters, "broker", 10.0)
            reply.abandon()
            reply.set("the secret text")
        kit.settle()
        assert lines == ["DEBUG dead letter for broker (late): str, size 15"] * 3
        send_dead(kit, 1)
    assert lines[3:] == ["WARNING dead letter for gone (dead): str, size 15"]
    kit.letters.read_all()


def test_over_the_limit_they_are_counted_and_summed_up_when_the_minute_is_over(kit: Kit) -> None:
    kit.start("dead-letters", partial(DeadLetterLog, lines_a_minute=3))
    with log_lines() as lines:
        send_dead(kit, 10)
        assert len(lines) == 3
        kit.advance(60.0)
        assert lines[3:] == ["WARNING 7 more dead letters in a minute -> bxctl dead-letters"]
        send_dead(kit, 1)
    assert lines[4:] == ["WARNING dead letter for gone (dead): str, size 15"]
    kit.letters.read_all()


def test_letters_from_before_its_start_are_written_and_none_twice_after_a_restart(kit: Kit) -> None:
    send_dead(kit, 1)
    with log_lines() as lines:
        kit.tree(SupervisorSpec(children=(ChildSpec(name="dead-letters", start=DeadLetterLog),)))
        kit.settle()
        kit.crash("dead-letters")
        kit.expect_restart("dead-letters")
        send_dead(kit, 1)
    assert [line for line in lines if line.startswith("WARNING")] == [
        "WARNING dead letter for gone (dead): str, size 15"
    ] * 2
    kit.letters.read_all()


def test_what_is_unwritten_at_a_stop_is_summed_up(kit: Kit) -> None:
    kit.start("dead-letters", partial(DeadLetterLog, lines_a_minute=1))
    with log_lines() as lines:
        send_dead(kit, 3)
        kit.runtime.stop("dead-letters")
    assert lines[-1] == "WARNING 2 more dead letters in a minute -> bxctl dead-letters"
    kit.letters.read_all()
