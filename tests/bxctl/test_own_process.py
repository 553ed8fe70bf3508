"""A process that chat starts for itself: real processes, in place of the supervisor a scripted one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.own_process import OwnProcess
from bxctl.wire import Wire
from tests.bxctl.conftest import ENVIRON

Out = pytest.CaptureFixture[str]


@pytest.fixture
def home() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="bx-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)
    made.with_name(f"{made.name}.ended").unlink(missing_ok=True)


def served(home: Path, *words: str) -> OwnProcess:
    command = [sys.executable, "-m", "tests.doubles.served_box", str(home), *words]
    return OwnProcess(command, Wire(home / "run" / "control.sock"))


def saying(home: Path, text: str, code: int) -> OwnProcess:
    script = f"import sys; sys.stderr.write({text!r}); sys.exit({code})"
    return OwnProcess([sys.executable, "-c", script], Wire(home / "run" / "control.sock"))


def test_it_is_ready_when_it_answers_and_stops_in_order(home: Path, capsys: Out) -> None:
    own = served(home)
    own.start()
    assert Wire(home / "run" / "control.sock").answers()
    own.stop()
    assert home.with_name(f"{home.name}.ended").exists()
    assert not Wire(home / "run" / "control.sock").answers()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("boxmaker does not run; starting it for this chat\nready after ")


def test_one_that_does_not_start_is_told_with_its_words_and_its_code(home: Path) -> None:
    own = saying(home, "b.toml:3: no such key\nb.toml:4: no such key\n", 2)
    with pytest.raises(CommandError) as caught:
        own.start()
    own.stop()
    assert caught.value.exit is Exit.USAGE
    assert caught.value.sentence == ("boxmaker did not start:\nb.toml:3: no such key\nb.toml:4: no such key")


def test_its_last_critical_line_alone_says_why(home: Path) -> None:
    lines = [
        '{"level": "error", "message": "memory cannot start: disk full"}',
        '{"level": "critical", "message": "boxmaker did not start: disk full"}',
        '{"level": "info", "message": "bye"}',
    ]
    own = saying(home, "\n".join(lines) + "\n", 1)
    with pytest.raises(CommandError) as caught:
        own.start()
    own.stop()
    assert caught.value.sentence == "boxmaker did not start: disk full"


@pytest.mark.parametrize(
    ("text", "code", "words", "exit_code"),
    [
        ('{"level": "error", "message": "no space left"}\n', 1, "no space left", Exit.FAILED),
        ("", 0, "it said nothing", Exit.FAILED),
        ("[1]\n", 77, "[1]", Exit.FAILED),
    ],
)
def test_a_log_line_is_shown_as_its_message(
    home: Path, text: str, code: int, words: str, exit_code: Exit
) -> None:
    own = saying(home, text, code)
    with pytest.raises(CommandError) as caught:
        own.start()
    own.stop()
    assert (caught.value.exit, caught.value.sentence) == (exit_code, f"boxmaker did not start:\n{words}")


def test_when_another_one_took_its_place_that_one_is_used(home: Path) -> None:
    first = served(home)
    first.start()
    second = saying(home, "another boxmaker (pid 7) runs", 1)
    second.start()
    second.stop()
    assert Wire(home / "run" / "control.sock").answers()
    first.stop()


def test_one_that_never_gets_ready_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxctl.own_process.START_S", 0.1)
    own = OwnProcess(["sleep", "60"], Wire(home / "s"))
    with pytest.raises(CommandError) as caught:
        own.start()
    assert caught.value.exit is Exit.TIMED_OUT


def test_one_that_does_not_stop_is_killed_and_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("bxctl.own_process.STOP_S", 0.2)
    own = served(home, "stubborn")
    own.start()
    monkeypatch.setattr("bxctl.own_process.STOP_S", 0.2)
    own.stop()
    assert "it is killed, its next start recovers" in capsys.readouterr().err
    assert not Wire(home / "run" / "control.sock").answers()


def test_it_ends_with_a_command_that_is_killed(home: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path;"
        "from bxctl.own_process import OwnProcess; from bxctl.wire import Wire;"
        "home = Path(sys.argv[1]);"
        "own = OwnProcess([sys.executable, '-m', 'tests.doubles.served_box', str(home)],"
        " Wire(home / 'run' / 'control.sock'));"
        "own.start(); print('up', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(home)],
        env=ENVIRON,
        cwd="/",
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"up\n")
    wait_for(home.with_name(f"{home.name}.ended").exists)


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def test_no_descriptor_is_left(home: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    own = served(home)
    own.start()
    own.stop()
    own.stop()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
