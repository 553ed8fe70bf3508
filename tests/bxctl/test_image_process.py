"""The process that asks podman: run with this command's flags, its words kept apart, and not for ever."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace

import pytest

from bxctl import image_process
from bxctl.serving import module_command

FLAGS = Namespace(home="/srv/box", config=None)


def test_it_runs_our_own_module_with_the_flags_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module_command("bxio.podman.image_command", FLAGS, "show")
    assert made[-4:] == ["bxio.podman.image_command", "show", "--home", "/srv/box"]
    code = "import sys; print(sys.argv[1:]); print('no', file=sys.stderr); sys.exit(4)"
    monkeypatch.setattr(
        image_process,
        "module_command",
        lambda _module, args, word: [sys.executable, "-c", code, word, args.home],
    )
    done = image_process.image_process(FLAGS, "show", 20)
    assert (done.returncode, done.stdout, done.stderr) == (4, "['show', '/srv/box']\n", "no\n")


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "import select; select.select([], [], [], 20)"]
    monkeypatch.setattr(image_process, "module_command", lambda *_: command)
    with pytest.raises(subprocess.TimeoutExpired):
        image_process.image_process(FLAGS, "show", 0.2)
