from __future__ import annotations

import subprocess
import sys

import pytest

from bxctl import boxmaker
from bxctl import main as bxctl
from tests.bxctl.conftest import ENVIRON, MakeBox, Run

Out = pytest.CaptureFixture[str]


def test_an_unknown_command_is_met_with_what_was_meant(run: Run) -> None:
    done = run("stauts")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bxctl: there is no command 'stauts'; did you mean status?\n"
    assert run("qqqq").stderr == "bxctl: there is no command 'qqqq'; bxctl --help lists them\n"


def test_no_command_shows_the_help_and_exits_2(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert done.stdout == ""
    assert "dead-letters" in done.stderr


@pytest.mark.parametrize("program", ["main", "boxmaker"])
def test_every_command_has_a_help(run: Run, program: str, capsys: Out) -> None:
    module = bxctl if program == "main" else boxmaker
    done = run("--help", program=program)
    assert done.returncode == 0
    for name, command in module.COMMANDS.items():
        assert f"  {name}" in done.stdout
        with pytest.raises(SystemExit) as caught:
            module.main([name, "--help"])
        assert caught.value.code == 0
        assert command.help.split(";")[0] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "words",
    [["status", "--nosuch"], ["status", "extra"], ["sessions", "delete"], ["dead-letters", "-n", "x"]],
)
def test_wrong_usage_exits_2(words: list[str], capsys: Out) -> None:
    with pytest.raises(SystemExit) as caught:
        bxctl.main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_a_mistyped_flag_is_met_with_what_was_meant(run: Run) -> None:
    done = run("ask", "where?", "--workspaec", "own")
    assert done.returncode == 2
    assert done.stderr.endswith("there is no place for --workspaec own; did you mean --workspace?\n")


def test_through_bx_the_texts_name_what_was_typed(run: Run) -> None:
    environ = {"BX_TYPED": "./bx"}
    assert run("sevre", environ=environ).stderr == "bx: there is no command 'sevre'; did you mean serve?\n"
    assert run("qqqq", environ=environ).stderr == "bx: there is no command 'qqqq'; ./bx lists them\n"
    assert run("check", "-h", program="boxmaker", environ=environ).stdout.startswith(
        "usage: ./bx check-config "
    )
    assert run("tree", "--home", "/nonexistent", environ=environ).stderr.endswith(
        "start it with ./bx serve\n"
    )


def test_flags_stand_before_or_behind_the_command(make: MakeBox, capsys: Out) -> None:
    path = str(make().path)
    for words in (["--socket", path, "--json", "version"], ["version", "--json", "--socket", path]):
        assert bxctl.main(words) == 0
        assert capsys.readouterr().out == '{"version": "0.1.0", "running": "0.1.0"}\n'


def test_a_too_long_home_is_usage(capsys: Out) -> None:
    assert bxctl.main(["status", "--home", "/" + "x" * 200]) == 2
    assert "bytes long and Linux takes 107" in capsys.readouterr().err


def test_without_any_home_folder_it_says_what_to_do(run: Run) -> None:
    done = run("status", environ={"HOME": ""})
    assert done.returncode == 2
    assert done.stderr == "bxctl: no home folder is known, $HOME is not set; name a folder with --home DIR\n"


def test_a_reader_that_leaves_early_is_no_crash(make: MakeBox) -> None:
    box = make()
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m bxctl.main tree --socket {box.path} | true"],
        env=ENVIRON,
        cwd="/",
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.stderr == b""
