"""Approvals as a person meets them: in place in a chat, and by the operator's commands."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest

from bxcore.labels import Label, Level
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalClosed,
    ApprovalView,
    ListApprovals,
)
from bxcore.messages.loop import Notice, Say, StopTurn
from bxctl import main as bxctl
from bxctl.commands import approvals as command
from tests.bxctl.conftest import ENVIRON, MakeBox, Run
from tests.bxctl.person import Person, wait_for
from tests.doubles.control_box import APPROVAL, HELD, ControlBox, answered, turn

Out = pytest.CaptureFixture[str]


class Asking:
    """A box whose every turn asks for some approvals, and ends when all are answered."""

    def __init__(self, make: MakeBox, *approvals: ApprovalView) -> None:
        self.approvals = approvals or (APPROVAL,)
        self.open: dict[str, ApprovalView] = {}
        self.box: ControlBox = make(script=self.script)

    def script(self, message: Any) -> object:
        """What loop and broker answer."""
        match message:
            case Say():
                self.open = {each.code: each for each in self.approvals}
                for approval in self.approvals:
                    self.tell(ApprovalAsked(session="main", approval=approval))
                return HELD
            case AnswerApproval(code=code) if code in self.open:
                how = "approved" if message.approve else "denied"
                return self.close(code, f"{code} was {how} by {message.by}", approved=message.approve)
            case StopTurn():
                for code in tuple(self.open):
                    self.close(code, f"{code} was withdrawn", approved=False)
                return True
            case ListApprovals():
                return tuple(self.open.values())
            case _:
                return answered(message)

    def tell(self, news: Any) -> None:
        """Tell the chat that listens."""
        say = self.said()
        assert say.listener is not None
        say.listener.tell(news)

    def said(self) -> Say:
        """The last turn."""
        say: Say = [message for message in self.box.seen if isinstance(message, Say)][-1]
        return say

    def close(self, code: str, sentence: str, *, approved: bool) -> ApprovalAnswered:
        """End one; the turn ends with the last one."""
        del self.open[code]
        self.tell(ApprovalClosed(session="main", code=code, approved=approved, sentence=sentence))
        if not self.open:
            self.box.held.pop().set(turn(self.said()))
        return ApprovalAnswered(taken=True, known=True, sentence=sentence)

    def words(self) -> list[tuple[str, bool, bool, str]]:
        """What the broker was told: code, whether approved, for the session, by whom."""
        return [
            (each.code, each.approve, each.for_session, each.by)
            for each in self.box.seen
            if isinstance(each, AnswerApproval)
        ]


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


# The operator's commands.


def bxctl_run(box: ControlBox, *words: str) -> int:
    return bxctl.main([*words, "--socket", str(box.path)])


def test_pending_approvals_are_listed_and_one_is_shown(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "approvals") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["CODE", "LEFT", "SESSION", "LABEL", "CALL"]
    assert out.splitlines()[1].split() == [
        "k7",
        "10",
        "min",
        "main",
        "private",
        "shell",
        '{"command":"ls',
        '/srv"}',
    ]
    assert err == "bxctl approve k7, or bxctl deny k7\n"
    assert bxctl_run(box, "approvals", "show", " K7 ") == 0
    assert "  why: the grant shell-look asks each time\n" in capsys.readouterr().out
    assert bxctl_run(box, "approvals", "show", "m4") == 4
    assert capsys.readouterr().err == "bxctl: no approval 'm4' waits; these do: k7\n"
    assert bxctl_run(box, "approvals", "--json") == 0
    (written,) = json.loads(capsys.readouterr().out)
    assert written["label"] == {"class": "private", "untrusted": False}
    assert (written["code"], written["left_s"], written["call"]) == ("k7", 600.0, "c1")


def test_nothing_pending_is_said(make: MakeBox, capsys: Out) -> None:
    box = make(script=lambda message: () if isinstance(message, ListApprovals) else answered(message))
    assert bxctl_run(box, "approvals") == 0
    assert capsys.readouterr() == ("", "nothing waits for your approval\n")
    assert bxctl_run(box, "approvals", "show", "k7") == 4
    assert bxctl_run(box, "approvals", "--json") == 0
    assert capsys.readouterr().out == "[]\n"


@pytest.mark.parametrize(
    "words", [("approvals", "show"), ("approvals", "list", "k7"), ("approvals", "watch", "k7")]
)
def test_a_code_belongs_to_show(make: MakeBox, words: tuple[str, ...]) -> None:
    assert bxctl_run(make(), *words) == 2


def test_a_code_is_read_as_a_phone_writes_it(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "approve", " K7 ") == 0
    assert capsys.readouterr() == ("k7 was approved by bxctl\n", "")
    assert bxctl_run(box, "deny", "k7", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"taken": True, "sentence": "k7 was denied by bxctl"}


def test_the_exit_codes_of_an_answer(make: MakeBox, run: Run, capsys: Out) -> None:
    late = ApprovalAnswered(taken=False, known=True, sentence="k7 was denied by the chat before")
    box = make(script=lambda message: late if isinstance(message, AnswerApproval) else answered(message))
    assert bxctl_run(box, "approve", "k7") == 1
    assert capsys.readouterr() == ("", "k7 was denied by the chat before\n")
    assert bxctl_run(box, "approve", "k7!") == 2
    done = run("approve", "k7", "--home", "/nonexistent/box")
    assert (done.returncode, done.stdout) == (3, "")


def test_no_such_code_exits_4(make: MakeBox, run: Run) -> None:
    done = run("deny", "m4", "--home", str(make().home))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "bxctl: no call waits for an approval\n"


def test_watching_shows_what_comes_and_goes_until_ctrl_c(make: MakeBox, run: Run) -> None:
    pending = [APPROVAL]

    def script(message: Any) -> object:
        return tuple(pending) if isinstance(message, ListApprovals) else answered(message)

    box = make(script=script)
    with subprocess.Popen(
        [sys.executable, "-m", "bxctl.main", "approvals", "watch", "--json", "--home", str(box.home)],
        env=ENVIRON,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["asked"]["code"] == "k7"
        pending[:] = [replace(APPROVAL, code="m4")]
        assert json.loads(process.stdout.readline()) == {"closed": "k7"}
        assert json.loads(process.stdout.readline())["asked"]["code"] == "m4"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_a_code_that_comes_again_for_another_call_is_shown_again(
    make: MakeBox, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    looks: list[tuple[ApprovalView, ...]] = [
        (APPROVAL,),
        (APPROVAL,),
        (replace(APPROVAL, call="c2", label=Label(Level.SECRET, untrusted=True)),),
        (),
    ]

    def script(message: Any) -> object:
        if not isinstance(message, ListApprovals):
            return answered(message)
        if not looks:
            raise KeyError(message)
        return looks.pop(0)

    monkeypatch.setattr(command, "WATCH_S", 0.001)
    assert bxctl_run(make(script=script), "approvals", "watch") == 1  # the broker crashed, which ends it
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("k7")] == [
        "k7 waits for your approval, 10 min left",
        "k7 waits no more; bxctl audit tail says how it ended",
        "k7 waits for your approval, 10 min left",
        "k7 waits no more; bxctl audit tail says how it ended",
    ]
    assert "  session main, secret, untrusted; grant shell-look" in lines
