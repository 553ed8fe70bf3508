from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest

from actors.base import Runtime
from actors.sandbox_search import SandboxSearch, Wanted
from bxcore.messages.runner import Found, Search
from bxcore.sandbox import Guarantee, SandboxError
from bxcore.sandbox.choose import OFF
from bxio.cut import Cut
from tests.doubles.scripted_backend import LONG_S, ScriptedBackend

Find: TypeAlias = Callable[..., Found]
NO_PODMAN = "podman is not on this machine; install it"


@pytest.fixture
def find(runtime: Runtime) -> Find:
    """Search among the backends given by name; None is one that is not on the machine."""

    def search(backend: str = "auto", *accept: str, **backends: ScriptedBackend | None) -> Found:
        def make(name: str, _cut: Cut) -> ScriptedBackend:
            made = backends.get(name)
            if made is None:
                raise SandboxError(f"{name} is not on this machine; install it")
            return made

        makers = {name: partial(make, name) for name in ("podman", "bubblewrap")}
        wanted = Wanted(backend=backend, accept=accept, makers=makers)
        box = runtime.start("search", partial(SandboxSearch, wanted=wanted))
        found = box.ask(Search(), time.monotonic() + LONG_S).get(LONG_S)
        runtime.stop("search")
        assert isinstance(found, Found)
        return found

    return search


WEAK = frozenset({Guarantee.MEMORY_LIMIT})


def test_the_stronger_one_is_taken_and_the_other_not_looked_at(find: Find) -> None:
    podman, bubblewrap = ScriptedBackend(left_behind=2), ScriptedBackend(name="bubblewrap")
    found = find(podman=podman, bubblewrap=bubblewrap)
    assert (found.backend.name, found.view.ready, found.swept) == ("podman", True, 2)
    assert (podman.closed, bubblewrap.closed) == (0, 0)


def test_where_podman_is_missing_bubblewrap_is_taken(find: Find) -> None:
    found = find(bubblewrap=ScriptedBackend(name="bubblewrap"))
    assert (found.backend.name, found.view.backend) == ("bubblewrap", "bubblewrap")


def test_one_that_lacks_a_guarantee_is_closed_and_refused_with_what_would_accept_it(find: Find) -> None:
    weak = ScriptedBackend(name="bubblewrap", lacks=WEAK)
    found = find(bubblewrap=weak)
    assert (found.backend, found.view.ready, weak.closed) == (None, False, 1)
    assert found.view.sentence.startswith(
        f"no tool runs: {NO_PODMAN}; or: bubblewrap cannot promise memory-limit"
    )
    assert 'accept = ["memory-limit"]' in found.view.sentence


def test_what_the_owner_accepts_is_taken(find: Find) -> None:
    found = find("auto", "memory-limit", podman=ScriptedBackend(lacks=WEAK))
    assert (found.backend.name, found.view.accepted) == ("podman", (Guarantee.MEMORY_LIMIT,))


def test_only_the_wanted_one_is_tried(find: Find) -> None:
    podman = ScriptedBackend()
    found = find("bubblewrap", podman=podman)
    assert (found.backend, found.view.sentence) == (
        None,
        "no tool runs: bubblewrap is not on this machine; install it",
    )


def test_none_at_all_is_what_the_owner_wants(find: Find) -> None:
    found = find("none", podman=ScriptedBackend())
    assert (found.backend, found.view.sentence) == (None, OFF)


def test_one_whose_sweep_fails_is_closed_and_told(find: Find) -> None:
    class Unswept(ScriptedBackend):
        def sweep(self) -> int:
            raise SandboxError("podman does not answer")

    unswept = Unswept()
    found = find("podman", podman=unswept)
    assert (found.backend, unswept.closed) == (None, 1)
    assert found.view.sentence == "no tool runs: podman does not answer"
