"""Where a thread is, without asking it."""

from __future__ import annotations

from actors.base import Runtime
from actors.kernel.stack import stack_of
from tests.kit.children import Child, Log


def test_a_stack_shows_where_a_thread_is(runtime: Runtime) -> None:
    runtime.start("idle", lambda context: Child(context, Log()))
    stack = runtime.stack("idle")
    assert stack is not None
    assert any(line.startswith("mailbox.py:") and line.endswith(" _take") for line in stack)
    assert runtime.stack("nobody") is None


def test_a_thread_that_has_ended_has_no_stack() -> None:
    assert stack_of(-1) is None
