from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from loguru import logger

from actors.base import Runtime
from actors.box_facts import BoxFacts
from actors.box_parts import Parts
from bxcore import journal
from bxcore.config import Secrets, Settings
from bxcore.paths import find
from bxcore.sandbox.choose import NOT_NEEDED
from bxcore.supervision import ChildSpec, SupervisorSpec, validate
from bxio.claim import claim
from supervisor import main, tree
from tests.doubles.honcho_asks import until
from tests.doubles.model_server import ModelServer
from tests.scenarios.box import ROOT, Box, environ, run

pytestmark = pytest.mark.timeout(90)


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    paths = find({}, cwd=tmp_path, home=str(tmp_path))
    runtime = Runtime()
    taken = claim(paths, log_level="info", honcho=None)
    yield Parts(
        runtime=runtime,
        settings=Settings.model_validate({"honcho": {"url": "http://127.0.0.1:9"}}),
        secrets=Secrets(),
        paths=paths,
        claim=taken,
        started_s=0.0,
        facts=BoxFacts(runtime),
    )
    taken.release()
    logger.remove()


@pytest.fixture
def spec(parts: Parts) -> SupervisorSpec:
    return tree(parts)


def names(spec: SupervisorSpec) -> list[str]:
    return [child.name for child in spec.children]


def test_the_tree_is_sound_and_starts_in_the_order_of_5_1(spec: SupervisorSpec) -> None:
    assert validate(spec) == []
    order = ["clock", "dead-letters", "audit", "model", "memory.group", "broker.group", "asks", "loop.group"]
    assert names(spec) == [*order, "control.group"]


def test_the_interface_on_the_loopback_is_there_only_when_it_is_switched_on_and_has_a_token(
    parts: Parts,
) -> None:
    honcho = {"url": "http://127.0.0.1:9"}
    listening = Settings.model_validate({"honcho": honcho, "api": {"listen": "127.0.0.1:0"}})
    token = Secrets(api_token="t" * 32)
    assert names(tree(replace(parts, settings=listening, secrets=token)))[-1] == "api.group"
    assert validate(tree(replace(parts, settings=listening, secrets=token))) == []
    assert "api.group" not in names(tree(replace(parts, secrets=token)))
    assert "api.group" not in names(tree(replace(parts, settings=listening)))


def test_what_speaks_to_the_network_rests_between_its_restarts(spec: SupervisorSpec) -> None:
    resting = {child.name for child in spec.children if child.backoff is not None}
    assert resting == {"model"}


def test_a_group_is_a_supervisor(spec: SupervisorSpec) -> None:
    def kinds(children: tuple[ChildSpec, ...]) -> dict[str, str]:
        return {child.name: child.kind for child in children}

    supervisors = {name for name, kind in kinds(spec.children).items() if kind == "supervisor"}
    groups = {"memory.group", "broker.group", "asks", "loop.group", "control.group"}
    assert supervisors == groups


def test_a_bad_configuration_lists_every_problem_with_file_and_line_and_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "boxmaker.toml").write_text('[model]\nurll = "x"\n[loop]\nmax_rounds = "8"\n')
    assert main(["serve", "--home", str(tmp_path)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert [re.split(r": ", line)[0] for line in told] == [f"{tmp_path}/boxmaker.toml:{n}" for n in (2, 4)]
    assert "did you mean url" in told[0]
    assert not (tmp_path / "state").exists()


def test_a_state_folder_that_is_a_file_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("")
    assert main(["serve", "--home", str(tmp_path)]) == 1
    assert "state is not a folder; move it away or choose another one" in capsys.readouterr().err


def test_a_socket_path_too_long_for_the_system_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--home", str(tmp_path / ("x" * 120))]) == 2
    assert "Linux takes 107" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("taken", "sentence"),
    [
        ("run/control.sock", "control.sock is there and is no socket; move it away"),
        ("state/memory", "memory cannot be used: the folder must be ours alone, with mode 0700"),
        ("state/ledger.jsonl", "ledger.jsonl: line 1 of the log is damaged, and later lines are whole"),
    ],
)
def test_what_keeps_the_box_from_its_start_is_its_last_line_and_nothing_is_called_a_crash(
    tmp_path: Path, taken: str, sentence: str
) -> None:
    first, crc = journal.frame(["{}"], 0, "00000000", first=0)
    second, _ = journal.frame(["{}"], 1, crc, first=1)
    (tmp_path / taken).parent.mkdir(mode=0o700)
    (tmp_path / taken).write_bytes(first.replace(b"{}", b"[]") + second)
    (tmp_path / taken).chmod(0o600)
    (tmp_path / "boxmaker.toml").write_text('[model]\nurl = "http://127.0.0.1:9/v1"\n')
    done = run("supervisor", "serve", "--home", str(tmp_path))
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]
    assert "crashed" not in done.stderr


