from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors import runner as runner_module
from actors.base import Actor, Late, Mailbox, Reply, Restarting, Runtime
from actors.runner import AT_ONCE, BUSY, Children, Runner
from actors.sandbox_search import SandboxSearch, Wanted
from actors.supervising import Supervisor
from actors.tool_run import Folders, ToolRun
from bxcore.args import HttpFetchArgs, ShellArgs
from bxcore.backoff import Backoff
from bxcore.grants import Grant
from bxcore.grants.grant import Mode
from bxcore.labels import OWN_WORDS
from bxcore.messages.runner import RunTool
from bxcore.messages.supervision import RestartChild
from bxcore.sandbox import SandboxError
from bxcore.sandbox.choose import NOT_NEEDED, SEARCHING
from bxcore.sandbox.view import SandboxView
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.tool_answer import Effect, ToolAnswer
from bxio.cut import Cut
from bxio.sandbox import Backend
from tests.actors.test_tool_run import until
from tests.doubles.scripted_backend import LONG_S, Hanging, ScriptedBackend
from tests.kit.leaks import Letters

DONE = "exit code 0\nstdout:\ndone"
INSTALL = "podman is not on this machine; install it"


class Fetches(Actor):
    """A stand-in for a fetch: it crashes on one address and answers on others."""

    def on_receive(self, message: RunTool) -> ToolAnswer:
        assert isinstance(message.args, HttpFetchArgs)
        if "crash" in message.args.url:
            raise ZeroDivisionError
        self.end()
        return ToolAnswer(ok=True, content="a page", label=OWN_WORDS)


@dataclass
class Box:
    """A runner with its children, over backends that are made one after the other; None is a missing one."""

    runtime: Runtime
    folder: Path
    backends: list[ScriptedBackend | None]
    searched: threading.Event = field(default_factory=threading.Event)
    views: list[SandboxView] = field(default_factory=list)
    made: int = 0
    needed: bool = True

    def start(self, rest: Backoff | None = None, most: int = 64) -> Box:
        spec = SupervisorSpec(
            intensity=5,
            children=(
                ChildSpec(
                    name="runs",
                    kind="supervisor",
                    start=lambda context: Supervisor(context, SupervisorSpec(max_children=most)),
                ),
                ChildSpec(
                    name="runner",
                    shutdown_s=10.0,
                    start=partial(
                        Runner,
                        children=self.children(),
                        publish=self.views.append,
                        needed=lambda: self.needed,
                        rest=rest or Backoff(first_s=0.01, most_s=0.01),
                    ),
                ),
            ),
        )
        self.runtime.start("group", lambda context: Supervisor(context, spec))
        return self

    def children(self) -> Children:
        wanted = Wanted(backend="podman", accept=(), makers={"podman": self.make})
        folders = Folders(work=self.folder / "work", own=())

        def run(name: str, backend: Backend) -> ChildSpec:
            return temporary(name, partial(ToolRun, backend=backend, folders=folders))

        return Children(
            runs=self.runtime.mailbox("runs"),
            search=lambda name: temporary(name, partial(SandboxSearch, wanted=wanted)),
            tool_run=run,
            fetch=lambda name: temporary(name, Fetches),
        )

    def make(self, _cut: Cut) -> ScriptedBackend:
        self.searched.wait(LONG_S)
        backend = self.backends[min(self.made, len(self.backends) - 1)]
        self.made += 1
        if backend is None:
            raise SandboxError(INSTALL)
        return backend

    @property
    def address(self) -> Mailbox:
        return self.runtime.mailbox("runner")

    def ask(self, args: ShellArgs | HttpFetchArgs | None = None, within_s: float = LONG_S) -> Reply:
        asked = args or ShellArgs("make")
        message = RunTool(
            args=asked,
            grant=Grant(id="g", tool=asked.TOOL, mode=Mode.AUTO, text=""),
            session="main",
            call="c",
            limit_s=10.0,
        )
        return self.address.ask(message, time.monotonic() + within_s)

    def said(self, args: ShellArgs | HttpFetchArgs | None = None) -> str:
        answer = self.ask(args).get(LONG_S)
        assert isinstance(answer, ToolAnswer)
        return answer.content


def temporary(name: str, start: Callable[[Any], Actor]) -> ChildSpec:
    return ChildSpec(name=name, start=start, restart=Restart.TEMPORARY, shutdown_s=3.0)


