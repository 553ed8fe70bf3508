"""Where a thread is, without asking it."""

from __future__ import annotations

import threading

from actors.base import Runtime
from actors.kernel.stack import stack_of
from actors.supervising import start_root
from bxcore.messages.supervision import RestartChild
from bxcore.supervision import SupervisorSpec
from tests.kit.children import Child, Log, child


def test_a_stack_shows_where_a_thread_is(runtime: Runtime) -> None:
    runtime.start("idle", lambda context: Child(context, Log()))
    stack = runtime.stack("idle")
    assert stack is not None
    assert any(line.startswith("mailbox.py:") and line.endswith(" _take") for line in stack)
    assert runtime.stack("nobody") is None


def test_a_thread_that_has_ended_has_no_stack() -> None:
    assert stack_of(-1) is None


def test_a_stuck_thread_has_a_stack_of_its_own_beside_its_successors(runtime: Runtime) -> None:
    go = threading.Event()
    entered = threading.Event()

    def stick(_: object) -> None:
        entered.set()
        go.wait(20.0)

    spec = SupervisorSpec(children=(child(Log(), "stuck", shutdown_s=0.0),))
    root = start_root(runtime, spec)
    runtime.mailbox("stuck").tell(stick)
    assert entered.wait(5.0)
    assert root.box.call(RestartChild(name="stuck"), 5.0).ok
    stacks = runtime.stuck_stacks("stuck")
    assert list(stacks) == [1]
    assert any(line.endswith(" stick") for line in stacks[1])
    assert not any(line.endswith(" stick") for line in runtime.stack("stuck") or [])
    go.set()
