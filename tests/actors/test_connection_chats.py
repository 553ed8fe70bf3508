"""Chats leave room for the commands that they wait for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import pytest

from actors.base import Runtime
from actors.connection import Limits
from actors.connection_chats import FOR_COMMANDS, ChatPlaces
from bxcore.control import requests as r
from bxcore.messages.loop import Say
from tests.doubles.control_box import HELD, MakeBox, answered, connected, control_boxes, turn
from tests.doubles.control_client import ask, no, sent
from tests.kit.leaks import Letters

FULL = "3 chats run, the most there may be; end one, then try again"
CHAT = r.ChatRequest(text="hi")


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def holding(message: object) -> object:
    return HELD if isinstance(message, Say) else answered(message)


def test_a_chat_over_the_most_is_refused_and_the_owners_word_still_has_room(
    make: MakeBox, letters: Letters
) -> None:
    box = make(most=FOR_COMMANDS + 3, script=holding)
    with contextlib.ExitStack() as open_:
        for _ in range(3):
            open_.enter_context(connected(box)).sendall(sent(CHAT))
        wait_for(lambda: len(box.held) == 3)
        assert no(box, CHAT) == (503, "busy", FULL)
        for _ in range(FOR_COMMANDS - 1):
            open_.enter_context(connected(box))
        wait_for(lambda: sum(life.name.startswith("connections/") for life in box.runtime.lives()) == 10)
        assert ask(box, r.AnswerApprovalRequest(code="k7", approve=True, by="ada"))[0] == 200
        box.held[0].set(turn(box.seen[0]))
        wait_for(lambda: len(box.chats) == 2)
        open_.enter_context(connected(box)).sendall(sent(CHAT))
        wait_for(lambda: len(box.held) == 4)
    letters.read_all()


def test_a_chat_whose_client_has_gone_gives_its_place_back(make: MakeBox, letters: Letters) -> None:
    box = make(most=FOR_COMMANDS + 1, script=holding, limits=Limits(sign_of_life_s=0.02))
    for number in (1, 2):
        with connected(box) as client:
            client.sendall(sent(CHAT))
            wait_for(lambda number=number: len(box.held) == number)  # type: ignore[misc]
        wait_for(lambda: len(box.chats) == 0)
    letters.read_all()


def test_a_place_is_given_back_once() -> None:
    places = ChatPlaces(FOR_COMMANDS + 3)
    assert [places.enter(name) for name in "abcd"] == [None, None, None, FULL]
    places.leave("d")
    assert places.enter("d") == FULL
    places.leave("a")
    places.leave("a")
    assert (len(places), places.enter("d"), places.enter("a")) == (2, None, FULL)


def test_watches_have_a_limit_of_their_own_and_share_the_chats_places() -> None:
    places = ChatPlaces(FOR_COMMANDS + 4)
    assert [places.enter_watch(name) for name in "ab"] == [None, None]
    full = "0 chats and 2 watches run, the most there may be; end a watch, then try again"
    assert places.enter_watch("c") == full
    assert [places.enter(name) for name in "de"] == [None, None]
    assert places.enter("f") == "2 chats and 2 watches run, the most there may be; end one, then try again"
    places.leave("a")
    assert (places.enter("f"), len(places)) == (None, 4)
    places.leave("b")
    assert (places.enter("g"), places.enter_watch("h")) == (
        None,
        "4 chats run, the most there may be; end a watch, then try again",
    )


def test_watchers_never_use_up_what_chats_and_commands_need(make: MakeBox, letters: Letters) -> None:
    box = make(most=FOR_COMMANDS + 4, script=holding)
    with contextlib.ExitStack() as open_:
        for number in (1, 2):
            open_.enter_context(connected(box)).sendall(sent(r.WatchRequest()))
            wait_for(lambda number=number: len(box.chats) == number)  # type: ignore[misc]
        assert no(box, r.WatchRequest())[:2] == (503, "busy")
        open_.enter_context(connected(box)).sendall(sent(CHAT))
        wait_for(lambda: len(box.held) == 1)
        for _ in range(FOR_COMMANDS):
            open_.enter_context(connected(box))
        wait_for(lambda: sum(life.name.startswith("connections/") for life in box.runtime.lives()) == 11)
        assert ask(box, r.AnswerApprovalRequest(code="k7", approve=True, by="ada"))[0] == 200
    letters.read_all()