@pytest.fixture
def box(runtime: Runtime, tmp_path: Path) -> Iterator[Callable[..., Box]]:
    """Make a box; its search goes on at once unless ``searching`` is said."""
    made: list[Box] = []

    def make(*backends: ScriptedBackend | None, searching: bool = False) -> Box:
        new = Box(runtime, tmp_path, list(backends))
        made.append(new)
        if not searching:
            new.searched.set()
        return new

    yield make
    for each in made:
        each.searched.set()


def test_a_call_is_run_in_the_sandbox_that_was_found(box: Callable[..., Box]) -> None:
    one = box(ScriptedBackend()).start()
    assert one.said() == DONE
    assert [view.ready for view in one.views] == [True]


def test_the_start_waits_for_no_search_and_a_call_does(box: Callable[..., Box]) -> None:
    one = box(ScriptedBackend(), searching=True).start()
    replies = [one.ask() for _ in range(3)]
    assert one.said(HttpFetchArgs("http://a.example")) == "a page", "a fetch needs no sandbox"
    assert [reply.pending for reply in replies] == [True] * 3
    one.searched.set()
    assert [reply.get(LONG_S).content for reply in replies] == [DONE] * 3
    assert one.made == 1


def test_a_call_that_cannot_wait_longer_is_told_that_the_search_goes_on(box: Callable[..., Box]) -> None:
    one = box(ScriptedBackend(), searching=True).start()
    answer = one.ask(within_s=1.3).get(LONG_S)
    assert (answer.ok, answer.content, answer.label) == (False, f"shell: {SEARCHING}", OWN_WORDS)
    one.searched.set()


def test_a_box_that_needs_no_sandbox_searches_for_one_at_the_first_call(box: Callable[..., Box]) -> None:
    one = box(ScriptedBackend())
    one.needed = False
    one.start()
    assert one.said(HttpFetchArgs("http://a.example")) == "a page"
    assert (one.made, one.views) == (0, [NOT_NEEDED])
    assert one.said() == DONE
    assert (one.made, one.views[-1].ready, one.views[-1].sought) == (1, True, True)


def test_a_call_whose_asker_gives_up_while_it_waits_leaves_its_place_at_once(
    box: Callable[..., Box], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "AT_ONCE", 2)
    one = box(ScriptedBackend(), searching=True).start()
    given_up = [one.ask() for _ in range(2)]
    assert one.said() == f"shell: {BUSY}"
    for reply in given_up:
        reply.abandon()
    assert until(lambda: one.ask().outcome(time.monotonic() + 0.1) == Late()), "it waits and is not refused"
    one.searched.set()


def test_without_a_sandbox_a_call_is_told_what_to_install_and_a_fetch_works(box: Callable[..., Box]) -> None:
    one = box(None).start()
    answer = one.ask().get(LONG_S)
    assert (answer.ok, answer.effect) == (False, Effect.NONE)
    assert answer.content == f"shell: no tool runs: {INSTALL}"
    assert answer.label == OWN_WORDS
    assert one.said(HttpFetchArgs("http://a.example")) == "a page"
    assert (one.views[-1].ready, one.views[-1].backend) == (False, None)


def test_a_search_in_vain_is_made_again_by_a_later_call_only(box: Callable[..., Box]) -> None:
    one = box(None, ScriptedBackend()).start(rest=Backoff(first_s=0.3, most_s=0.3))
    assert INSTALL in one.said()
    assert INSTALL in one.said(), "it rests"
    assert one.made == 1
    assert until(lambda: one.said() == DONE)
    assert one.made == 2


def test_a_restart_by_hand_searches_anew_and_closes_the_old_one(box: Callable[..., Box]) -> None:
    first, second = ScriptedBackend(), ScriptedBackend()
    one = box(first, second).start()
    assert one.said() == DONE
    group = one.runtime.mailbox("group")
    assert group.ask(RestartChild(name="runner"), time.monotonic() + LONG_S).get(LONG_S).ok
    assert one.said() == DONE
    assert (first.closed, second.closed, len(second.jobs)) == (1, 0, 1)


