"""``kill -9`` at random moments while turns end, again and again, and then a count of every turn.

    python -m tools.kills --times 500 --seed 1

A real box is killed; the model and Honcho stand at the wire and survive. At the end no acknowledged turn may
be missing from the logs, and Honcho must hold each turn once, in order, in the workspace that a second,
independent reading of the logs names.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles import plain_reader
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.model_server import ModelServer, Step

AGENT = "boxmaker"
WORKSPACES = {"trusted": "boxmaker", "untrusted": "boxmaker-untrusted"}
SPEAKERS = {"anna": "anna", "bert": "bert.b", "self": "boxmaker", "odd": "not a name", "carl": "carl"}
"""Sessions and who speaks in them; two of them say nothing that Honcho may have."""
TAINT = "what do strangers say?"
TAINTED = 0.02
"""How often a session asks the strangers; it is untrusted from then on."""
START_S = 20.0
DRAIN_S = 120.0
TURN_S = 20.0
LONGEST_LIFE_S = 0.5


def answer(body: Mapping[str, Any]) -> Step:
    """Reply at once; ask the untrusted workspace when told to."""
    last = body["messages"][-1]
    said = last["content"].splitlines()[-1]
    if last["role"] == "tool":
        return {"say": "strangers say this and that"}
    if said == TAINT:
        return {"call": ["ask_memory", {"question": "what?", "workspaces": ["untrusted"]}]}
    return {"say": f"heard: {said}"}


@dataclass
class Talk:
    """What was said in one session, and which of it the box acknowledged by its reply."""

    session: str
    speaker: str
    chance: random.Random
    said: int = 0
    acknowledged: list[str] = field(default_factory=list)

    def go_on(self, path: Path, stop: threading.Event) -> None:
        """Say turn after turn until the box is gone."""
        while not stop.is_set():
            self.said += 1
            text = TAINT if self.chance.random() < TAINTED else f"{self.session} says {self.said}"
            try:
                lines = chat(path, self.session, text, self.speaker)
            except (OSError, http.client.HTTPException, ValueError):
                return
            if any(line["kind"] == "result" and line["result"]["reply"] for line in lines):
                self.acknowledged.append(text)


def chat(path: Path, session: str, text: str, speaker: str) -> list[dict[str, Any]]:
    """One turn over the control socket; its lines."""
    body = json.dumps({"text": text, "session": session, "speaker": speaker})
    return [json.loads(line) for line in asked(path, "POST", "/v1/chat", body).splitlines() if line.strip()]


def asked(path: Path, method: str, target: str, body: str = "") -> bytes:
    """What the control socket answers."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(TURN_S)
        client.connect(str(path))
        connection = http.client.HTTPConnection("box")
        connection.sock = client
        connection.request(method, target, body)
        with connection.getresponse() as response:
            return response.read()


