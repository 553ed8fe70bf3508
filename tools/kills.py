"""``kill -9`` at random moments while turns end, again and again, and then a count of every turn.

    python -m tools.kills --times 500 --seed 1

A real box is killed; the model and Honcho stand at the wire and survive. At the end no acknowledged turn may
be missing from the logs or from what recall finds, and Honcho must hold each turn once, in order, in the
workspace that a second, independent reading of the logs names. Some replies are long, since only such records
are torn by a kill.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles import plain_reader
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.model_server import ModelServer, Step
from tests.doubles.plain_reader import PlainTurn

AGENT = "boxmaker"
WORKSPACES = {"trusted": "boxmaker", "untrusted": "boxmaker-untrusted"}
SPEAKERS = {"anna": "anna", "bert": "bert.b", "self": "boxmaker", "odd": "not a name", "carl": "carl"}
"""Sessions and who speaks in them; two of them say nothing that Honcho may have."""
TAINT = "what do strangers say?"
TAINTED = 0.02
"""How often a session asks the strangers; it is untrusted from then on."""
LONG = "tell me all"
ALL = "".join(f"{number:x}" for number in range(6_000))
"""A long word that does not repeat itself: an answer that goes round in circles is cut."""
LONGER = 0.05
"""How often the reply is a long one: only such records are torn by a kill."""
TOKEN = "ghp_" + "a1B2" * 9
SECRET = 0.03
"""How often a text holds a secret."""
COUNTED = ("turns", "epochs", "acknowledged", "trusted", "untrusted", "skipped", "torn", "longest")
LOGS = re.compile(r"[0-9]+\.jsonl")
TORN = re.compile(r"[0-9]+\.jsonl\.torn-[0-9]+")
START_S = 20.0
DRAIN_S = 120.0
TURN_S = 20.0
LONGEST_LIFE_S = 0.5
LONG_LIFE_S = 3.0
LONG_LIVES = 0.1
"""How often a box lives so long: a question to the strangers takes half a second when all talk at once."""


def answer(body: Mapping[str, Any]) -> Step:
    """Reply at once; ask the untrusted workspace when told to."""
    last = body["messages"][-1]
    said = last["content"].splitlines()[-1]
    if last["role"] == "tool":
        return {"say": "strangers say this and that"}
    if said.startswith(TAINT):
        return {"call": ["ask_memory", {"question": "what?", "workspaces": ["untrusted"]}]}
    if said.startswith(LONG):
        return {"say": f"all of it: {ALL}"}  # a word comes in one piece, so it is quick
    return {"say": f"heard: {said}"}


@dataclass
class Talk:
    """What was said in one session, and which of it the box acknowledged by its reply."""

    session: str
    speaker: str
    chance: random.Random
    said: int = 0
    wants_strangers: bool = False
    """It has asked the strangers, and a kill came before the answer."""
    acknowledged: list[str] = field(default_factory=list)

    def go_on(self, path: Path, stop: threading.Event) -> None:
        """Say turn after turn until the box is gone."""
        while not stop.is_set():
            self.said += 1
            text = self._text()
            try:
                lines = chat(path, self.session, text, self.speaker)
            except (OSError, http.client.HTTPException, ValueError):
                return
            if any(line["kind"] == "result" and line["result"]["reply"] for line in lines):
                self.acknowledged.append(text)
                self.wants_strangers = self.wants_strangers and not text.startswith(TAINT)

    def _text(self) -> str:
        """What is said next; its last word is in no other text."""
        chance = self.chance.random()
        if chance < TAINTED or self.wants_strangers:
            what, self.wants_strangers = TAINT, True
        elif chance < TAINTED + LONGER:
            what = LONG
        else:
            what = f"my token is {TOKEN}" if chance < TAINTED + LONGER + SECRET else "hear me"
        return f"{what} {self.session}{self.said}"


def word(session: str, text: str) -> str:
    """The word that only this text has."""
    found = text.rpartition(" ")[2]
    assert found.startswith(session)
    return found


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

    def finds(self, word: str) -> bool:
        """Whether recall finds the turn in which a word was said."""
        body = json.dumps({"query": word, "k": 1})
        found = json.loads(asked(self.socket, "POST", "/v1/memory-search", body))
        return word in found["content"]

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


@dataclass
class Count:
    """What is not as it should be, and how much there was to look at."""

    wrong: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    expected: dict[tuple[str, int], str] = field(default_factory=dict)
    """Where each turn goes by the second reading."""

    def logs(self, talk: Talk, turns: list[PlainTurn]) -> None:
        """Every acknowledged turn is in its log, once."""
        replied = Counter(turn.said for turn in turns if turn.reply is not None)
        self.wrong += [
            f"{talk.session}: {text[:40]!r} is in the log {replied[text]} times"
            for text in talk.acknowledged
            if replied[text] != 1
        ]
        self.counts["turns"] += len(turns)
        self.counts["acknowledged"] += len(talk.acknowledged)
        self.counts["longest"] = max([self.counts["longest"], *(len(turn.reply or "") for turn in turns)])

    def workspaces(self, session: str, turns: list[PlainTurn], honcho: HonchoClient) -> None:
        """Honcho holds each turn once, in order, where the second reading says."""
        for turn in turns:
            self.expected[session, turn.turn] = turn.goes
            self.counts[turn.goes if turn.goes in WORKSPACES else "skipped"] += 1
        for name, workspace in WORKSPACES.items():
            there = held(honcho, workspace, session)
            wanted = [
                said
                for turn in turns
                if turn.goes == name
                for said in ((turn.turn, turn.peer, turn.said), (turn.turn, AGENT, turn.reply))
            ]
            if there != wanted:
                self.wrong.append(f"{session} in {workspace}: {len(there)} texts, {len(wanted)} expected")

    def ledger(self, path: Path) -> None:
        """The ledger is what the second reading of the logs says."""
        decided = plain_reader.ledger(path)
        both = decided.keys() | self.expected.keys()
        odd = [key for key in sorted(both) if decided.get(key) != self.expected.get(key)]
        if odd:
            self.wrong.append(f"the ledger and the logs differ in {len(odd)} turns, the first is {odd[0]}")

    def secrets(self, home: Path) -> None:
        """A secret is in its own log and nowhere else."""
        kept = [path for path in home.rglob("*") if path.is_file() and not LOGS.fullmatch(path.name)]
        held_by = [path.name for path in kept if TOKEN.encode() in path.read_bytes()]
        if any(not TORN.fullmatch(name) for name in held_by):
            self.wrong.append(f"a secret is in {held_by}")


def held(honcho: HonchoClient, workspace: str, session: str) -> list[tuple[int, str, str]]:
    """What Honcho has of a session in order: turn, peer and text, the parts of a long one put together."""
    messages = honcho.find(workspace, session, {}, time.monotonic() + TURN_S)
    texts = groupby(messages, key=lambda message: (message.metadata["turn"], message.peer_id))
    return [(*key, "".join(message.content for message in parts)) for key, parts in texts]


def counted(box: Killed, talks: list[Talk], honcho: HonchoClient) -> Count:
    """Look at all that is left when the box has come to rest, while it still runs and after its end."""
    count = Count()
    state = box.home / "state"
    decided = plain_reader.ledger(state / "ledger.jsonl")
    for talk in talks:
        files = plain_reader.files_of(state / "sessions" / talk.session)
        turns = plain_reader.turns_of(talk.session, files, AGENT)
        count.counts["epochs"] += len(files)
        count.logs(talk, turns)
        if turns and turns[-1].reply is None and (talk.session, turns[-1].turn) not in decided:
            turns.pop()  # nobody can say that it is over before another turn begins
        count.workspaces(talk.session, turns, honcho)
        for turn in turns:
            if turn.reply is not None and not box.finds(word(talk.session, turn.said)):
                count.wrong.append(f"{talk.session}: recall does not find turn {turn.turn}")
    box.end(signal.SIGTERM)
    count.counts["torn"] = len([*state.rglob("*.torn-*")])
    count.ledger(state / "ledger.jsonl")
    count.secrets(box.home)
    return count


def run(times: int, seed: int, folder: Path) -> Count:
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
                longest_s = LONG_LIFE_S if chance.random() < LONG_LIVES else LONGEST_LIFE_S
                live(box, talks, chance.random() * longest_s)
            box.start()
            box.drain()
            return counted(box, talks, honcho)
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
    count = run(args.times, args.seed, folder)
    said = ", ".join(f"{number} {name}" for name, number in count.counts.items())
    print(f"{args.times} kills, seed {args.seed}, {time.monotonic() - began_s:.0f} s: {said}")
    for line in count.wrong:
        print(line)
    if count.wrong:
        print(f"look into {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
