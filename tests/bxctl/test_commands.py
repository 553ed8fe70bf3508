"""Each command of bxctl against a real control socket, most in this process, the exit codes in real ones."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from actors.base import Runtime, Why
from bxcore.control.views import Fact
from bxcore.labels import Label, Level
from bxcore.messages.loop import PromptSizes, SessionView, ShowSession, TurnText
from bxcore.messages.memory import AskMemory
from bxcore.tool_answer import ToolAnswer
from bxctl import main as bxctl
from tests.bxctl.conftest import MakeBox, Run
from tests.doubles.control_box import INFO, ControlBox
from tests.kit.leaks import Letters

Out = pytest.CaptureFixture[str]


def bxctl_run(box: ControlBox, *words: str) -> int:
    return bxctl.main([*words, "--socket", str(box.path)])


def test_status_of_a_box_that_is_well_exits_0(make: MakeBox, run: Run) -> None:
    done = run("status", "--home", str(make().home))
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *rest = done.stdout.splitlines()
    assert first.startswith("boxmaker ok · 0.1.0 · pid ")
    assert second.startswith("actors ")
    assert rest == ["model: embedded, ready"]


def test_status_of_a_box_that_is_not_well_exits_3_and_names_the_help(make: MakeBox, run: Run) -> None:
    box = make(facts=(Fact(name="model", text="no model", ok=False, help="boxmaker check"),))
    done = run("--json", "status", "--home", str(box.home))
    status = json.loads(done.stdout)
    assert done.returncode == 3
    assert status["problems"] == [{"sentence": "model: no model", "help": "boxmaker check"}]
    plain = run("status", "--home", str(box.home))
    assert plain.stdout.splitlines()[-1] == "! model: no model -> boxmaker check"


def test_the_tree_is_drawn(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "tree") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("root  running ")
    assert lines[1].startswith("├─ memory  running ")
    assert [line.split()[1] for line in lines[1:5]] == ["memory", "broker", "loop", "connections"]
    assert lines[-1].startswith("└─ control  running ")
    assert bxctl_run(box, "tree", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["name"] == "root"


def test_actors_are_stopped_started_and_restarted(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert [
        bxctl_run(box, *words) for words in (["stop", "memory"], ["start", "memory"], ["restart", "loop"])
    ] == [0] * 3
    assert capsys.readouterr().out.splitlines() == [
        "memory is stopped",
        "memory is started",
        "loop is restarted",
    ]
    assert bxctl_run(box, "start", "memory") == 1
    assert bxctl_run(box, "restart", "--all") == 0
    assert bxctl_run(box, "restart", "--all", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["ok"] is True


@pytest.mark.parametrize("words", [["restart"], ["restart", "memory", "--all"]])
def test_restart_wants_one_of_name_and_all(make: MakeBox, capsys: Out, words: list[str]) -> None:
    assert bxctl_run(make(), *words) == 2
    assert capsys.readouterr().err == "bxctl: name an actor, or say --all\n"


def test_an_actor_is_inspected_and_its_stack_shown(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "inspect", "memory") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("memory (worker): running for ")
    assert "in hand: nothing" in shown
    assert bxctl_run(box, "stack", "memory") == 0
    assert "take" in capsys.readouterr().out
    assert bxctl_run(box, "stop", "memory") == 0
    assert bxctl_run(box, "stack", "memory") == 0
    assert "memory has no thread now" in capsys.readouterr().err


def test_a_stuck_threads_stack_is_shown_before_its_successors(
    make: MakeBox, runtime: Runtime, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr(runtime, "stuck_stacks", lambda _name: {3: ["inner", "outer"]})
    assert bxctl_run(make(), "stack", "memory") == 0
    out = capsys.readouterr().out
    assert out.startswith("incarnation 3 is stuck at\nouter\ninner\n\n")
    assert "take" in out.partition("\n\n")[2]


def test_dead_letters_are_shown_without_their_text(make: MakeBox, capsys: Out, letters: Letters) -> None:
    box = make()
    assert bxctl_run(box, "dead-letters") == 0
    assert capsys.readouterr() == ("", "no dead letters\n")
    box.runtime.dead_letters.count("memory", Why.DEAD, "ToolAnswer", 42)
    assert bxctl_run(box, "dead-letters") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["memory", "dead", "1"]
    assert shown[-1].split()[1:] == ["memory", "dead", "ToolAnswer", "42"]
    letters.read_all()


def test_dead_letters_of_short_lived_actors_are_one_row_for_their_parent(
    make: MakeBox, capsys: Out, letters: Letters
) -> None:
    box = make()
    sent = [
        *(("asks/1-own", Why.DEAD), ("asks/2-own", Why.DEAD), ("asks/2-own", Why.LATE)),
        *(("runs/7", Why.DEAD), ("loop/main", Why.DEAD), ("loop/k3f", Why.DEAD), ("asks", Why.DEAD)),
    ]
    for address, why in sent:
        box.runtime.dead_letters.count(address, why, "Shorten", 42)
    assert bxctl_run(box, "dead-letters") == 0
    rows = [line.split() for line in capsys.readouterr().out.partition("\n\n")[0].splitlines()[1:]]
    assert sorted(rows) == [
        ["asks", "dead", "1"],
        ["asks/*", "dead", "2"],
        ["asks/*", "late", "1"],
        ["loop/k3f", "dead", "1"],
        ["loop/main", "dead", "1"],
        ["runs/*", "dead", "1"],
    ]
    assert bxctl_run(box, "dead-letters", "--json") == 0
    counted = json.loads(capsys.readouterr().out)["counts"]
    assert {row["address"] for row in counted} == {address for address, _ in sent}
    letters.read_all()


def test_sessions_are_listed_shown_and_ended(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "sessions") == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[0].split() == ["SESSION", "LIVE", "TURNS", "QUEUED", "LABEL", "AGE", "TITLE"]
    cells = listed[1].split()
    assert cells[:5] == ["main", "live", "1", "-", "private"]
    assert cells[-2:] == ["the", "key"]
    assert bxctl_run(box, "sessions", "show", "main") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("main: the key\nlive, 1 turn, private, last changed ")
    assert "[1] where is the key?\n> the blue tin" in shown
    assert shown.endswith("[2] hi\n> (no reply)\n")
    assert bxctl_run(box, "sessions", "show", "gone") == 4
    assert bxctl_run(box, "sessions", "show") == 2
    assert bxctl_run(box, "sessions", "end", "main") == 1
    assert bxctl_run(box, "sessions", "list", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])[0]["session"] == "main"


def test_of_a_long_session_the_last_turns_are_shown_with_their_numbers(make: MakeBox, capsys: Out) -> None:
    def script(message: object) -> object:
        assert isinstance(message, ShowSession)
        info = replace(INFO, turns=2000, waiting=3, live=False)
        return SessionView(info=info, turns=(TurnText(user="hi", failed="stopped"),), first=2000)

    box = make(script=script)
    assert bxctl_run(box, "sessions", "show", "main", "--last", "1") == 0
    out, err = capsys.readouterr()
    assert box.seen == [ShowSession(session="main", last=1)]
    assert out.splitlines()[1].startswith("ended, 2000 turns, 3 queued, private, last changed ")
    assert out.endswith("\n[2000] hi\n> (no reply: stopped)\n")
    assert err == "the first 1999 turns are not shown; --last 2000 shows all\n"


def test_memory_is_asked(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "ask", "where?", "--workspace", "own", "--workspace", "fleet") == 0
    out, err = capsys.readouterr()
    assert out == "[1] memory · own · private\n    the tin\n"
    assert err == "label: private\n"
    (message,) = [each for each in box.seen if isinstance(each, AskMemory)]
    assert message.args.workspaces == ("own", "fleet")


def test_an_answer_that_is_a_no_exits_1(make: MakeBox, capsys: Out) -> None:
    answer = ToolAnswer(
        ok=False, content="no workspace is named x", label=Label(Level.PRIVATE, untrusted=False)
    )
    box = make(script=lambda _: answer)
    assert bxctl_run(box, "ask", "where?", "--workspace", "x") == 1
    assert capsys.readouterr() == ("", "no workspace is named x\n")
    assert bxctl_run(box, "ask", " ") == 2


def test_the_prompts_size_is_shown_and_one_too_large_exits_1(make: MakeBox, capsys: Out) -> None:
    assert bxctl_run(make(), "prompt-size") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split() == ["total", "1200", "of", "3000"]
    assert err.startswith("estimated")


def test_a_prompt_that_is_too_large_exits_1(make: MakeBox, capsys: Out) -> None:
    sizes = PromptSizes(parts=(("tools", 3001),), total=3001, limit=3000, estimated=False)
    assert bxctl_run(make(script=lambda _: sizes), "prompt-size") == 1
    assert capsys.readouterr().err == ""


def test_the_version_is_shown_with_and_without_a_process(make: MakeBox, capsys: Out) -> None:
    assert bxctl_run(make(), "version") == 0
    assert capsys.readouterr().out == "boxmaker 0.1.0\n"
    assert bxctl.main(["version", "--home", "/nonexistent/box"]) == 0
    assert capsys.readouterr().out == "boxmaker 0.1.0, running: no\n"


def test_what_comes_from_the_box_cannot_steer_the_terminal(make: MakeBox, capsys: Out) -> None:
    answer = ToolAnswer(ok=True, content="\x1b[2Jgone\u202e", label=Label(Level.PRIVATE, untrusted=True))
    assert bxctl_run(make(script=lambda _: answer), "ask", "x") == 0
    out, err = capsys.readouterr()
    assert out == "\\x1b[2Jgone\\u202e\n"
    assert err == "label: private, untrusted\n"