class Killed:
    """A box that is started and killed; ``home`` is its own."""

    def __init__(self, home: Path, model: str, honcho: str) -> None:
        self.home = home
        home.mkdir(mode=0o700)
        (home / "boxmaker.toml").write_text(
            f'[model]\nurl = "{model}"\nprofile = "native"\n[honcho]\nurl = "{honcho}"\n'
        )
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """Its control socket."""
        return self.home / "run" / "control.sock"

    def start(self) -> None:
        """Start it, and wait until its socket takes a client."""
        with (self.home / "said").open("ab") as said:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-m", "supervisor", "serve", "--home", str(self.home)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "HOME": "/nonexistent"},
            )
        until_s, pause = time.monotonic() + START_S, threading.Event()
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until_s:
                raise SystemExit(f"the box did not start: {(self.home / 'said').read_text()[-2000:]}")
            pause.wait(0.01)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self.socket))
            except OSError:
                return False
        return True

    def end(self, number: int) -> None:
        """Send a signal and wait."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def drain(self) -> None:
        """Wait until every turn is decided, and then until nothing waits for Honcho."""
        until_s, pause = time.monotonic() + DRAIN_S, threading.Event()
        while self._undecided() != "0" or "every turn is delivered" not in self._fact():
            if time.monotonic() > until_s:
                raise SystemExit(f"the outbox did not drain: {self._fact()}")
            pause.wait(0.1)

    def _undecided(self) -> str:
        found = json.loads(asked(self.socket, "GET", "/v1/inspect?name=memory"))
        return str(found["details"].get("sessions_missing"))

    def _fact(self) -> str:
        found = json.loads(asked(self.socket, "GET", "/v1/status"))
        return str(found["facts"].get("honcho", ""))


def faults(home: Path, talks: list[Talk], honcho: HonchoClient) -> tuple[list[str], dict[str, int]]:
    """All that is not as it should be, and what was counted."""
    state = home / "state"
    wrong: list[str] = []
    counts = {"turns": 0, "acknowledged": 0, "trusted": 0, "untrusted": 0, "skipped": 0}
    decided = plain_reader.ledger(state / "ledger.jsonl")
    expected: dict[tuple[str, int], str] = {}
    for talk in talks:
        log = state / "sessions" / talk.session / "0.jsonl"
        turns = plain_reader.turns_of(talk.session, log.read_bytes(), AGENT)
        replied = [turn.said for turn in turns if turn.reply is not None]
        wrong += [
            f"{talk.session}: {text!r} is in the log {replied.count(text)} times"
            for text in talk.acknowledged
            if text != TAINT and replied.count(text) != 1
        ]
        counts["turns"] += len(turns)
        counts["acknowledged"] += len(talk.acknowledged)
        if turns and turns[-1].reply is None and (talk.session, turns[-1].turn) not in decided:
            turns.pop()  # nobody can say that it is over before another turn begins
        for turn in turns:
            expected[talk.session, turn.turn] = turn.goes
            counts[turn.goes if turn.goes in WORKSPACES else "skipped"] += 1
        for name, workspace in WORKSPACES.items():
            held = honcho.find(workspace, talk.session, {}, time.monotonic() + TURN_S)
            there = [(message.peer_id, message.content) for message in held]
            wanted = [
                pair
                for turn in turns
                if turn.goes == name
                for pair in ((turn.peer, turn.said), (AGENT, turn.reply))
            ]
            if there != wanted:
                wrong.append(f"{talk.session} in {workspace}: {len(there)} messages, {len(wanted)} expected")
    if decided != expected:
        both = decided.keys() | expected.keys()
        odd = [key for key in sorted(both) if decided.get(key) != expected.get(key)]
        wrong.append(f"the ledger and the logs differ in {len(odd)} turns, the first is {odd[0]}")
    return wrong, counts


def run(times: int, seed: int, folder: Path) -> tuple[list[str], dict[str, int]]:
    """Kill a box so often; what is wrong afterwards, and what was counted."""
    chance = random.Random(seed)  # noqa: S311 - moments, no secrets
    embedded = EmbeddedHoncho(folder / "honcho.sqlite", agent=AGENT)
    talks = [
        Talk(name, who, random.Random(chance.random()))  # noqa: S311 - as above
        for name, who in SPEAKERS.items()
    ]
    try:
        with ModelServer(answer) as model, HonchoPort(embedded) as port:
            honcho = HonchoClient(HonchoServer(url=port.url))
            honcho.ensure_workspace(
                WORKSPACES["untrusted"], time.monotonic() + TURN_S
            )  # strangers wrote there
            box = Killed(folder / "home", model.url, port.url)
            for _ in range(times):
                box.start()
                live(box, talks, chance.random() * LONGEST_LIFE_S)
            box.start()
            box.drain()
            box.end(signal.SIGTERM)
            return faults(box.home, talks, honcho)
    finally:
        embedded.close()


def live(box: Killed, talks: list[Talk], life_s: float) -> None:
    """Talk in every session at once, and kill the box after a while."""
    stop = threading.Event()
    threads = [threading.Thread(target=talk.go_on, args=(box.socket, stop)) for talk in talks]
    for thread in threads:
        thread.start()
    stop.wait(life_s)
    box.end(signal.SIGKILL)
    stop.set()
    for thread in threads:
        thread.join(timeout=TURN_S + 5)


def main() -> int:
    """Exit 1 when something is wrong; the folder is kept then."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    began_s = time.monotonic()
    wrong, counts = run(args.times, args.seed, folder)
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(f"{args.times} kills, seed {args.seed}, {time.monotonic() - began_s:.0f} s: {said}")
    for line in wrong:
        print(line)
    if wrong:
        print(f"look into {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
