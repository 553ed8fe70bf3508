"""``boxmaker init``, ``check`` and ``serve`` as the processes a person runs."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bxcore.grants import MEMORY_POLICY
from tests.bxctl.conftest import ENVIRON, Run

EXAMPLES = ("fetch-docs", "read-notes", "shell-look", "write-drafts")


def test_init_writes_the_configuration_and_example_grants(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "new" / "box"
    done = run("init", "--home", str(home), program="boxmaker")
    assert done.returncode == 0
    written = [home / "boxmaker.toml", *(home / "grants" / f"{name}.toml.example" for name in EXAMPLES)]
    assert done.stdout.splitlines() == [f"wrote {path}" for path in written]
    assert all(path.read_text().startswith("#") for path in written)
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ((), ["podman is missing: apt-get install podman"]),
        (
            ("bwrap",),
            [
                "podman is missing: apt-get install podman",
                'which is here, after [containers] accept = ["memory-limit"] in HOME/boxmaker.toml',
            ],
        ),
        (("podman",), ["files and shell run in podman; the image for it, once: boxmaker image build"]),
    ],
)
def test_init_says_how_tools_get_to_work(
    run: Run, tmp_path: Path, programs: tuple[str, ...], said: list[str]
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    home = tmp_path / "home"
    done = run("init", "--home", str(home), program="boxmaker", environ={"PATH": str(folder)})
    first, second, *third, fourth = done.stderr.splitlines()
    assert first.startswith(f"a grant lets a tool work: edit an example in {home}/grants")
    assert second.startswith("then: boxmaker check finds mistakes, bxctl grants explain says")
    assert len(third) == len(said)
    assert all(line.endswith(end.replace("HOME", str(home))) for line, end in zip(third, said, strict=True))
    assert fourth == "bxctl doctor says what works and what is missing"


def test_init_overwrites_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("# mine\n")
    done = run("init", "--home", str(tmp_path), "--json", program="boxmaker")
    answer = json.loads(done.stdout)
    assert answer["kept"] == [str(tmp_path / "boxmaker.toml")]
    assert len(answer["written"]) == len(EXAMPLES)
    assert (tmp_path / "boxmaker.toml").read_text() == "# mine\n"
    again = run("init", "--home", str(tmp_path), program="boxmaker")
    assert again.stdout.count("kept ") == len(EXAMPLES) + 1


def test_init_where_nothing_can_be_written_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("init", "--home", str(tmp_path / "file"), program="boxmaker")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"boxmaker: {tmp_path}/file/boxmaker.toml cannot be written: file exists\n"


def test_what_init_wrote_checks_well(run: Run, tmp_path: Path) -> None:
    run("init", "--home", str(tmp_path), program="boxmaker")
    done = run("check", "--home", str(tmp_path), program="boxmaker")
    assert (done.returncode, done.stdout) == (0, "")
    names = ", ".join(f"{name}.toml.example" for name in EXAMPLES)
    assert done.stderr.splitlines() == [
        f"the configuration is well: {tmp_path}/boxmaker.toml",
        f"no grant of yours in {tmp_path}/grants",
        f"{names} in {tmp_path}/grants are no grants, their names do not end in .toml",
    ]


def test_check_counts_the_grants_and_warns_of_an_expired_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "grants").mkdir()
    text = 'tool = "http_fetch"\nmode = "auto"\nhosts = ["a.example"]\n'
    (tmp_path / "grants" / "now.toml").write_text(text)
    (tmp_path / "grants" / "old.toml").write_text(f"{text}expires = 2001-01-31T12:00:00Z\n")
    done = run("check", "--home", str(tmp_path), program="boxmaker")
    assert (done.returncode, done.stdout) == (0, "")
    _, counted, expired = done.stderr.splitlines()
    assert counted == "2 grants of yours: 2 for http_fetch"
    assert expired.startswith(
        f"{tmp_path}/grants/old.toml: warning: this grant has expired, at 2001-01-31T12"
    )


def test_check_shows_every_problem_with_file_and_line_and_exits_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[model]\nurll = 'x'\n[honcho]\ntoken = 'hunter2'\n")
    (tmp_path / "grants").mkdir()
    (tmp_path / "grants" / "mine.toml").write_text('mode = "auto"\ntool = "recall"\n')
    done = run("check", "--home", str(tmp_path), program="boxmaker")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        f"{tmp_path}/boxmaker.toml:2: model.urll: there is no such key; did you mean url?",
        f"{tmp_path}/boxmaker.toml:4: honcho.token: there is no such key; did you mean token_file?",
        f"{tmp_path}/grants/mine.toml:2: {MEMORY_POLICY}",
        "3 problems",
    ]
    assert done.stderr == ""
    as_json = run("check", "--home", str(tmp_path), "--json", program="boxmaker")
    assert [(each["file"], each["line"]) for each in json.loads(as_json.stdout)] == [
        (f"{tmp_path}/boxmaker.toml", 2),
        (f"{tmp_path}/boxmaker.toml", 4),
        (f"{tmp_path}/grants/mine.toml", 2),
    ]
    assert "hunter2" not in done.stdout + as_json.stdout


def test_check_looks_into_secrets_and_the_grants_folder_that_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[model]\napi_key_file = 'gone'\n[broker]\ngrants = 'nowhere'\n")
    done = run("check", "--home", str(tmp_path), program="boxmaker")
    assert done.returncode == 2
    first, second, _ = done.stdout.splitlines()
    assert first.startswith(f"{tmp_path}/boxmaker.toml:2: model.api_key_file: names a file that is not there")
    assert second.startswith(f"{tmp_path}/nowhere:1: the folder of grants does not exist")


def test_check_names_a_bad_variable(run: Run, tmp_path: Path) -> None:
    done = run(
        "check", "--home", str(tmp_path), program="boxmaker", environ={"BOXMAKER_LOOP__MAX_ROUNDS": "many"}
    )
    assert done.stdout == "$BOXMAKER_LOOP__MAX_ROUNDS: loop.max_rounds: must be a whole number\n1 problem\n"


def test_check_without_any_file_says_that_the_defaults_hold(run: Run, tmp_path: Path) -> None:
    done = run("check", "--home", str(tmp_path), program="boxmaker")
    assert (done.returncode, done.stderr.splitlines()) == (
        0,
        [
            "the configuration is well: no file, the defaults hold",
            f"no grant of yours in {tmp_path}/grants",
        ],
    )


@pytest.mark.parametrize("command", ["serve", "chat"])
def test_a_bad_configuration_starts_nothing_and_exits_2(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "boxmaker.toml").write_text("[model]\nurll = 'x'\n[loop]\nmax_rounds = 0\n")
    words = ["-m", "hi"] if command == "chat" else []
    done = run(command, *words, "--home", str(tmp_path), program="boxmaker")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}/boxmaker.toml:2: model.urll: there is no such key; did you mean url?\n" in done.stderr
    assert f"{tmp_path}/boxmaker.toml:4: loop.max_rounds: must be at least 1\n" in done.stderr
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stop_before_the_process_can_hear_one_is_heard_when_it_can(tmp_path: Path, name: str) -> None:
    code = f"""
import os, signal
from argparse import Namespace
from bxctl.commands import serve

become = os.execve

def interrupted(*words):
    os.kill(os.getpid(), signal.{name})
    become(*words)

os.execve = interrupted
serve.run(Namespace(home={str(tmp_path)!r}, config=None))
"""
    (tmp_path / "boxmaker.toml").write_text("[model]\nurl = 'http://127.0.0.1:9/v1'\n")
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRON, cwd="/", capture_output=True, timeout=25, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"boxmaker was stopped while it started" in done.stderr
    assert b"Traceback" not in done.stderr
