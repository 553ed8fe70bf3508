"""``chat`` at terminals of several kinds: what is typed and pasted there, and what is written to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.base import Refusal
from bxcore.messages.loop import Queued, Say, ShowSession, StopTurn, TurnOver, TurnStarted, WatchSession
from bxctl.talking.outgoing import MOST_WAITING
from tests.bxctl.conftest import MakeBox
from tests.bxctl.person import PLAIN, Person, wait_for
from tests.doubles.control_box import HELD, ControlBox, answered, turn

XTERM = {"TERM": "xterm"}
BY_SIGNAL_ALONE = (
    "-c",
    "import sys, bxctl.talking.editor as e, bxctl.boxmaker as b; e.LOOK_S = 1000.0; sys.exit(b.main())",
)
"""A chat that does not look for news each second, which is its way out when a signal came too early."""
NO_READLINE = (
    "-c",
    "import sys; sys.modules['readline'] = None; from bxctl.boxmaker import main; sys.exit(main())",
)


def said(box: ControlBox) -> list[str]:
    return [message.text for message in box.seen if isinstance(message, Say)]


def leave(person: Person) -> None:
    person.sees("> ")
    person.types("/quit\n")
    assert person.leaves() == 0


def tell(box: ControlBox, number: int, *news: Any) -> None:
    """Tell the asker of message ``number``."""
    listener = [message for message in box.seen if isinstance(message, Say)][number].listener
    assert listener is not None
    for each in news:
        listener.tell(each)


class Held:
    """A box whose turns run until the test ends them; those behind the first are told their place."""

    def __init__(self, make: MakeBox) -> None:
        self.watchers: list[Any] = []
        self.first_waits = False
        """Whether the first message is told a place too."""
        self.box: ControlBox = make(script=self._script)

    def _script(self, message: Any) -> object:
        if isinstance(message, WatchSession):
            self.watchers.append(message.listener)
        if not isinstance(message, Say):
            return answered(message)
        place = len(self.box.held) + self.first_waits
        assert message.listener is not None
        news = Queued(session="main", place=place) if place else TurnStarted(session="main", turn=1)
        message.listener.tell(news)
        return HELD

    def end(self, number: int) -> None:
        say = [message for message in self.box.seen if isinstance(message, Say)][number]
        self.box.held[number].set(turn(say))


def test_a_paste_of_several_lines_is_one_message(make: MakeBox) -> None:
    box = make()
    person = Person(box, environ=XTERM)
    person.sees("> ")
    person.types("\x1b[200~first\nsecond\n\x1b[201~\n")
    person.sees("the blue tin")
    leave(person)
    assert said(box) == ["first\nsecond"]


def test_wide_characters_are_taken_away_whole(make: MakeBox) -> None:
    box = make()
    person = Person(box, environ=XTERM | {"LC_ALL": "C.UTF-8"})
    person.sees("> ")
    person.types("鍵はどこ??\x7f\x7f\x7f\n")
    person.sees("the blue tin")
    leave(person)
    assert said(box) == ["鍵はど"]


def test_a_window_that_shrinks_loses_nothing(make: MakeBox) -> None:
    box = make()
    person = Person(box, environ=XTERM)
    person.sees("> ")
    person.types("a line that is longer than the window will be ")
    person.sees("will be ")
    person.shrinks(20)
    person.types("soon\n")
    person.sees("the blue tin")
    leave(person)
    assert said(box) == ["a line that is longer than the window will be soon"]


@pytest.mark.parametrize(
    ("environ", "dim"),
    [(XTERM, True), (XTERM | {"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), (PLAIN, False)],
)
def test_colours_are_for_terminals_that_have_them(
    make: MakeBox,
    environ: dict[str, str],
    dim: bool,  # noqa: FBT001
) -> None:
    person = Person(make(), "-m", "hi", environ=environ)
    seen = person.reads_up_to("the blue tin\r\n")
    assert ("\033[2m" in seen) is dim
    assert ("\033" in seen) is dim
    assert person.leaves() == 0


def test_only_the_reply_is_in_a_file_when_a_person_types(make: MakeBox, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        person = Person(make(), stdout=out)
        person.sees("> ")
        person.types("hi\n")
        person.sees("the blue tin (private)")
        leave(person)
    assert (tmp_path / "out").read_text() == "the blue tin\n"


def test_a_python_without_readline_has_a_prompt_too(make: MakeBox) -> None:
    box = make()
    person = Person(box, program=NO_READLINE)
    person.sees("> ")
    person.types("hi\n")
    person.sees("the blue tin")
    leave(person)
    assert said(box) == ["hi"]


def test_news_take_the_prompt_off_a_terminal_and_bring_the_typed_text_back(make: MakeBox) -> None:
    held = Held(make)
    person = Person(held.box, environ=XTERM, program=BY_SIGNAL_ALONE)
    person.sees("> ")
    person.types("half")
    person.sees("half")
    wait_for(lambda: bool(held.watchers))
    held.watchers[0].tell(TurnStarted(session="main", turn=1, text="hello", speaker=None))
    person.sees("\r\033[J")
    person.sees("[someone] hello")
    held.watchers[0].tell(TurnOver(result=turn(Say(session="main", text="hello"))))
    person.sees("the blue tin")
    person.sees("half")
    person.types(" a line\n")
    wait_for(lambda: said(held.box) == ["half a line"])
    held.end(0)
    leave(person)


def test_anothers_turn_is_shown_whole_before_ones_own_begins(make: MakeBox) -> None:
    held = Held(make)
    person = Person(held.box)
    person.sees("> ")
    wait_for(lambda: bool(held.watchers))
    theirs = TurnStarted(session="main", turn=1, text="hello", speaker="bob")
    held.watchers[0].tell(theirs)
    person.sees("[bob] hello")
    held.first_waits = True
    person.types("mine\n")
    person.sees("· queued at place 1: mine")
    tell(held.box, 0, TurnStarted(session="main", turn=2))  # by its own stream, which is ahead here
    assert person.hears_nothing()
    held.watchers[0].tell(TurnOver(result=turn(Say(session="main", text="hello"), reply="the red tin")))
    person.sees("the red tin")
    person.sees("· now: mine")
    held.end(0)
    leave(person)


def test_the_arrow_keys_go_back_line_by_line(make: MakeBox) -> None:
    box = make(script=lambda message: None if isinstance(message, ShowSession) else answered(message))
    person = Person(box)
    for text in ("one", "two", "\x10\x10"):
        person.sees("> ")
        person.types(f"{text}\n")
        person.sees("the blue tin")
    leave(person)
    assert said(box) == ["one", "two", "one"]


def test_a_chat_that_has_left_leaves_nothing_in_the_box(make: MakeBox) -> None:
    box = make()
    person = Person(box)
    person.sees("> ")
    assert len(box.chats) == 1
    person.types("/quit\n")
    assert person.leaves() == 0
    assert len(box.chats) == 0


def test_more_than_the_most_is_not_sent(make: MakeBox) -> None:
    held = Held(make)
    person = Person(held.box)
    person.sees("> ")
    for number in range(MOST_WAITING + 1):
        person.types(f"number {number}\n")
        person.sees(f"number {number}\r\n" if number == 0 else f"· queued at place {number}: number {number}")
    person.types("one too many\n")
    person.sees("8 of your messages wait, the most there may be; this one was not sent")
    for number in range(MOST_WAITING + 1):
        held.end(number)
    leave(person)
    assert "one too many" not in said(held.box)


def test_the_next_message_is_sent_when_the_one_before_it_has_arrived(make: MakeBox) -> None:
    def script(message: Any) -> object:
        return HELD if isinstance(message, Say) else answered(message)

    box = make(script=script)
    person = Person(box)
    person.sees("> ")
    person.types("one\ntwo\n/label\n")  # the box has told nothing of the first yet
    person.sees("main: private")
    assert said(box) == ["one"]
    (first,) = [message for message in box.seen if isinstance(message, Say)]
    assert first.listener is not None
    first.listener.tell(TurnStarted(session="main", turn=1))
    wait_for(lambda: said(box) == ["one", "two"])
    for held in box.held:
        held.set(turn(first))
    leave(person)


@pytest.mark.parametrize("word", ["y", "NO", "s"])
def test_a_word_that_answers_nothing_is_not_said_to_the_agent(make: MakeBox, word: str) -> None:
    held = Held(make)
    person = Person(held.box)
    person.sees("> ")
    person.types("long\n")
    wait_for(lambda: bool(held.box.held))
    person.types(f"{word}\n")
    person.sees(f"nothing is asked now, and {word.lower()} was not sent")
    held.end(0)
    leave(person)
    assert said(held.box) == ["long"]


def test_ctrl_d_while_a_turn_runs_leaves_and_the_turn_goes_on(make: MakeBox) -> None:
    held = Held(make)
    person = Person(held.box)
    person.sees("> ")
    person.types("long\n")
    wait_for(lambda: bool(held.box.held))
    person.types("\x04")
    person.sees("the turn goes on in the box")
    assert person.leaves() == 0
    assert not [each for each in held.box.seen if isinstance(each, StopTurn)]
    held.end(0)


def test_a_new_session_waits_for_the_turn_to_end(make: MakeBox) -> None:
    held = Held(make)
    person = Person(held.box)
    person.sees("> ")
    person.types("long\n")
    wait_for(lambda: bool(held.box.held))
    person.types("/new other\n")
    person.sees("a turn of yours runs or waits here; /stop all ends it, then /new")
    held.end(0)
    leave(person)


def test_a_chat_that_may_not_watch_says_so_and_talks(make: MakeBox) -> None:
    def script(message: Any) -> object:
        if isinstance(message, WatchSession):
            raise Refusal("16 watch session main")
        return answered(message)

    person = Person(make(script=script))
    person.sees("turns of others are not shown here: 16 watch session main")
    person.sees("> ")
    person.types("hi\n")
    person.sees("the blue tin")
    leave(person)


def test_tokens_and_time_are_said_to_those_who_ask(make: MakeBox) -> None:
    person = Person(make(), "--verbose")
    person.sees("> ")
    person.types("hi\n")
    person.sees("· turn 1: 9 tokens read, 2 of them cached, 4 written, ")
    leave(person)
