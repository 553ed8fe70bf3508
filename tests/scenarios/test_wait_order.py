"""In the whole tree, an actor blocks only for those nearer the clock, so no two can wait for each other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from actors.base import Reply, Runtime
from actors.box_facts import BoxFacts
from actors.box_parts import Parts
from actors.model_honcho import embedded_honcho
from actors.supervising import start_root
from bxcore.config import Secrets, Settings
from bxcore.messages.loop import PromptSize, Say
from bxcore.paths import find
from bxio.claim import claim
from supervisor import tree
from tests.doubles.model_server import ModelServer, Step

LONG_S = 20.0


def choose(body: Mapping[str, Any]) -> Step:
    last = body["messages"][-1]
    if last["role"] == "tool" or last["content"].startswith("Passages:"):
        return {"say": "It is there."}
    note = {"action": "add", "file": "notes", "text": last["content"].splitlines()[-1]}
    return {"call": [["memory", note], ["recall", {"query": "key"}], ["ask_memory", {"question": "where?"}]]}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """Who blocked for whom: the name of the thread, and the address."""
    found: set[tuple[str, str]] = set()
    before = Reply._wait

    def noted(reply: Reply, until_s: Callable[[], float]) -> None:
        found.add((threading.current_thread().name, reply.address))
        before(reply, until_s)

    monkeypatch.setattr(Reply, "_wait", noted)
    return found


@pytest.fixture
def running(runtime: Runtime, waits: set[tuple[str, str]], tmp_path: Path) -> Iterator[list[str]]:
    """The process's own tree; the names below the root in their order, each with its group's place."""
    paths = find({}, cwd=tmp_path, home=str(tmp_path))
    with ModelServer(choose) as server:
        settings = Settings.model_validate({"model": {"url": server.url, "profile": "native"}})
        taken = claim(paths, log_level="info", honcho=embedded_honcho(settings, runtime))
        parts = Parts(
            runtime=runtime,
            settings=settings,
            secrets=Secrets(),
            paths=paths,
            claim=taken,
            started_s=runtime.world.monotonic(),
            facts=BoxFacts(runtime),
        )
        spec = tree(parts)
        root = start_root(runtime, spec)
        yield [child.name for child in spec.children]
        assert root.stop(LONG_S)
        taken.release()
        logger.remove()


def place(name: str, order: list[str]) -> int:
    """Where it stands in the tree's order: a child of a group stands where its group does."""
    top = name.partition("/")[0]
    groups = {"outbox": "memory.group", "memory": "memory.group", "loop": "loop.group"}
    groups |= dict.fromkeys(("runs", "runner", "broker"), "broker.group")
    return order.index(groups.get(top, top))


def test_no_actor_blocks_for_one_behind_it(
    runtime: Runtime, running: list[str], waits: set[tuple[str, str]]
) -> None:
    supervisors = {"root", "memory.group", "broker.group", "loop.group", "control.group"}

    def ask(name: str, message: object) -> None:
        runtime.mailbox(name).ask(message, time.monotonic() + LONG_S).get(LONG_S)

    for text in ("the key is in the tin", "where is the key?"):
        ask("loop", Say(session="main", text=text, speaker="anna"))
    ask("loop", PromptSize())
    blocked = {
        (who, whom)
        for who, whom in waits
        if who != threading.main_thread().name and who not in supervisors and who != whom
    }
    asked = {(who.partition("/")[0], whom) for who, whom in blocked}
    assert {("loop", "broker"), ("loop", "memory"), ("loop", "model"), ("broker", "audit")} <= asked
    behind = {(who, whom) for who, whom in blocked if place(whom, running) >= place(who, running)}
    assert behind == set()
