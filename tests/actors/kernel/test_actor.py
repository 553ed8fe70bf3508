"""The base of every actor: what an answer, a refusal, a crash, an end and a stop do."""

from __future__ import annotations

from typing import Any

import pytest

from actors.base import Actor, Context, Crashed, Dead, Refusal, Restarting
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


class Worker(Actor):
    """Calls what it is sent with itself."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.stops = 0

    def on_receive(self, message: Any) -> object:
        return message(self) if callable(message) else message


def refuse(_: Actor) -> None:
    raise Refusal("the file is not there")


def crash(_: Actor) -> None:
    raise ZeroDivisionError


def end(actor: Actor) -> str:
    actor.end()
    return "good bye"


def keep(kit: Kit, restart: Restart = Restart.PERMANENT) -> None:
    kit.tree(SupervisorSpec(intensity=5, children=(ChildSpec(name="w", start=Worker, restart=restart),)))


def test_what_on_receive_returns_is_the_answer(kit: Kit) -> None:
    assert kit.start("w", Worker).call("same", 1.0) == "same"


def test_a_refusal_is_replied_and_costs_nothing(kit: Kit) -> None:
    box = kit.start("w", Worker)
    with pytest.raises(Refusal, match="the file is not there"):
        box.call(refuse, 1.0)
    box.tell(refuse)
    assert box.call("same", 1.0) == "same"
    assert box.epoch == 1


def test_the_asker_of_the_message_that_crashed_it_hears_crashed_the_others_nothing(kit: Kit) -> None:
    keep(kit)
    box = kit.runtime.mailbox("w")
    culprit, behind = box.ask(crash, 9.0), box.ask("behind", 9.0)
    with pytest.raises(Crashed, match=r"w crashed on this request \(ZeroDivisionError\)") as raised:
        culprit.get(1.0)
    assert raised.value.error_type == "ZeroDivisionError"
    assert behind.get(1.0) == "behind"


def test_a_crash_after_taking_the_reply_over_is_still_a_crash_to_its_asker(kit: Kit) -> None:
    keep(kit)

    def take_over_and_crash(actor: Actor) -> None:
        assert actor.reply_later() is not None
        raise ZeroDivisionError

    with pytest.raises(Crashed):
        kit.runtime.mailbox("w").call(take_over_and_crash, 1.0)


@pytest.mark.parametrize(("restart", "error"), [(Restart.PERMANENT, Restarting), (Restart.TEMPORARY, Dead)])
def test_replies_taken_over_before_a_crash_hear_whether_a_retry_may_help(
    kit: Kit, restart: Restart, error: type[Exception]
) -> None:
    keep(kit, restart)
    owed = kit.runtime.mailbox("w").ask(lambda actor: actor.reply_later(), 9.0)
    kit.settle()
    kit.runtime.mailbox("w").tell(crash)
    with pytest.raises(error):
        owed.get(1.0)


def test_a_reply_taken_over_may_be_set_later_and_what_on_receive_returned_is_ignored(kit: Kit) -> None:
    taken: list[Any] = []

    def take_over(actor: Actor) -> str:
        taken.append(actor.reply_later())
        return "ignored"

    box = kit.start("w", Worker)
    asked = box.ask(take_over, 9.0)
    box.tell(lambda _: taken[0].set("later"))
    assert asked.get(1.0) == "later"
    box.tell(take_over)
    kit.settle()
    assert taken[1] is None


def test_an_actor_ends_normally_after_the_message_in_hand(kit: Kit) -> None:
    box = kit.start("w", Worker)
    life = kit.runtime.life("w")
    last, behind = box.ask(end, 9.0), box.ask("behind", 9.0)
    assert last.get(1.0) == "good bye"
    with pytest.raises(Dead):
        behind.get(1.0)
    assert life is not None
    assert (life.reason, life.error) == ("normal", None)
    kit.letters.read_all()


@pytest.mark.parametrize("how", [crash, end])
def test_on_stop_runs_once_whatever_the_end(kit: Kit, how: Any) -> None:
    stops: list[str] = []

    class Cleaning(Worker):
        def on_stop(self) -> None:
            stops.append(self.name)

    kit.start("w", Cleaning).tell(how)
    kit.settle()
    assert stops == ["w"]


@pytest.mark.parametrize("error", [OSError, SystemExit, KeyboardInterrupt])
def test_a_failed_start_is_reported_whatever_was_raised(kit: Kit, error: type[BaseException]) -> None:
    class Failing(Worker):
        def on_start(self) -> None:
            raise error

    with log_lines() as lines, pytest.raises(Exception, match=error.__name__):
        kit.start("w", Failing)
    assert [line.partition(" (")[0] for line in lines] == [f"ERROR w crashed on on_start: {error.__name__}"]


def test_on_stop_does_not_run_after_a_failed_start(kit: Kit) -> None:
    stops: list[str] = []

    class Failing(Worker):
        def on_start(self) -> None:
            raise ZeroDivisionError

        def on_stop(self) -> None:
            stops.append(self.name)

    with pytest.raises(Exception, match="ZeroDivisionError"):
        kit.start("w", Failing)
    assert stops == []


def test_a_cut_that_raises_does_not_keep_the_stop_from_going_on(kit: Kit) -> None:
    class Clumsy(Worker):
        def cut(self) -> None:
            raise OSError("secret")

    kit.start("w", Clumsy)
    with log_lines() as lines:
        assert kit.runtime.stop("w")
    assert len(lines) == 1
    assert "w crashed on cut: OSError" in lines[0]
    assert "secret" not in lines[0]


def test_an_unknown_message_is_a_crash_that_names_its_type(kit: Kit) -> None:
    class Deaf(Actor):
        pass

    with pytest.raises(Crashed, match="NotImplementedError"):
        kit.start("deaf", Deaf).call("hello", 1.0)


def test_it_knows_its_name_its_incarnation_its_mailbox_and_the_time(kit: Kit) -> None:
    box = kit.start("w", Worker)
    kit.advance(3.0)
    seen = box.call(lambda actor: (actor.name, actor.incarnation, actor.box, actor.now(), actor.fenced), 1.0)
    assert seen == ("w", 1, box, 3.0, False)
