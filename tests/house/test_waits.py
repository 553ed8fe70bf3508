"""Every wait has a deadline, and no test and no actor sleeps (spec 5.2, 5.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import Module, modules

NO_ARGUMENT = frozenset({"acquire", "get", "join", "result", "wait"})
"""Methods that wait for ever when they are called with nothing at all; ``mapping.get(key)`` is no wait."""
NEEDS_TIMEOUT = {"communicate": 2, "wait_for": 2, "create_connection": 2, "urlopen": 3, "select": 4}
"""Calls with an optional time-out, and how many plain arguments hold it."""
SUBPROCESS = frozenset({"run", "call", "check_call", "check_output"})

WITHOUT: dict[tuple[str, str], str] = {
    ("bxio/mcp/bridge.py", "changed.wait()"): "a task of the bridge, which ends with the box",
    ("bxio/mcp/bridge.py", "self._event.wait()"): "the same",
    ("tests/kit/probe.py", "self._lease.get()"): "ends at the timer that the line above it sets",
}
"""Waits that need no deadline: (file, the call as written) and the reason."""
ASLEEP: dict[str, str] = {
    "bxio/embedded_honcho/faults.py": "the slow first chat is the fault itself; it ends by the deadline",
    "bench/rows_audit.py": "the slow disk itself, whose every sync takes so much longer",
    "tests/doubles/mcp_servers.py": "a process that hangs, until it is killed",
    "tests/doubles/model_process.py": "a child process that loads for ever, until it is killed",
    "bxio/model/client.py": "waits before another attempt, in short steps that a cut ends",
}
"""Files outside the tree of actors that may sleep, and the reason."""


def is_nothing(node: ast.expr) -> bool:
    """``True`` asks to wait and ``None`` for how long: for ever."""
    return isinstance(node, ast.Constant) and (node.value is True or node.value is None)


def has_timeout(call: ast.Call) -> bool:
    """Whether a time-out is given by its name; a ``**`` may hold one."""
    named = [given for given in call.keywords if given.arg in {"timeout", "timeout_s", None}]
    return any(not is_nothing(given.value) for given in named)


def has_only_flags(call: ast.Call) -> bool:
    """``get()``, ``get(True)`` and ``acquire(blocking=True)``, but not ``get(False)`` or ``get(key)``."""
    flags = [given.value for given in call.keywords if given.arg in {"block", "blocking", "timeout"}]
    return all(is_nothing(node) for node in [*call.args, *flags])


def waits_for_ever(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or has_timeout(call):
        return False
    name, owner = call.func.attr, ast.unparse(call.func.value)
    if name in NO_ARGUMENT:
        return has_only_flags(call)
    if name == "flock":
        return not any(flag in ast.unparse(call) for flag in ("LOCK_NB", "LOCK_UN"))
    if name == "select" and owner != "select":
        return has_only_flags(call)
    if owner == "subprocess" and name in SUBPROCESS:
        return True
    return name in NEEDS_TIMEOUT and len(call.args) < NEEDS_TIMEOUT[name]


def bounded_by_another(tree: ast.Module) -> set[ast.AST]:
    """What stands in ``asyncio.wait_for(…, timeout)``, which gives it its deadline."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    return {
        call.args[0] for call in calls if ast.unparse(call.func) == "asyncio.wait_for" and len(call.args) > 1
    }


def endless(module: Module) -> Iterator[str]:
    bounded = bounded_by_another(module.tree)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and waits_for_ever(node) and node not in bounded:
            written = ast.unparse(node)
            if (module.name, written) not in WITHOUT:
                yield f"{module.name}:{node.lineno} {written[:100]}"


def sleeps(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call) or module.name in ASLEEP:
            continue
        if ast.unparse(node.func) in {"time.sleep", "sleep"}:
            yield f"{module.name}:{node.lineno}"


def test_every_wait_has_a_deadline() -> None:
    assert [found for module in modules() for found in endless(module)] == []


def test_nothing_sleeps() -> None:
    assert [found for module in modules() for found in sleeps(module)] == []


def test_no_queue_is_unbounded() -> None:
    found = []
    for module in modules("bxcore", "bxio", "actors", "bxctl", "supervisor.py"):
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Call):
                continue
            made = ast.unparse(node.func).rpartition(".")[2]
            unbounded = made == "SimpleQueue" or (
                made in {"Queue", "LifoQueue", "PriorityQueue"} and not node.args + node.keywords
            )
            if unbounded:
                found.append(f"{module.name}:{node.lineno}")
    assert found == []


def test_each_exception_still_stands() -> None:
    every = {
        module.name: {ast.unparse(node) for node in ast.walk(module.tree) if isinstance(node, ast.Call)}
        for module in modules()
    }
    assert [key for key in WITHOUT if key[1] not in every.get(key[0], set())] == []
    assert [name for name in ASLEEP if not any("sleep" in call for call in every.get(name, set()))] == []


ENDLESS = """
reply.get(); queue.get(True); queue.get(block=True); event.wait(); event.wait(None); event.wait(timeout=None)
thread.join(); future.result(); lock.acquire(); lock.acquire(True); process.wait(); process.communicate()
condition.wait_for(ready); subprocess.run(command, check=True); fcntl.flock(file, fcntl.LOCK_EX)
socket.create_connection(there); select.select(readers, [], []); selector.select()
"""
BOUNDED = """
reply.get(3.0); reply.get(timeout=left); reply.get(timeout_s=2); mapping.get('key'); ', '.join(words)
event.wait(1); thread.join(timeout=2); lock.acquire(timeout=1); lock.acquire(blocking=False)
lock.acquire(False); subprocess.run(command, timeout=5); fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
selector.select(0.1); condition.wait_for(ready, 2); asyncio.wait_for(event.wait(), 2)
 socket.create_connection(there, 5)
"""


def lines(written: str) -> list[str]:
    return [call.strip() for line in written.strip().splitlines() for call in line.split(";")]


@pytest.mark.parametrize("written", lines(ENDLESS))
def test_the_check_finds_a_wait_without_a_deadline(written: str) -> None:
    assert len(list(endless(Module(name="x.py", text=written, tree=ast.parse(written))))) == 1


@pytest.mark.parametrize("written", lines(BOUNDED))
def test_the_check_lets_a_bounded_wait_pass(written: str) -> None:
    assert list(endless(Module(name="x.py", text=written, tree=ast.parse(written)))) == []
