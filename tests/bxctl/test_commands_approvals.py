"""Approvals by the operator's commands."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from bxcore.labels import Label, Level
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalView,
    ListApprovals,
)
from bxctl import main as bxctl
from bxctl.commands import approvals as command
from tests.bxctl.conftest import ENVIRON, MakeBox, Run
from tests.doubles.control_box import APPROVAL, ControlBox, answered

Out = pytest.CaptureFixture[str]


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


def test_the_whole_of_a_long_call_is_shown_to_people_and_programs(make: MakeBox, capsys: Out) -> None:
    whole = f'shell {{"command":"{"a" * 60_000}; rm -rf /home {"b" * 5_000}"}}'
    cut = replace(APPROVAL, shown=f"{whole[:1000]}\n… cut …\n{whole[-500:]}", whole=whole, hidden=63_000)
    box = make(script=lambda message: (cut,) if isinstance(message, ListApprovals) else answered(message))
    assert bxctl_run(box, "approvals", "show", "k7") == 0
    assert f"\n  | {whole}\n" in capsys.readouterr().out
    assert bxctl_run(box, "approvals", "show", "k7", "--json") == 0
    written = json.loads(capsys.readouterr().out)
    assert (written["whole"], written["hidden"]) == (whole, 63_000)
    assert bxctl_run(box, "approvals") == 0
    assert capsys.readouterr().err == (
        "bxctl approvals show k7 shows the whole call\nbxctl approve k7, or bxctl deny k7\n"
    )


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