def test_a_box_whose_audit_cannot_be_written_is_up_and_not_well(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "state" / "audit.jsonl").mkdir(parents=True)
    (home / "state").chmod(0o700)
    with (
        ModelServer() as model,
        Box(home, f'[model]\nurl = "{model.url}"\nprofile = "native"\n') as box,
    ):
        (problem,) = box.json("status")["problems"]
    assert problem["sentence"].startswith("audit: no call runs, ")


def test_a_box_whose_model_is_down_is_up_and_not_well_until_it_comes(tmp_path: Path) -> None:
    with ModelServer() as model:
        pass
    with Box(tmp_path / "home", f'[model]\nurl = "{model.url}"\nprofile = "native"\n') as box:
        assert until(lambda: box.json("status")["problems"] != [])
        (problem,) = box.json("status")["problems"]
        assert problem["sentence"].startswith(f"model: the model's server at {model.url} cannot be reached")
        with ModelServer(port=model.port):
            assert until(lambda: box.json("status")["problems"] == [])


def test_a_box_whose_grants_need_no_sandbox_looks_for_none_and_is_well(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "grants").mkdir(parents=True)
    (home / "grants" / "web.toml").write_text('tool = "http_fetch"\nmode = "auto"\nhosts = ["example.org"]\n')
    with Box(home, '[model]\nurl = "http://127.0.0.1:9/v1"\n') as box:
        told = map(json.loads, box.bxctl("doctor", "--json").stdout.splitlines())
        checks = {check["name"]: (check["verdict"], check["sentence"]) for check in told}
    assert checks["sandbox"] == ("ok", NOT_NEEDED.sentence)


def test_a_tree_that_gives_up_ends_the_process_with_a_last_line_and_a_code(tmp_path: Path) -> None:
    """The socket's place is taken by a folder while the process runs, so its actor fails again and again."""
    with Box(tmp_path / "home", '[model]\nurl = "http://127.0.0.1:9/v1"\n') as box:
        assert box.process is not None
        path = box.home / "run" / "control.sock"
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        client.sendall(b"POST /v1/restart HTTP/1.1\r\nHost: box\r\nContent-Length: 18\r\n\r\n")
        path.unlink()
        path.mkdir()
        client.sendall(b'{"name":"control"}')
        assert box.process.wait(timeout=60) == 1
        client.close()
        assert "the supervision tree gave up" in box.said().splitlines()[-1]


def test_a_second_interrupt_ends_a_stop_at_once(tmp_path: Path) -> None:
    code = (
        "import os, signal, supervisor\nfrom actors.supervising import Root\n"
        "before = Root.stop\n"
        "def stuck(self, timeout_s):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return before(self, timeout_s)\n"
        "Root.stop = stuck\n"
        "import threading\n"
        "threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()\n"
        f"supervisor.main(['serve', '--home', {str(tmp_path / 'home')!r}])\n"
    )
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "boxmaker.toml").write_text('[model]\nurl = "http://127.0.0.1:9/v1"\n')
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ(), timeout=60, check=False, capture_output=True
    )
    assert done.returncode == 128 + signal.SIGTERM, done.stderr


def test_the_process_tells_systemd_when_it_is_ready_and_when_it_stops(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(tmp_path / "notify"))
    listener.settimeout(30)
    box = Box(tmp_path / "home", '[model]\nurl = "http://127.0.0.1:9/v1"\n')
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "supervisor", "serve", "--home", str(box.home)],
        env={**environ(), "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"},
        stderr=subprocess.DEVNULL,
    )
    assert listener.recv(100) == b"READY=1"
    assert listener.recv(100) == b"WATCHDOG=1"
    process.send_signal(signal.SIGTERM)
    last = b"WATCHDOG=1"
    while last == b"WATCHDOG=1":
        last = listener.recv(100)
    assert last == b"STOPPING=1"
    assert process.wait(timeout=30) == 0
    listener.close()
