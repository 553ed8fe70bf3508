"""Approvals in a chat: asked in place at a terminal, or answered elsewhere."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest

from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
)
from bxcore.messages.loop import Notice, Say, StopTurn
from bxctl import main as bxctl
from tests.bxctl.asking_box import Asking
from tests.bxctl.conftest import ENVIRON, MakeBox, Run
from tests.bxctl.person import Person, wait_for
from tests.doubles.control_box import APPROVAL

Out = pytest.CaptureFixture[str]


PROMPT = "y once, s for the session, n no, Ctrl-C stops the turn: "


# In place.


def test_a_person_sees_the_exact_call_and_why_and_approves_it_once(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees("k7 waits for your approval, 10 min left\r\n")
    person.sees('  | shell {"command":"ls /srv"}\r\n')
    person.sees("  why: the grant shell-look asks each time\r\n")
    person.sees("  session main, private; grant shell-look\r\n")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("k7 was approved by the chat")
    person.sees("the blue tin")
    assert person.leaves() == 0
    assert asking.words() == [("k7", True, False, "the chat")]
    assert (asking.said().answers, asking.said().owner) == (True, True)


@pytest.mark.parametrize(
    ("typed", "word"),
    [("s\n", (True, True)), ("N\n", (False, False)), (" yes \n", (True, False)), ("no\n", (False, False))],
)
def test_a_word_and_enter_is_an_answer(make: MakeBox, typed: str, word: tuple[bool, bool]) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types(typed)
    person.sees("the blue tin")
    assert person.leaves() == 0
    assert asking.words() == [("k7", *word, "the chat")]


def test_enter_asks_again_and_any_other_word_is_no_answer(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("\n")
    person.sees("k7 waits for your approval")
    person.sees(PROMPT)
    person.types("yep\n")
    person.sees("k7 still waits; type y, s or n, and Enter")
    person.sees(PROMPT)
    assert asking.words() == []
    person.types("n\n")
    person.sees("k7 was denied by the chat")
    assert person.leaves() == 0


def test_what_was_typed_before_the_question_is_no_answer(make: MakeBox) -> None:
    go_on = threading.Event()

    class Later(Asking):
        def script(self, message: Any) -> object:
            if isinstance(message, Say):
                assert go_on.wait(10)
            return super().script(message)

    asking = Later(make)
    person = Person(asking.box)
    person.sees("> ")
    person.types("look\n")
    wait_for(lambda: any(isinstance(each, Say) for each in asking.box.seen))
    person.types("y\n")
    person.sees("y\r\n")
    go_on.set()
    person.sees(PROMPT)
    person.types("n\n")
    person.sees("k7 was denied by the chat")
    person.sees("> ")
    person.types("/quit\n")
    assert person.leaves() == 0
    assert asking.words() == [("k7", False, False, "the chat")]


def test_an_answer_given_elsewhere_drops_the_question_and_says_who(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("half an ans")
    person.sees("half an ans")
    asking.close("k7", "k7 was approved by bxctl", approved=True)
    person.sees("\r\nk7 was approved by bxctl")
    person.sees("the blue tin")
    assert person.leaves() == 0
    assert asking.words() == []


def test_two_are_asked_one_after_the_other(make: MakeBox) -> None:
    second = replace(APPROVAL, code="m4", shown='shell {"command":"cat x"}')
    asking = Asking(make, APPROVAL, second)
    person = Person(asking.box, "-m", "look")
    person.sees("k7 waits for your approval")
    person.sees(PROMPT)
    person.types("n\n")
    person.sees("m4 waits for your approval")
    person.sees("cat x")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("the blue tin")
    assert person.leaves() == 0
    assert asking.words() == [("k7", False, False, "the chat"), ("m4", True, False, "the chat")]


def test_news_behind_a_question_leaves_it_standing(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    asking.tell(Notice(session="main", text="another thing"))
    person.sees("\r\nanother thing")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("the blue tin")
    assert person.leaves() == 0


def test_ctrl_c_at_a_question_stops_the_turn(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("\x03")
    person.sees("stopping the turn; once more to leave")
    person.sees("k7 was withdrawn")
    assert person.leaves() == 0
    assert asking.words() == []


def test_a_turn_that_is_being_stopped_asks_no_more(make: MakeBox) -> None:
    class Slow(Asking):
        def script(self, message: Any) -> object:
            if isinstance(message, StopTurn):
                self.tell(Notice(session="main", text="another thing"))
                self.tell(ApprovalAsked(session="main", approval=replace(APPROVAL, code="m4")))
                return True
            return super().script(message)

    asking = Slow(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("\x03")
    person.sees("another thing")
    person.types("y\n")
    asking.close("k7", "k7 was withdrawn", approved=False)
    person.sees_nothing_of("y once")
    assert person.leaves() == 0
    assert asking.words() == []


def test_a_word_behind_ctrl_c_answers_nothing(make: MakeBox) -> None:
    stopped: list[StopTurn] = []

    class Deaf(Asking):
        def script(self, message: Any) -> object:
            if isinstance(message, StopTurn):
                stopped.append(message)
                return True
            return super().script(message)

    asking = Deaf(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("\x03")
    person.sees("stopping the turn; once more to leave")
    wait_for(lambda: bool(stopped))
    person.types("y\n")
    person.sees("y\r\n")
    asking.tell(Notice(session="main", text="another thing"))
    person.sees("another thing")
    asking.close("k7", "k7 was withdrawn", approved=False)
    assert person.leaves() == 0
    assert asking.words() == []


def test_ctrl_d_at_a_question_approves_and_denies_nothing(make: MakeBox) -> None:
    asking = Asking(make)
    person = Person(asking.box, "-m", "look")
    person.sees(PROMPT)
    person.types("\x04")
    person.sees("k7 still waits; bxctl approve k7, or bxctl deny k7")
    assert asking.words() == []
    asking.close("k7", "k7 was denied by bxctl", approved=False)
    person.sees("k7 was denied by bxctl")
    assert person.leaves() == 0


def test_a_word_that_came_too_late_is_told(make: MakeBox) -> None:
    class Late(Asking):
        def script(self, message: Any) -> object:
            if isinstance(message, AnswerApproval):
                super().script(replace(message, by="bxctl", approve=False))
                return ApprovalAnswered(taken=False, known=True, sentence="k7 was denied by bxctl before")
            return super().script(message)

    person = Person(Late(make).box, "-m", "look")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("k7 was denied by bxctl before")
    assert person.leaves() == 0


def test_a_broker_that_does_not_answer_leaves_the_question_standing(make: MakeBox) -> None:
    tried: list[AnswerApproval] = []

    class Once(Asking):
        def script(self, message: Any) -> object:
            if isinstance(message, AnswerApproval) and not tried:
                tried.append(message)
                raise KeyError(message.code)
            return super().script(message)

    person = Person(Once(make).box, "-m", "look")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("broker crashed on this request")
    person.sees(PROMPT)
    person.types("y\n")
    person.sees("k7 was approved by the chat")
    assert person.leaves() == 0


def test_a_call_cannot_pass_for_words_of_ours(make: MakeBox) -> None:
    person = Person(
        Asking(make, replace(APPROVAL, shown="shell \x1b[2J\n… 9 of 10 …\nend", why="a\nk7 was denied")).box,
        "-m",
        "look",
    )
    person.sees("  | shell \\x1b[2J\r\n  | … 9 of 10 …\r\n  | end\r\n  why: a k7 was denied\r\n")
    person.sees(PROMPT)
    person.types("n\n")
    person.sees("the blue tin")
    assert person.leaves() == 0


# A call that is too long to be shown at once.


WHOLE = f'shell {{"command":"ls {"a" * 1200}; rm -rf /home; {"b" * 800}"}}'
CUT = replace(
    APPROVAL, shown=f"{WHOLE[:1000]}\n… 540 of … not shown …\n{WHOLE[-500:]}", whole=WHOLE, hidden=540
)
CUT_PROMPT = f"540 characters are not shown, w shows the whole; {PROMPT}"


def test_w_shows_the_whole_of_a_cut_call_and_then_a_word_is_enough(make: MakeBox) -> None:
    asking = Asking(make, CUT)
    person = Person(asking.box, "-m", "look")
    person.sees(CUT_PROMPT)
    person.types("w\n")
    person.sees("k7 waits for your approval")
    shown = person.reads_up_to("  why: ")
    assert "".join(line.removeprefix("  | ") for line in shown.splitlines()[1:]) == WHOLE
    assert all(line.startswith("  | ") for line in shown.splitlines()[1:])
    assert "not shown" not in person.reads_up_to(PROMPT)
    assert asking.words() == []
    person.types("y\n")
    person.sees("k7 was approved by the chat")
    assert person.leaves() == 0
    assert asking.words() == [("k7", True, False, "the chat")]


@pytest.mark.parametrize("word", ["y", "s"])
def test_a_cut_call_that_was_not_seen_is_approved_by_the_second_word(make: MakeBox, word: str) -> None:
    asking = Asking(make, CUT)
    person = Person(asking.box, "-m", "look")
    person.sees(CUT_PROMPT)
    person.types(f"{word}\n")
    person.sees(f"540 characters are not shown of k7; w shows the whole, {word} once more approves it unseen")
    person.sees(CUT_PROMPT)
    assert asking.words() == []
    person.types(f"{word}\n")
    person.sees("k7 was approved by the chat")
    assert person.leaves() == 0
    assert asking.words() == [("k7", True, word == "s", "the chat")]


def test_a_cut_call_is_denied_by_the_first_word(make: MakeBox) -> None:
    asking = Asking(make, CUT)
    person = Person(asking.box, "-m", "look")
    person.sees(CUT_PROMPT)
    person.types("n\n")
    person.sees("k7 was denied by the chat")
    assert person.leaves() == 0


def test_a_person_is_told_what_s_covers(make: MakeBox) -> None:
    person = Person(Asking(make).box, "-m", "look")
    person.sees("\r\n  s lets every shell call under shell-look run unasked in this session\r\n")
    person.sees(PROMPT)
    person.types("n\n")
    assert person.leaves() == 0


def test_at_a_terminal_a_call_that_is_answered_elsewhere_is_marked_as_one_too(make: MakeBox) -> None:
    forged = f"shell ls{' ' * 72}k7 was approved by bxctl"
    asking = Asking(make, replace(CUT, shown=forged))
    person = Person(asking.box, "-m", "look", "--approvals", "wait")
    person.sees("\r\n  |     k7 was approved by bxctl\r\n")
    person.sees("\r\n  540 characters are not shown; bxctl approvals show k7 shows all of it\r\n")
    person.sees("  bxctl approve k7, or bxctl deny k7\r\n")
    asking.close("k7", "k7 was denied by bxctl", approved=False)
    assert person.leaves() == 0


# Without a terminal.


def test_without_a_terminal_nobody_can_be_asked(make: MakeBox, run: Run) -> None:
    box = make()
    assert run("chat", "-m", "x", "--home", str(box.home), program="boxmaker").returncode == 0
    (say,) = [message for message in box.seen if isinstance(message, Say)]
    assert (say.answers, say.owner) == (False, True)
    done = run("chat", "-m", "x", "--approvals", "ask", "--home", str(box.home), program="boxmaker")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "boxmaker: there is no terminal to ask at; say --approvals wait or deny\n"


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_one_who_waits_is_told_the_code_and_both_commands(make: MakeBox, flags: tuple[str, ...]) -> None:
    asking = Asking(make)
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "bxctl.boxmaker", "chat", "-m", "x", "--approvals", "wait"),
            *("--home", str(asking.box.home), *flags),
        ],
        env=ENVIRON,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == (
            'k7 waits for your approval, 10 min left: shell {"command":"ls /srv"}'
            " · bxctl approve k7, or bxctl deny k7\n"
        )
        assert bxctl.main(["approve", "K7", "--session", "--socket", str(asking.box.path)]) == 0
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "k7 was approved by bxctl\n")
    assert len(out.splitlines()) == 1
    assert asking.said().answers is True
    assert asking.words() == [("k7", True, True, "bxctl")]
