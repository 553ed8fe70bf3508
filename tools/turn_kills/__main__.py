"""Kill a box so often, and count."""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.doubles.effect_server import EffectServer
from tests.doubles.model_server import ModelServer, Step
from tests.doubles.plain_session import LoggedTurn, turns_in
from tests.doubles.planned_model import PlannedModel
from tools.turn_kills.box import Box
from tools.turn_kills.checking import Count
from tools.turn_kills.talking import Moments, Said, Talker, kinds_of

TALKERS = ("a", "a", "b", "c", "c", "d")
"""The session of each talker; where there are two, one message waits for the other's turn."""
LIVES = 25
"""Lives of the box after which the sessions are left and others begun, but the first one's."""
LONGEST_LIFE_S = 0.6
MOMENT_S = 1.5
AFTER_S = 0.01
"""How long after a moment a box may be killed."""
BY_TIME, WHILE_STARTING = 0.3, 0.06
"""How many kills come at any time, and how many before the box has come up."""


class Killing:
    """A box, those who talk to it, and the model and the page that see what it does."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - moments, no secrets
        self.moments = Moments()
        self.effects = EffectServer(self.moments.seen)
        self.planned = PlannedModel(port=self.effects.port, file=str(folder / "notes" / "lines"))
        self.model = ModelServer(self._answer)
        self.box = Box(folder, self.model.url, self.effects.port)
        self.talkers = [
            Talker(f"{number}x", random.Random(self.chance.random()), self.box, self.moments)  # noqa: S311
            for number, _ in enumerate(TALKERS)
        ]
        self.count = Count()

    def _answer(self, body: Mapping[str, Any]) -> Step:
        self.moments.seen("model")
        return self.planned(body)

    def run(self, times: int) -> Count:
        """Kill it so often, then let each session say one more turn, and look at all of it."""
        with self.model, self.effects:
            for life in range(times):
                self._turn_over(life)
                self._live()
            self.box.start()
            before = self._logged()
            self._look_back(before, [talker.say("clock", stops=False) for talker in self.talkers])
            for talker in self.talkers:
                if talker.said[-1].result is None or talker.said[-1].lines[-1]["result"]["reply"] is None:
                    self.count.wrong.append(f"{talker.session} does not go on: {talker.said[-1].lines[-1:]}")
            self._check_all()
        return self.count

    def _turn_over(self, life: int) -> None:
        """Some sessions are left and new ones begun; the first goes on to the end."""
        for talker, name in zip(self.talkers, TALKERS, strict=True):
            talker.session = f"{name}0" if name == TALKERS[0] else f"{name}{life // LIVES}"

    def _live(self) -> None:
        """One life: start, talk in every session at once, be killed."""
        if self.chance.random() < WHILE_STARTING:
            self.box.begin()
            threading.Event().wait(self.chance.random())
            self.box.end()
        before = self._logged()
        begun = [len(talker.said) for talker in self.talkers]
        kind, most_s = self._moment()
        self.box.start()
        stop = threading.Event()
        threads = [threading.Thread(target=talker.go_on, args=(stop,)) for talker in self.talkers]
        for thread in threads:
            thread.start()
        if self.moments.wait(most_s):
            self.count.counts["at a moment"] += 1
            threading.Event().wait(self.chance.random() * AFTER_S)
        self.box.end()
        stop.set()
        for thread in threads:
            thread.join(timeout=40)
        self.count.counts[f"killed by {kind}"] += 1
        said = zip(self.talkers, begun, strict=True)
        self._look_back(before, [one for talker, since in said for one in talker.said[since:]])

    def _logged(self) -> dict[str, list[LoggedTurn]]:
        """What is in the logs of the sessions that are talked in."""
        return {talker.session: turns_in(self.box.sessions / talker.session) for talker in self.talkers}

    def _moment(self) -> tuple[str, float]:
        """What the next kill waits for, and for how long at most."""
        if self.chance.random() < BY_TIME:
            self.moments.arm("never", 1)
            return "time", self.chance.random() * LONGEST_LIFE_S
        kind = self.chance.choice(Moments.KINDS)
        self.moments.arm(kind, self.chance.randint(1, 8))
        return kind, MOMENT_S

    def _look_back(self, before: Mapping[str, list[LoggedTurn]], life: list[Said]) -> None:
        for session, turns in before.items():
            self.count.resumed(session, turns, life)

    def _check_all(self) -> None:
        """Everything that was ever shown; the box still runs, and says what it thinks of its logs."""
        box, count = self.box, self.count
        effects = self.effects.count + Counter(box.lines) + Counter(box.notes)
        for what, seen in (("pages", self.effects.count), ("lines", box.lines), ("notes", box.notes)):
            count.counts[what] = len(list(seen))
        said = [one for talker in self.talkers for one in talker.said]
        known: Counter[str] = Counter()
        for session in sorted({one.session for one in said}):
            folder = box.sessions / session
            turns = count.session(folder, [one for one in said if one.session == session], effects)
            if turns:
                shown = box.asks("GET", f"/v1/session?session={session}&last=1")
                label = (shown["label"]["class"], shown["label"]["untrusted"])
                if (label, shown["turns"]) != (turns[-1].label, len(turns)):
                    count.wrong.append(f"{session} is listed as {label} with {shown['turns']} turns")
            if len(self.planned.baselines.get(session, ())) > 1:
                count.wrong.append(f"the baseline of {session} has changed")
            known.update({turn.said.split()[0]: 1 for turn in turns})
        count.wrong += [
            f"{name} took effect without a call" for name in effects if name.partition(".")[0] not in known
        ]
        count.wrong += self.planned.wrong
        audit = box.asks("GET", "/v1/audit-verify")
        if not audit.get("ok", True):
            count.wrong.append(f"the audit: {audit}")
        count.counts.update({f"shown {kind}": number for kind, number in kinds_of(self.talkers).items()})
        count.counts["torn"] = len([*box.home.rglob("*.torn-*")])
        box.end(signal.SIGTERM)


def run(times: int, seed: int, folder: Path) -> Count:
    """Kill a box so often under a folder; what is wrong afterwards, and what was counted."""
    killing = Killing(folder, seed)
    try:
        return killing.run(times)
    finally:
        killing.box.leave()


def main() -> int:
    """Exit 1 when something is wrong; the folder is kept then."""
    parser = argparse.ArgumentParser(description="kill -9 at random moments of turns")
    parser.add_argument("--times", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="turn-kills-"))
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