def test_a_sandbox_that_broke_is_closed_and_the_next_call_runs_in_a_new_one(box: Callable[..., Box]) -> None:
    first, second = ScriptedBackend(), ScriptedBackend()
    one = box(first, second).start()
    assert one.said() == DONE
    first.broke = "podman's service has ended"
    assert one.said() == DONE
    assert (first.closed, len(first.jobs), len(second.jobs)) == (1, 1, 1)
    assert "the sandbox broke (podman's service has ended)" in one.views[1].sentence
    assert [view.ready for view in one.views] == [True, False, True]


def test_one_that_breaks_again_and_again_rests_before_it_is_started(box: Callable[..., Box]) -> None:
    broken = [ScriptedBackend(broke="it ended") for _ in range(3)]
    one = box(*broken).start(rest=Backoff(first_s=60.0, most_s=60.0))
    assert until(lambda: bool(one.views))
    one.ask().get(LONG_S)
    assert "the sandbox broke" in one.said()
    assert "the sandbox broke" in one.said()
    assert one.made == 2


def test_an_asker_who_gives_up_has_its_run_killed(box: Callable[..., Box]) -> None:
    hanging = Hanging()
    one = box(ScriptedBackend(hanging)).start()
    reply = one.ask()
    assert hanging.begun.wait(LONG_S)
    reply.abandon()
    assert until(lambda: hanging.cut_after_s is not None)
    assert reply.peek() == Late()


def test_a_crashed_run_says_that_its_effect_is_unknown(box: Callable[..., Box]) -> None:
    one = box(ScriptedBackend()).start()
    answer = one.ask(HttpFetchArgs("http://crash.example")).get(LONG_S)
    assert not answer.ok
    assert answer.content.startswith("http_fetch: its run broke off (")
    assert answer.content.endswith("so what it did is unknown; look before you do it again")
    assert answer.effect is Effect.UNKNOWN
    assert one.said() == DONE, "the runner goes on"


def test_one_run_more_than_there_may_be_is_told_to_wait(
    box: Callable[..., Box], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "AT_ONCE", 3)
    hanging = Hanging()
    one = box(ScriptedBackend(hanging)).start()
    replies = [one.ask() for _ in range(3)]
    assert one.said() == f"shell: {BUSY}"
    hanging.go_on.set()
    assert [reply.get(LONG_S).content for reply in replies] == [DONE] * 3
    assert one.said() == DONE


def test_a_full_supervisor_is_told_the_same(box: Callable[..., Box], letters: Letters) -> None:
    hanging = Hanging()
    one = box(ScriptedBackend(hanging)).start(most=1)
    reply = one.ask()
    assert hanging.begun.wait(LONG_S)
    assert one.said() == f"shell: {BUSY}"
    hanging.go_on.set()
    assert reply.get(LONG_S).content == DONE
    letters.read_all()
    assert AT_ONCE < 64


def test_a_stop_kills_the_runs_first_and_closes_the_sandbox_behind_them(box: Callable[..., Box]) -> None:
    hanging = Hanging()
    backend = ScriptedBackend(hanging)
    one = box(backend).start()
    reply = one.ask()
    assert hanging.begun.wait(LONG_S)
    began_s = time.monotonic()
    assert one.runtime.stop("group")
    assert time.monotonic() - began_s < LONG_S / 2
    assert (hanging.cut_after_s is not None, backend.closed) == (True, 1)
    reply.outcome(time.monotonic() + LONG_S)


def test_a_restart_tells_a_waiting_asker(box: Callable[..., Box]) -> None:
    hanging = Hanging()
    one = box(ScriptedBackend(hanging), ScriptedBackend()).start()
    reply = one.ask()
    assert hanging.begun.wait(LONG_S)
    group = one.runtime.mailbox("group")
    assert group.ask(RestartChild(name="runner"), time.monotonic() + LONG_S).get(LONG_S).ok
    with pytest.raises(Restarting):
        reply.get(LONG_S)
    assert hanging.cut_after_s is not None


def test_a_call_that_is_told_and_not_asked_is_not_run(box: Callable[..., Box], letters: Letters) -> None:
    backend = ScriptedBackend()
    one = box(backend).start()
    grant = Grant(id="g", tool="shell", mode=Mode.AUTO, text="")
    one.address.tell(RunTool(args=ShellArgs("a"), grant=grant, session="main", call="c", limit_s=1.0))
    assert one.said() == DONE
    assert len(backend.jobs) == 1
    assert not letters.read_all()
