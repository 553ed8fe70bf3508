"""``bxctl doctor`` with a box and without one."""

from __future__ import annotations

import json
from pathlib import Path

from bxcore.doctor import Check, Verdict
from tests.bxctl.conftest import MakeBox, Run


def checks(out: str) -> dict[str, dict[str, str | None]]:
    return {check["name"]: check for check in map(json.loads, out.splitlines())}


def test_what_this_command_sees_and_what_the_box_says(make: MakeBox, run: Run) -> None:
    box = make()
    done = run("doctor", "--home", str(box.home))
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert last == "nothing to mend"
    names = [line.split()[1].rstrip(":") for line in lines]
    assert names == ["python", "configuration", "grants", "state", "process", "model", "honcho", "audit"]
    assert f"ok    process: runs, and answers on {box.path}" in done.stdout.splitlines()
    assert "ok    model: embedded, ready" in done.stdout.splitlines()
    found = checks(run("doctor", "--json", "--home", str(box.home)).stdout)
    assert found["audit"]["verdict"] == "ok"
    assert found["honcho"]["help"] == "bxctl inspect outbox"


def test_something_bad_exits_1_and_says_what_to_do(make: MakeBox, run: Run) -> None:
    bad = Check(name="sandbox", verdict=Verdict.BAD, sentence="no image\x1b[2J", help="boxmaker image build")
    done = run("doctor", "--home", str(make(checks=(bad,)).home))
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (1, "1 to mend", "")
    assert "bad   sandbox: no image\\x1b[2J -> boxmaker image build" in done.stdout.splitlines()


def test_what_to_do_is_written_as_it_is_typed_here(make: MakeBox, run: Run) -> None:
    bad = Check(name="sandbox", verdict=Verdict.BAD, sentence="no image", help="boxmaker image build")
    home = str(make(checks=(bad,)).home)
    done = run("doctor", "--home", home, environ={"BX_TYPED": "./bx"})
    assert "bad   sandbox: no image -> ./bx image build" in done.stdout.splitlines()


def test_without_a_box_it_says_what_it_could_not_ask(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bin").mkdir()
    podman = tmp_path / "bin" / "podman"
    podman.write_text("#!/bin/sh\necho podman version 9.9\n")
    podman.chmod(0o755)
    environ = {"PATH": str(tmp_path / "bin")}
    done = run("doctor", "--json", "--home", str(tmp_path), environ=environ)
    found = checks(done.stdout)
    assert done.returncode == 0
    assert found["process"]["verdict"] == "warn"
    assert "were not asked" in str(found["process"]["sentence"])
    assert found["sandbox"]["sentence"] == "podman version 9.9; a start proves what it promises"
    assert found["image"]["verdict"] == "warn"
    assert "could not be looked for" in str(found["image"]["sentence"])
    assert found["audit"]["sentence"] == "0 records, the chain holds"


def test_without_a_box_no_workspace_of_a_server_is_called_fine(tmp_path: Path, run: Run) -> None:
    (tmp_path / "boxmaker.toml").write_text(
        '[honcho]\nurl = "http://127.0.0.1:9"\nagent = "box1"\nfleet = "fleet"\n'
        '[[honcho.read]]\nagent = "box2"\nworkspace = "box2"\n'
    )
    done = run("doctor", "--json", "--home", str(tmp_path), environ={"PATH": "/nonexistent"})
    found = checks(done.stdout)["workspaces"]
    assert found["verdict"] == "warn"
    assert found["sentence"] == (
        "own box1, untrusted box1-untrusted, fleet fleet, box2 box2 at http://127.0.0.1:9 were not tried; "
        "only a running box tries them"
    )
    assert found["help"] == "boxmaker serve"


def test_without_a_box_the_embedded_workspaces_are_not_worth_a_line(tmp_path: Path, run: Run) -> None:
    done = run("doctor", "--json", "--home", str(tmp_path), environ={"PATH": "/nonexistent"})
    assert "workspaces" not in checks(done.stdout)


def test_each_problem_of_the_configuration_is_bad(tmp_path: Path, run: Run) -> None:
    (tmp_path / "boxmaker.toml").write_text('[model]\nulr = "x"\n[loop]\nmax_rounds = 0\n')
    done = run("doctor", "--json", "--home", str(tmp_path), environ={"PATH": "/nonexistent"})
    problems = [check for check in map(json.loads, done.stdout.splitlines()) if check["verdict"] == "bad"]
    assert done.returncode == 1
    assert [check["name"] for check in problems] == ["configuration"] * 2
    assert f"{tmp_path}/boxmaker.toml:2: " in problems[0]["sentence"]


def test_a_changed_audit_is_found_without_a_box(tmp_path: Path, run: Run) -> None:
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "state" / "audit.jsonl").write_text("changed\n")
    done = run("doctor", "--json", "--home", str(tmp_path))
    assert done.returncode == 1
    assert checks(done.stdout)["audit"]["sentence"] == "line 1 is no audit record"
