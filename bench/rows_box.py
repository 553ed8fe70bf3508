"""The whole box from outside: memory at rest, a first answer, and what the prompt holds before a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.row import Row, percentile
from bxctl.serving import serve_command
from tests.doubles.model_server import ModelServer

ROWS = (
    "serve_idle_rss",
    "chat_once_p50",
    "chat_once_p99",
    "first_prompt_native",
    "first_prompt_json",
)
IMPORTS = "import h11, httpx, loguru, pydantic, pykka, sqlite3, ssl"
CHAT_RUNS = 9
START_S = 30.0
QUIET_S = 2.0
CHAT_S = 20.0


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    if "serve_idle_rss" in wanted:
        yield idle_rss()
    if wanted & {"chat_once_p50", "chat_once_p99"}:
        yield from (row for row in chat_once() if row.row in wanted)
    for profile, goal in (("native", 1500), ("json", 3000)):
        if f"first_prompt_{profile}" in wanted:
            yield first_prompt(profile, goal)


def environment(model: ModelServer, profile: str = "auto") -> dict[str, str]:
    """The test's own environment, with a model for the box."""
    return os.environ | {"BOXMAKER_MODEL__URL": model.url, "BOXMAKER_MODEL__PROFILE": profile}


@contextmanager
def instant_model() -> Iterator[ModelServer]:
    with ModelServer(lambda _body: {"say": "hello"}) as server:
        yield server


def plain_install(folder: Path) -> dict[str, str]:
    """An environment without a package of the tests, which httpx loads for a command line if it is there."""
    (folder / "click.py").write_text('raise ImportError("a plain install has no click")\n', encoding="utf-8")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


@contextmanager
def serving(
    home: str, profile: str = "auto", more: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A box that serves, from when its control socket answers."""
    with instant_model() as model:
        command = serve_command(Namespace(home=home, config=None))
        env = environment(model, profile) | dict(more or {})
        process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + START_S
            while bxctl(home, "status").returncode != 0:
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError("the box did not start")
            yield process
        finally:
            process.terminate()
            process.wait(timeout=START_S)


def bxctl(home: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bxctl.main", *arguments, "--home", home, "--json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=START_S, check=False)


def rss_mb(pid: int) -> float:
    """Resident memory of a process in MB (of 1,000,000 bytes), from Linux's own count."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"process {pid} has no VmRSS")


def idle_rss() -> Row:
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_install(Path(folder))
        value = _rss_at_rest(plain)
        reference = _rss_of_imports(plain)
    return Row(
        row="serve_idle_rss",
        value=value,
        unit="MB",
        reference="Python with the same libraries imported and nothing running",
        reference_value=reference,
        goal=60,
    )


def _rss_at_rest(env: Mapping[str, str]) -> float:
    with tempfile.TemporaryDirectory() as home, serving(home, more=env) as box:
        try:
            box.wait(timeout=QUIET_S)  # it rests; one that ends instead has nothing to measure
        except subprocess.TimeoutExpired:
            value = rss_mb(box.pid)
        else:
            raise RuntimeError("the box ended by itself")
    return value


def _rss_of_imports(env: Mapping[str, str]) -> float:
    script = f"{IMPORTS}, sys; print(open('/proc/self/status').read())"
    asked = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=True,
    )
    (kilobytes,) = [int(line.split()[1]) for line in asked.stdout.splitlines() if line.startswith("VmRSS:")]
    return kilobytes * 1024 / 1e6


def seconds(command: list[str], env: dict[str, str] | None = None) -> float:
    begun = time.monotonic()
    subprocess.run(
        command, env=env, check=True, timeout=CHAT_S, capture_output=True, stdin=subprocess.DEVNULL
    )
    return time.monotonic() - begun


def chat_once() -> Iterator[Row]:
    """Whole processes: a box started for one message, on a fresh state folder, and ended again."""
    taken, references = [], []
    with instant_model() as model:
        for _ in range(CHAT_RUNS):
            with tempfile.TemporaryDirectory() as home:
                command = [sys.executable, "-m", "bxctl.boxmaker", "chat", "--home", home, "-m", "hi"]
                taken.append(seconds(command, environment(model)))
            references.append(seconds([sys.executable, "-c", "import httpx, pydantic, pykka"]))
    for percent in (50, 99):
        yield Row(
            row=f"chat_once_p{percent}",
            value=percentile(taken, percent),
            unit="s",
            reference="python -c 'import httpx, pydantic, pykka'",
            reference_value=percentile(references, percent),
            goal=1.0,
        )


def first_prompt(profile: str, goal: int) -> Row:
    with tempfile.TemporaryDirectory() as home, serving(home, profile):
        sizes = json.loads(bxctl(home, "prompt-size").stdout)
    return Row(
        row=f"first_prompt_{profile}",
        value=sizes["total"],
        unit="tokens",
        reference="the most that a baseline may have",
        reference_value=sizes["limit"],
        goal=goal,
    )
