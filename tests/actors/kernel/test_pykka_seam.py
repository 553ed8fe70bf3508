"""Contract tests: the private names of Pykka that the seam stands on are as it needs them."""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any

import pykka
import pytest
from pykka import ActorRegistry, messages
from pykka._envelope import Envelope

from actors.base import Actor
from actors.kernel.letter import Letter
from bxcore.supervision import ChildSpec, SupervisorSpec
from tests.kit.kit import Kit


class Echo(Actor):
    def on_receive(self, message: Any) -> object:
        return message


def test_it_is_the_pinned_version() -> None:
    assert version("pykka").startswith("4.5.")


def test_the_constructor_takes_the_inbox_from_the_instance_and_the_ref_holds_it(kit: Kit) -> None:
    source = inspect.getsource(pykka.Actor.__init__)
    assert "self.actor_inbox = self._create_actor_inbox()" in source
    kit.start("echo", Echo)
    life = kit.runtime.life("echo")
    assert life is not None
    assert life.actor is not None
    lease: object = life.lease
    assert life.actor.actor_inbox is lease
    assert life.actor.actor_ref.actor_inbox is lease


def test_the_loop_takes_until_stopped_and_hands_the_message_to_the_seam() -> None:
    source = inspect.getsource(pykka.Actor._actor_loop_running)
    assert "while not self.actor_stopped.is_set()" in source
    assert "envelope = self.actor_inbox.get()" in source
    assert "self._handle_receive(envelope.message)" in source
    assert "envelope.reply_to is not None" in source
    assert Letter.reply_to is None


def test_the_teardown_drains_only_while_the_inbox_is_not_empty(kit: Kit) -> None:
    assert "while not self.actor_inbox.empty()" in inspect.getsource(pykka.Actor._actor_loop_teardown)
    kit.start("echo", Echo)
    life = kit.runtime.life("echo")
    assert life is not None
    assert life.lease.empty()


def test_the_seam_overrides_what_pykka_calls() -> None:
    for name in (
        "_create_actor_inbox",
        "_start_actor_loop",
        "_actor_loop",
        "_actor_loop_setup",
        "_handle_receive",
    ):
        assert getattr(Actor, name) is not getattr(pykka.ThreadingActor, name)
    assert "self._actor_loop" in inspect.getsource(pykka.ThreadingActor._start_actor_loop)


def test_the_registry_knows_the_actor_while_it_lives(kit: Kit) -> None:
    kit.start("echo", Echo)
    assert [ref.actor_class for ref in ActorRegistry.get_all()] == [Echo]
    kit.runtime.stop("echo")
    assert ActorRegistry.get_all() == []


def test_pykkas_own_stop_ends_this_incarnation(kit: Kit) -> None:
    kit.start("echo", Echo)
    life = kit.runtime.life("echo")
    assert life is not None
    assert life.actor is not None
    stopping = life.actor.actor_ref.stop(block=False)
    kit.settle()
    assert stopping.get(timeout=1.0)
    assert not life.alive
    assert life.reason == "shutdown"


def test_any_other_message_to_a_pykka_ref_is_refused(kit: Kit) -> None:
    kit.start("echo", Echo)
    life = kit.runtime.life("echo")
    assert life is not None
    assert life.actor is not None
    with pytest.raises(TypeError, match="send to the mailbox of echo"):
        life.actor.actor_ref.tell("hello")
    assert isinstance(Envelope(messages._ActorStop()).message, messages._ActorStop)


def test_an_exception_never_reaches_pykkas_loop(kit: Kit, caplog: pytest.LogCaptureFixture) -> None:
    """Pykka would log its text."""

    class Broken(Actor):
        def on_receive(self, message: Any) -> object:
            raise ValueError(message)

        def on_stop(self) -> None:
            raise KeyError("secret")

    kit.start("broken", Broken).tell("secret")
    kit.settle()
    assert kit.runtime.life("broken") is None
    assert "secret" not in caplog.text


def test_pykkas_stop_goes_ahead_of_what_waits(kit: Kit) -> None:
    seen: list[Any] = []

    class Quitter(Actor):
        def on_receive(self, message: Any) -> None:
            seen.append(message)
            self.stop()

    box = kit.runtime.mailbox("quitter")
    for message in ("first", "second"):
        box.tell(message)
    kit.start("quitter", Quitter)
    kit.settle()
    assert seen == ["first"]
    kit.letters.read_all()


def test_pykkas_stop_of_an_earlier_incarnation_does_not_stop_the_next(kit: Kit) -> None:
    kit.tree(SupervisorSpec(children=(ChildSpec(name="echo", start=Echo),)))
    box = kit.runtime.mailbox("echo")
    life = kit.runtime.life("echo")
    assert life is not None
    assert life.actor is not None
    old = life.actor.actor_ref
    kit.crash("echo")
    assert kit.expect_restart("echo") == 2
    life.lease.put(Envelope(messages._ActorStop()))  # type: ignore[attr-defined] # an Inbox
    kit.settle()
    assert not old.is_alive()
    assert box.call("still here", 1.0) == "still here"
    assert box.epoch == 2
