"""``chat`` as a real process against a real control socket."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bxcore.approvals import How
from bxcore.approvals.sentences import for_model
from bxcore.messages.loop import Notice, Say, StopTurn
from bxctl.talking.turn import ASKED_ELSEWHERE
from tests.bxctl.conftest import ENVIRON, MakeBox, Run
from tests.bxctl.person import Person, wait_for
from tests.doubles.control_box import CALL, HELD, ControlBox, answered, one_turn, turn


def said(box: ControlBox) -> list[Say]:
    return [message for message in box.seen if isinstance(message, Say)]


def test_each_message_is_a_turn_and_only_replies_are_data(make: MakeBox, run: Run) -> None:
    box = make()
    done = run("chat", "-m", "one", "-m", "two", "--home", str(box.home), program="boxmaker")
    assert (done.returncode, done.stdout) == (0, "the blue tin\nthe blue tin\n")
    assert done.stderr.splitlines()[:2] == [
        '· recall {"query":"key"}',
        "  → [1] memory · notes · private the blue tin (private)",
    ]
    assert [(say.text, say.session, say.speaker) for say in said(box)] == [
        ("one", "main", "ada"),
        ("two", "main", "ada"),
    ]


@pytest.mark.parametrize(
    ("flags", "how", "hints"),
    [
        ((), How.UNDELIVERABLE, 1),
        (("--json",), How.UNDELIVERABLE, 1),
        (("--approvals", "wait"), How.UNDELIVERABLE, 0),
        ((), How.DENIED, 0),
    ],
)
def test_a_call_that_nobody_could_be_asked_about_has_one_line_of_advice(
    make: MakeBox, run: Run, flags: tuple[str, ...], how: How, hints: int
) -> None:
    def script(message: object) -> object:
        if isinstance(message, Say):
            assert message.listener is not None
            for call in ("t1c1", "t1c2"):
                message.listener.tell(replace(CALL, call=call, ok=False, content=for_model(how)))
        return answered(message)

    done = run("chat", "-m", "x", *flags, "--home", str(make(script=script).home), program="boxmaker")
    assert done.stderr.splitlines().count(ASKED_ELSEWHERE) == hints


def test_json_is_one_object_a_turn_with_exactly_its_fields(make: MakeBox, run: Run) -> None:
    words = ("chat", "--json", "-m", "x", "--session", "k3f", "--speaker", "Ada L.")
    box = make()
    done = run(*words, "--home", str(box.home), program="boxmaker")
    (line,) = done.stdout.splitlines()
    assert json.loads(line) == {
        "session": "k3f",
        "turn": 1,
        "reply": "the blue tin",
        "tools": [
            {
                "tool": "recall",
                "arguments": '{"query":"key"}',
                "ok": True,
                "content": "[1] memory · notes · private\n    the blue tin",
                "class": "private",
                "untrusted": False,
            }
        ],
        "label": {"class": "private", "untrusted": False},
        "usage": {"prompt": 9, "cached": 2, "completion": 4},
    }
    assert (said(box)[0].session, said(box)[0].speaker) == ("k3f", "Ada L.")


def test_standard_input_is_a_turn_a_line(make: MakeBox, run: Run) -> None:
    box = make()
    text = "one\n\n  \nzwei é\nthree".encode()
    done = run("chat", "--home", str(box.home), program="boxmaker", stdin=text)
    assert (done.returncode, done.stdout.count("tin")) == (0, 3)
    assert [say.text for say in said(box)] == ["one", "zwei é", "three"]


def test_standard_input_without_text_is_told(make: MakeBox, run: Run) -> None:
    box = make()
    done = run("chat", "--home", str(box.home), program="boxmaker", stdin=b"\n \n")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "standard input held no text, so nothing was said; -m TEXT says something\n"
    assert said(box) == []


def test_a_message_without_its_flag_is_told_where_it_stands(run: Run) -> None:
    done = run("chat", "hello", "box", program="boxmaker")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("there is no place for hello box; what you say stands behind -m, in quotes\n")


def test_a_line_that_cannot_be_sent_is_named_and_the_others_go_on(make: MakeBox, run: Run) -> None:
    box = make()
    text = b"one\n\xff\xfe\n" + b"x" * 1_048_577 + b"\nlast\n"
    done = run("chat", "--home", str(box.home), program="boxmaker", stdin=text)
    assert done.returncode == 1
    assert "line 2 is not UTF-8 text; it was not sent" in done.stderr
    assert "line 3 is longer than 1 MiB; it was not sent" in done.stderr
    assert [say.text for say in said(box)] == ["one", "last"]


def test_a_failed_turn_is_a_sentence_and_exit_1_and_the_next_one_runs(make: MakeBox, run: Run) -> None:
    def script(message: Any) -> object:
        if isinstance(message, Say) and message.text == "bad":
            return turn(message, reply=None, failed="there is no model; see boxmaker check")
        return answered(message)

    box = make(script=script)
    done = run("chat", "-m", "bad", "-m", "good", "--home", str(box.home), program="boxmaker")
    assert (done.returncode, done.stdout) == (1, "the blue tin\n")
    assert done.stderr.startswith("there is no model; see boxmaker check\n")
    as_json = run("chat", "--json", "-m", "bad", "--home", str(box.home), program="boxmaker")
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["reply"] is None
    assert as_json.stderr == "there is no model; see boxmaker check\n"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("-m", ""), 2, "there is no text; say something"),
        (("-m", "x", "--session", "A B"), 2, "a session's name has 1 to 64 of a-z"),
    ],
)
def test_a_turn_that_cannot_be_exits_2(
    make: MakeBox, run: Run, words: tuple[str, ...], code: int, sentence: str
) -> None:
    done = run("chat", *words, "--home", str(make().home), program="boxmaker")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(sentence)


def test_text_that_is_no_utf8_on_the_command_line_is_refused(make: MakeBox) -> None:
    box = make()
    command = [
        sys.executable.encode(),
        b"-m",
        b"bxctl.boxmaker",
        b"chat",
        b"--home",
        bytes(box.home),
        b"-m",
        b"\xff",
    ]
    done = subprocess.run(command, env=ENVIRON, cwd="/", capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"half a surrogate pair" in done.stderr
    assert said(box) == []


def test_a_socket_that_was_named_is_never_started(run: Run) -> None:
    done = run("chat", "-m", "x", "--socket", "/nonexistent/x.sock", program="boxmaker")
    assert (done.returncode, done.stdout) == (3, "")
    assert "leave --socket away to start one" in done.stderr


def test_notices_are_talk(make: MakeBox, run: Run) -> None:
    def script(message: Any) -> object:
        if isinstance(message, Say) and message.listener is not None:
            message.listener.tell(Notice(session="main", text="loading the model"))
        return answered(message)

    done = run("chat", "--json", "-m", "x", "--home", str(make(script=script).home), program="boxmaker")
    assert done.stderr == "loading the model\n"
    assert len(done.stdout.splitlines()) == 1


# Ctrl-C.


def held_until_stopped(box: Callable[[], ControlBox]) -> Callable[[Any], Any]:
    """A turn that only StopTurn ends."""

    def script(message: Any) -> object:
        if isinstance(message, StopTurn):
            say = said(box())[-1]
            box().held.pop().set(turn(say, reply=None, failed="the turn was stopped"))
            return True
        return HELD if isinstance(message, Say) else answered(message)

    return script


def started_turn(box: ControlBox) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bxctl.boxmaker", "chat", "-m", "long", "--home", str(box.home)],
        env=ENVIRON,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: bool(box.held))
    return process


def test_ctrl_c_stops_the_turn_and_its_end_is_shown(make: MakeBox) -> None:
    box: ControlBox = make(script=held_until_stopped(lambda: box))
    with started_turn(box) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines() == ["stopping the turn; once more to leave", "the turn was stopped"]


def test_a_second_ctrl_c_leaves(make: MakeBox, letters: Any) -> None:
    asked = threading.Event()

    def script(message: Any) -> object:
        if isinstance(message, StopTurn):
            asked.set()
            return True
        return HELD if isinstance(message, Say) else answered(message)

    box: ControlBox = make(script=script)
    with started_turn(box) as process:
        process.send_signal(signal.SIGINT)
        assert asked.wait(10)
        assert process.stderr is not None
        assert process.stderr.readline().startswith("stopping the turn")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "boxmaker: interrupted" in err
    box.held.pop().set(None)
    letters.read_all()


# At a terminal.


def test_a_person_talks_at_a_prompt_with_history(make: MakeBox) -> None:
    box = make()
    person = Person(box)
    person.sees("session main; Ctrl-C stops a turn, Ctrl-D or /quit leaves, /help says more")
    person.sees("> ")
    person.types("hello\n")
    person.sees('· recall {"query":"key"}')
    person.sees("the blue tin")
    person.sees("> ")
    person.types("\x10\x10\x10\n")  # Ctrl-P three times: hello, hi, where is the key?
    person.sees("the blue tin")
    person.sees("> ")
    person.types("/quit\n")
    assert person.leaves() == 0
    assert [say.text for say in said(box)] == ["hello", "where is the key?"]


def test_ctrl_d_leaves_and_ctrl_c_at_the_prompt_does_not(make: MakeBox) -> None:
    person = Person(make())
    person.sees("> ")
    person.types("half a li")
    person.sees("half a li")
    # A signal in the instant before Python waits for a key is only seen at the next key: press again then.
    assert any(person.presses("\x03", "> ") for _ in range(20))
    person.types("\x04")
    assert person.leaves() == 0


def test_ctrl_c_in_a_turn_brings_the_prompt_back(make: MakeBox) -> None:
    box: ControlBox = make(script=held_until_stopped(lambda: box))
    person = Person(box)
    person.sees("> ")
    person.types("long\n")
    wait_for(lambda: bool(box.held))
    person.types("\x03")
    person.sees("stopping the turn")
    person.sees("the turn was stopped")
    person.sees("> ")
    person.types("/quit\n")
    assert person.leaves() == 0


def test_a_mistyped_order_is_not_said_to_the_agent(make: MakeBox) -> None:
    box = make()
    person = Person(box)
    person.sees("> ")
    person.types("/seshions\n")
    person.sees(
        "there is no /seshions here, it was not sent; did you mean /sessions? //seshions says it as text"
    )
    person.types("/etc is a folder\n")
    person.sees("the blue tin")
    person.types("/quit\n")
    assert person.leaves() == 0
    assert [say.text for say in said(box)] == ["/etc is a folder"]


def test_text_is_streamed_once(make: MakeBox) -> None:
    def script(message: Any) -> object:
        return one_turn(message) if isinstance(message, Say) else answered(message)

    person = Person(make(script=script))
    person.sees("> ")
    person.types("hi\n")
    person.sees("the blue tin (private)")  # the tool's result
    person.sees("the blue tin")
    person.types("/quit\n")
    with pytest.raises(AssertionError, match="never came"):
        person_sees_within(person, "the blue tin")
    assert person.leaves() == 0


def person_sees_within(person: Person, text: str) -> None:
    try:
        person.sees(text)
    except OSError:  # the terminal's other end has closed: nothing more comes
        raise AssertionError(f"{text!r} never came") from None
