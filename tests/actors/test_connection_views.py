from __future__ import annotations

import threading
from pathlib import Path

from actors.base import Actor, Runtime
from actors.connection_chats import ChatPlaces
from actors.connection_views import Known
from actors.supervising import Supervisor, start_root
from bxcore.control import requests
from bxcore.messages.supervision import StartChild, StopChild
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.waits import Waits


class Idle(Actor):
    def on_receive(self, message: object) -> None:
        pass

    def facts(self) -> dict[str, str | int | float]:
        return {"entries": 3}


def known(runtime: Runtime) -> Known:
    group = SupervisorSpec(children=(ChildSpec(name="memory", start=Idle),))
    start_root(
        runtime,
        SupervisorSpec(
            children=(
                ChildSpec(name="clock", start=Idle),
                ChildSpec(
                    name="memory.group", kind="supervisor", start=lambda context: Supervisor(context, group)
                ),
            )
        ),
    )
    return Known(
        runtime=runtime,
        loop=runtime.mailbox("clock"),
        memory=runtime.mailbox("memory"),
        broker=runtime.mailbox("broker"),
        outbox=runtime.mailbox("outbox"),
        audit_path=Path("/nonexistent/audit.jsonl"),
        started_s=runtime.world.monotonic(),
        facts=tuple,
        doctor=tuple,
        waits=Waits(),
        chats=ChatPlaces(32),
    )


def test_a_stuck_thread_is_shown_with_the_name_it_had(runtime: Runtime) -> None:
    entered, go = threading.Event(), threading.Event()

    class Sticking(Idle):
        def on_receive(self, message: object) -> None:
            entered.set()
            go.wait(20.0)

    spec = SupervisorSpec(max_children=1)
    asks = runtime.start("asks", lambda context: Supervisor(context, spec))
    box = runtime.mailbox("asks/1")
    child = ChildSpec(name="asks/1", start=Sticking, restart=Restart.TEMPORARY, shutdown_s=0.0)
    asks.tell(StartChild(spec=child, mailbox=box))
    box.tell("stick")
    assert entered.wait(5.0)
    assert asks.call(StopChild(name="asks/1"), 5.0).ok
    seen = known(runtime).look_at(requests.StackRequest(name="asks/1"))
    go.set()
    assert isinstance(seen, dict)
    [stuck] = seen["stuck"]
    assert (seen["frames"], stuck["incarnation"]) == ([], 1)
    assert any(frame.endswith(" on_receive") for frame in stuck["frames"])


def test_a_wish_goes_to_the_supervisor_of_the_name(runtime: Runtime) -> None:
    seen = known(runtime)
    memory, clock = seen.supervisor_of("memory"), seen.supervisor_of("clock")
    assert memory is not None
    assert clock is not None
    assert (memory.name, clock.name) == ("memory.group", "root")
    assert seen.supervisor_of("root") is None
    assert seen.supervisor_of("gone") is None


def test_asking_about_a_name_makes_no_mailbox(runtime: Runtime) -> None:
    seen = known(runtime)
    before = {box.name for box in runtime.mailboxes()}
    seen.supervisor_of("gone")
    seen.is_above("gone", "memory")
    assert {box.name for box in runtime.mailboxes()} == before


def test_above_is_a_supervisor_and_every_one_over_it(runtime: Runtime) -> None:
    seen = known(runtime)
    names = ("clock", "memory", "memory.group", "root")
    assert [name for name in names if seen.is_above(name, "memory.group")] == ["memory.group", "root"]
    assert not any(seen.is_above(name, None) for name in names)
    assert not seen.is_above("gone", "memory.group")


def test_the_top_children_come_in_their_order_with_whom_to_tell(runtime: Runtime) -> None:
    assert [(box.name, name) for box, name in known(runtime).top_children()] == [
        ("root", "clock"),
        ("root", "memory.group"),
    ]


def test_an_actors_own_counters_are_shown_beside_the_kernels(runtime: Runtime) -> None:
    from bxcore.control.requests import InspectRequest

    shown = known(runtime).look_at(InspectRequest(name="memory"))
    assert isinstance(shown, dict)
    assert shown["details"]["entries"] == "3"
    assert shown["details"]["in hand"] == "nothing"
