"""What an exception does: to the actor, to who waits behind it, and to everybody else."""

from __future__ import annotations

import threading

import pykka
import pytest

from actors.base import Crashed, NeverReady, Refusal, Runtime
from actors.supervising import start_root
from bxcore.supervision import ChildSpec, SupervisorSpec
from tests.kit.log_lines import log_lines
from tests.traps.bare import WAIT_S, Bare, bare_actors, object_of, raising, wait
from tests.traps.ours import Ours, supervised


def test_bare_pykka_lives_on_after_a_failed_ask() -> None:
    with bare_actors():
        ref = Bare.start()
        with pytest.raises(ValueError):  # noqa: PT011 - the bare exception is the trap
            ref.ask(raising(ValueError), timeout=WAIT_S)
        assert ref.ask("still there", timeout=WAIT_S) == "still there"
        assert object_of(ref).heard == []


def test_ours_crashes_on_a_failed_ask_and_is_started_anew(runtime: Runtime) -> None:
    (box,) = supervised(runtime, "child")
    with pytest.raises(Crashed, match="ValueError"):
        box.call(raising(ValueError), WAIT_S)
    assert box.call("there again", WAIT_S) == "there again"
    assert box.epoch == 2


def test_ours_lives_on_after_a_refusal(runtime: Runtime) -> None:
    (box,) = supervised(runtime, "child")

    def refuse() -> None:
        raise Refusal("not today")

    with pytest.raises(Refusal, match="not today"):
        box.call(refuse, WAIT_S)
    assert box.call("same", WAIT_S) == "same"
    assert box.epoch == 1


def test_bare_pykka_tells_nobody_of_a_failed_start() -> None:
    with bare_actors():
        ref = Bare.start(starting=raising(ValueError))
        wait(ref.actor_stopped)
        assert object_of(ref).heard == []


def test_ours_fails_the_start_of_who_waits_for_it(runtime: Runtime) -> None:
    spec = ChildSpec(name="child", start=lambda context: Ours(context, starting=raising(SystemExit)))
    with pytest.raises(NeverReady, match=r"child failed at its start \(SystemExit\)"):
        start_root(runtime, SupervisorSpec(children=(spec,)))


def test_bare_pykka_tells_nobody_of_a_failed_stop() -> None:
    with bare_actors():
        ref = Bare.start(stopping=raising(ValueError))
        actor = object_of(ref)
        assert ref.stop(timeout=WAIT_S)
        assert actor.heard == ["on_stop"]


def test_ours_reports_a_failed_stop_and_ends_all_the_same(runtime: Runtime) -> None:
    runtime.start("child", lambda context: Ours(context, stopping=raising(ValueError)))
    with log_lines() as lines:
        assert runtime.stop("child")
    assert len(lines) == 1
    assert lines[0].startswith("ERROR child crashed on on_stop: ValueError")


def test_bare_pykka_loses_tells_behind_a_crash_without_a_word() -> None:
    heard: list[str] = []
    go = threading.Event()
    with bare_actors():
        ref = Bare.start()
        ref.tell(lambda: wait(go))
        ref.tell(raising(ValueError))
        ref.tell(lambda: heard.append("behind"))
        go.set()
        wait(ref.actor_stopped)
        with pytest.raises(pykka.ActorDeadError):
            ref.ask("anyone?", timeout=WAIT_S)
    assert heard == []


def test_ours_keeps_tells_behind_a_crash_for_the_next_incarnation(runtime: Runtime) -> None:
    heard: list[str] = []
    go = threading.Event()
    (box,) = supervised(runtime, "child")
    box.tell(lambda: wait(go))
    box.tell(raising(ValueError))
    box.tell(lambda: heard.append("behind"))
    go.set()
    assert box.call("after", WAIT_S) == "after"
    assert heard == ["behind"]
    assert box.epoch == 2


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_bare_pykka_stops_every_actor_for_one_exit_and_never_answers_its_asker(
    error: type[BaseException],
) -> None:
    with bare_actors():
        bystander, ref = Bare.start(), Bare.start()
        future = ref.ask(raising(error), block=False)
        wait(bystander.actor_stopped)
        with pytest.raises(pykka.Timeout):
            future.get(timeout=0.05)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_ours_crashes_that_actor_alone_and_its_asker_hears_of_it(
    runtime: Runtime, error: type[BaseException]
) -> None:
    bystander, box = supervised(runtime, "bystander", "child")
    with pytest.raises(Crashed, match=error.__name__):
        box.call(raising(error), WAIT_S)
    assert box.call("there again", WAIT_S) == "there again"
    assert bystander.call("undisturbed", WAIT_S) == "undisturbed"
    assert bystander.epoch == 1
