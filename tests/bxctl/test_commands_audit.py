"""``bxctl audit`` against a control socket with a real log, and without a box."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bxctl import main as bxctl
from tests.actors.test_connection_audit import write
from tests.bxctl.conftest import MakeBox, Run
from tests.doubles.control_box import ControlBox

Out = pytest.CaptureFixture[str]


def bxctl_run(box: ControlBox, *words: str) -> int:
    return bxctl.main([*words, "--socket", str(box.path)])


def test_the_last_calls_are_a_line_each(make: MakeBox, capsys: Out) -> None:
    box = make()
    assert bxctl_run(box, "audit") == 0
    assert capsys.readouterr() == ("", "no calls yet\n")
    write(box.home / "audit.jsonl", 30)
    assert bxctl_run(box, "audit") == 0
    assert len(capsys.readouterr().out.splitlines()) == 20
    assert bxctl_run(box, "audit", "tail", "-n", "2") == 0
    first, last = capsys.readouterr().out.splitlines()
    assert "main/c28  shell" in first
    assert last.endswith("running")
    assert bxctl_run(box, "audit", "--json", "-n", "1") == 0
    assert json.loads(capsys.readouterr().out)[0]["call"] == "c29"


def test_one_call_is_shown(make: MakeBox, capsys: Out) -> None:
    box = make()
    write(box.home / "audit.jsonl", 2)
    assert bxctl_run(box, "audit", "show", "2") == 0
    assert capsys.readouterr().out.splitlines()[0] == "call: main/c0"
    assert bxctl_run(box, "audit", "show", "2", "--json") == 0
    assert json.loads(capsys.readouterr().out)["numbers"] == [1, 2]
    assert bxctl_run(box, "audit", "show", "99") == 4
    assert bxctl_run(box, "audit", "show") == 2
    assert bxctl_run(box, "audit", "tail", "2") == 2


def test_a_changed_line_is_named_and_exits_1(make: MakeBox, capsys: Out) -> None:
    box = make()
    path = box.home / "audit.jsonl"
    write(path, 3)
    assert bxctl_run(box, "audit", "verify") == 0
    assert capsys.readouterr().out == "5 records, the chain holds\n"
    path.write_bytes(path.read_bytes().replace(b'"call":"c0"', b'"call":"c9"', 1))
    assert bxctl_run(box, "audit", "verify") == 1
    assert capsys.readouterr().out == ("line 2 does not carry the sha256 of line 1; the 1 before it hold\n")
    assert bxctl_run(box, "audit", "verify", "--json") == 1
    assert json.loads(capsys.readouterr().out)["line"] == 2


def test_without_a_box_the_chain_is_walked_all_the_same(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "state" / "audit.jsonl"
    path.parent.mkdir()
    write(path, 2)
    with path.open("ab") as file:
        file.write(b'{"n":4')  # torn by a kill
    done = run("audit", "verify", "--home", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "3 records, the chain holds\n")
    assert done.stderr == f"boxmaker does not run; read {path}\n"
    path.write_bytes(path.read_bytes().replace(b'"call":"c0"', b'"call":"c9"', 1))
    assert run("audit", "verify", "--home", str(tmp_path)).returncode == 1
    assert run("audit", "verify", "--socket", str(tmp_path / "none")).returncode == 3


def test_without_a_box_the_last_calls_and_one_are_read_from_the_file(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "state" / "audit.jsonl"
    tail = run("audit", "--home", str(tmp_path))
    said = f"boxmaker does not run; read {path}\n"
    assert (tail.returncode, tail.stdout, tail.stderr) == (0, "", f"{said}no calls yet\n")
    path.parent.mkdir()
    write(path, 3)
    tail = run("audit", "tail", "-n", "2", "--home", str(tmp_path))
    assert (tail.returncode, tail.stderr) == (0, said)
    first, last = tail.stdout.splitlines()
    assert "main/c1  shell" in first
    assert last.endswith("unknown"), "nothing runs any more"
    shown = run("audit", "show", "2", "--home", str(tmp_path))
    assert (shown.returncode, shown.stdout.splitlines()[0]) == (0, "call: main/c0")
    none = run("audit", "show", "99", "--home", str(tmp_path))
    assert (none.returncode, none.stdout) == (4, "")
    assert none.stderr.endswith("record 99 belongs to no call; list them with bxctl audit tail\n")
    assert run("audit", "tail", "--socket", str(tmp_path / "none")).returncode == 3
