"""``bxctl grants`` against a control socket, and without one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.messages.broker import ExplainCall, Explained, GrantsView
from bxctl import main as bxctl
from tests.bxctl.conftest import MakeBox, Run
from tests.doubles.control_box import GRANT, ControlBox

Out = pytest.CaptureFixture[str]
NOTES = """tool = "read_file"
mode = "ask"
paths = ["{folder}"]
"""


def bxctl_run(box: ControlBox, *words: str) -> int:
    return bxctl.main([*words, "--socket", str(box.path)])


def test_the_grants_in_force_are_listed(make: MakeBox, capsys: Out) -> None:
    view = GrantsView(grants=(GRANT, replace(GRANT, id="old", expired=True)))
    box = make(script=lambda _: view)
    assert bxctl_run(box, "grants") == 0
    out, err = capsys.readouterr()
    assert [line.split() for line in out.splitlines()] == [
        ["GRANT", "TOOL", "MODE", "UP", "TO", "UNTRUSTED", "COVERS"],
        ["shell-look", "shell", "ask", "private", "ask", "ls,", "cat"],
        ["old", "shell", "ask,", "expired", "private", "ask", "ls,", "cat"],
    ]
    assert err == ""
    assert bxctl_run(box, "grants", "list", "--json") == 0
    written = json.loads(capsys.readouterr().out)
    assert (written["grants"][0]["sha256"], written["problems"]) == ("ab" * 32, [])


def test_a_bad_set_changes_nothing_and_exits_1(make: MakeBox, capsys: Out) -> None:
    box = make(script=lambda _: GrantsView(grants=(GRANT,), problems=("g/x.toml:3: no such key",)))
    assert bxctl_run(box, "grants", "reload") == 1
    assert capsys.readouterr() == (
        "g/x.toml:3: no such key\n",
        "nothing was changed; the grants that were in force stay in force\n",
    )
    assert bxctl_run(box, "grants") == 0
    assert "g/x.toml:3: no such key\n" in capsys.readouterr().err
    assert bxctl_run(box, "grants", "reload", "--json") == 1
    assert json.loads(capsys.readouterr().out)["problems"] == ["g/x.toml:3: no such key"]


def test_a_good_set_is_shown(make: MakeBox, capsys: Out) -> None:
    assert bxctl_run(make(), "grants", "reload") == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[1].split()[0], err) == ("shell-look", "")


def test_a_decision_is_explained_with_its_steps(make: MakeBox, capsys: Out) -> None:
    box = make()
    words = (
        "grants",
        "explain",
        "shell",
        '{"command":"ls"}',
        "--class",
        "secret",
        "--untrusted",
        "--said",
        "ls",
    )
    assert bxctl_run(box, *words) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ask by shell-look: the grant asks",
        "  tool: shell is one",
        "  mode: the owner is asked",
    ]
    (message,) = [each for each in box.seen if isinstance(each, ExplainCall)]
    assert (str(message.label), message.said) == ("secret, untrusted", "ls")
    assert (message.tool, message.arguments) == ("shell", '{"command":"ls"}')


def test_a_refusal_exits_5(make: MakeBox, capsys: Out) -> None:
    refused = Explained(decision="refuse", grant=None, sentence="no grant", steps=("tool: x",))
    box = make(script=lambda _: refused)
    assert bxctl_run(box, "grants", "explain", "shell", "{}") == 5
    assert capsys.readouterr().out == "refuse: no grant\n  tool: x\n"
    assert bxctl_run(box, "grants", "explain", "shell", "{}", "--json") == 5


@pytest.mark.parametrize(
    "words", [("explain",), ("explain", "shell"), ("list", "shell"), ("reload", "--untrusted")]
)
def test_a_call_belongs_to_explain_alone(make: MakeBox, words: tuple[str, ...]) -> None:
    assert bxctl_run(make(), "grants", *words) == 2


# Without a running box.


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "grants").mkdir()
    (tmp_path / "grants" / "notes.toml").write_text(NOTES.format(folder=folder))
    return tmp_path


def test_without_a_box_the_folder_of_grants_decides(home: Path, run: Run) -> None:
    call = json.dumps({"path": f"{home}/notes/a.md"})
    done = run("grants", "explain", "read_file", call, "--home", str(home))
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"boxmaker does not run; by the grants in {home}/grants\n"
    assert done.stdout.splitlines()[0] == "ask by notes: the grant notes asks each time"
    elsewhere = json.dumps({"path": f"{home}/other/a.md"})
    done = run("grants", "explain", "read_file", elsewhere, "--home", str(home), "--json")
    assert done.returncode == 5
    assert json.loads(done.stdout)["decision"] == "refuse"


def test_without_a_box_the_session_is_the_one_that_was_named(home: Path, run: Run) -> None:
    text = NOTES.format(folder=f"{home}/notes").replace('"ask"', '"auto"\nwhen_untrusted = "ask"')
    (home / "grants" / "notes.toml").write_text(text)
    call = json.dumps({"path": f"{home}/notes/a.md"})
    words = ("grants", "explain", "read_file", call, "--home", str(home), "--json")
    assert json.loads(run(*words).stdout)["decision"] == "allow"
    assert json.loads(run(*words, "--untrusted").stdout)["decision"] == "ask"
    assert json.loads(run(*words, "--class", "secret").stdout)["decision"] == "refuse"


def test_without_a_box_a_bad_set_is_named(home: Path, run: Run) -> None:
    (home / "grants" / "bad.toml").write_text('tool = "read_file"\nmdoe = "ask"\n')
    done = run("grants", "explain", "recall", '{"query":"x"}', "--home", str(home))
    assert done.returncode == 2
    assert f"{home}/grants/bad.toml:2: " in done.stdout
    assert done.stderr.endswith("these grants have problems, so no box would start with them\n")


def test_without_a_box_or_grants_the_built_in_ones_decide(tmp_path: Path, run: Run) -> None:
    done = run("grants", "explain", "recall", '{"query":"x"}', "--home", str(tmp_path))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "allow by builtin-recall")
    (tmp_path / "boxmaker.toml").write_text("[model\n")
    done = run("grants", "explain", "recall", '{"query":"x"}', "--home", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")


def test_without_a_box_the_grants_of_a_start_are_listed(home: Path, run: Run) -> None:
    done = run("grants", "--home", str(home))
    assert (done.returncode, done.stderr) == (
        0,
        f"boxmaker does not run; by the grants in {home}/grants\n",
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "GRANT",
        "builtin-ask-memory",
        "builtin-memory",
        "builtin-recall",
        "notes",
    ]
    (home / "grants" / "bad.toml").write_text("tool = 1\n")
    assert run("grants", "--home", str(home)).returncode == 2


def test_a_reload_and_a_socket_that_was_named_need_a_running_box(tmp_path: Path, run: Run) -> None:
    assert run("grants", "--socket", str(tmp_path / "none")).returncode == 3
    assert run("grants", "reload", "--home", str(tmp_path)).returncode == 3
    assert run("grants", "explain", "x", "{}", "--socket", str(tmp_path / "none")).returncode == 3
