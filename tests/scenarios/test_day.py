"""A day of a box: 200 turns of 20 sessions, with all that goes wrong in one, and then a look at every log."""

from __future__ import annotations

import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from tests.doubles.effect_server import EffectServer
from tests.doubles.model_server import NONSENSE, ModelServer, Step
from tests.doubles.plain_session import turns_in
from tests.doubles.planned_model import PlannedModel
from tools.turn_kills.box import Box
from tools.turn_kills.checking import NOT_BEGUN, Count
from tools.turn_kills.talking import Moments, Said, Talker, tried

pytestmark = pytest.mark.timeout(180)
SESSIONS = 20
TURNS = 200
AT_ONCE = 6
"""Sessions that talk side by side."""
IMPATIENT = "first_token_s = 1.0\nprompt_tokens_per_s = 100000.0\nstall_s = 1.0"
HEALTHY = (
    "",
    "clock",
    "clocks post",
    "asked shell",
    "note find",
    "posts clock",
    "recall long",
    "shell post asked",
)
RESTARTED = ("broker", "memory", "model", "runner", "audit", "outbox", "loop", "dead-letters")


class Troubles:
    """The ways in which the model fails, each a step of a message; one of ``ONCE`` is over when retried."""

    LASTING: Mapping[str, Step] = {
        "down": {"status": 503},
        "broken": {"status": 500, "body": "<html>proxy error</html>"},
        "refused": {"status": 400, "body": '{"error":{"message":"context is too long"}}'},
        "forbidden": {"status": 401},
        "absent": {"status": 404},
        "silent": {"silence_s": 3},
        "hangs": {"hang_up": True},
        "empty": {"say": ""},
        "blank": {"text": "  \n\n "},
        "stalls": {"say": "one two three four five", "drip_s": 2.5},
        "cut": {"say": "a reply that is never whole", "cut_after": 3},
        "thinks": {"reasoning": "hm " * 50, "text": ""},
        **{f"nonsense-{kind}": {"nonsense": kind} for kind in NONSENSE},
    }
    ODD: Mapping[str, Step] = {
        "unknown": {"call": ["cloock", {}]},
        "object": {"calls": [["clock", {"an": "object"}]]},
        "mangled": {"calls": [["memory", '{"action": "add", "file": ']]},
        "fenced": {"text": '```json\n{"name": "clock", "arguments": {}}\n```'},
        "tagged": {"text": '<tool_call>{"name": "clock", "arguments": {}}</tool_call>'},
        "many": {"call": [["clock", {}]] * 20},
    }
    """Answers that something can be made of: a repaired call, or a result that says what is wrong."""
    ONCE = ("flaky", "busy")

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def steps(self) -> Mapping[str, Callable[[str], Step]]:
        """Every trouble, as the scripted model takes them."""
        fixed = {**self.LASTING, **self.ODD}
        found: dict[str, Callable[[str], Step]] = {name: _always(step) for name, step in fixed.items()}
        found["flaky"] = self._once({"status": 503})
        found["busy"] = self._once({"status": 429, "retry_after": "0"})
        return found

    def _once(self, step: Step) -> Callable[[str], Step]:
        def answer(effect: str) -> Step:
            self._asked[effect] += 1
            return step if self._asked[effect] == 1 else {"say": "better now"}

        return answer


def _always(step: Step) -> Callable[[str], Step]:
    return lambda _effect: step


@dataclass
class Day:
    """A running box with its model, those who talk to it, and what they were shown."""

    box: Box
    talkers: list[Talker]
    count: Count

    def everybody(
        self, *rounds: Callable[[int], str], meanwhile: Callable[[], object] = lambda: None
    ) -> None:
        """Each session says a message of each round; several sessions at once."""
        before = {one.session: turns_in(self.box.sessions / one.session) for one in self.talkers}
        since = [len(one.said) for one in self.talkers]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [
                pool.submit(lambda one, place: [one.say(plan(place)) for plan in rounds], one, place)
                for place, one in enumerate(self.talkers)
            ]
            meanwhile()
            for job in jobs:
                job.result(timeout=90)
        said = [one for talker, at in zip(self.talkers, since, strict=True) for one in talker.said[at:]]
        for session, turns in before.items():
            self.count.resumed(session, turns, said)

    def restart(self, number: int) -> None:
        """End the process by a signal in the middle of all turns."""
        threading.Event().wait(0.5)
        self.box.end(number)

    def restart_actors(self) -> None:
        """Restart one actor after the other under the turns that run."""
        for name in RESTARTED:
            tried(lambda name=name: self.box.asks("POST", "/v1/restart", {"name": name}))  # type: ignore[misc]
            threading.Event().wait(0.15)


@pytest.fixture
def day(tmp_path: Path) -> Iterator[tuple[Day, PlannedModel, EffectServer]]:
    with EffectServer() as effects:
        troubles = Troubles()
        planned = PlannedModel(
            port=effects.port, file=str(tmp_path / "notes" / "lines"), more=troubles.steps()
        )
        with ModelServer(planned) as model:
            box = Box(tmp_path, model.url, effects.port, IMPATIENT)
            talkers = [
                Talker("x", random.Random(number), box, Moments(), session=f"s{number}")
                for number in range(SESSIONS)
            ]
            box.start()
            try:
                yield Day(box, talkers, Count(told=_may_be_told)), planned, effects
            finally:
                box.end()


def _may_be_told(said: Said, sentence: str) -> bool:
    """A stop, a model's lasting failure, or the restart that this message met; in words, not in a trace."""
    steps = said.text.split()[1:]
    meets = "restart" in steps or any(step in Troubles.LASTING for step in steps)
    readable = 10 < len(sentence) < 600 and "Traceback" not in sentence and "object at 0x" not in sentence
    return sentence in {"stopped", NOT_BEGUN} or (meets and readable)


def test_a_day_ends_with_every_log_readable_and_every_turn_replied_or_told_why(
    day: tuple[Day, PlannedModel, EffectServer],
) -> None:
    box, planned, effects = day[0].box, day[1], day[2]
    healthy, troubles = cycle(HEALTHY), cycle((*Troubles.LASTING, *Troubles.ODD, *Troubles.ONCE))

    def well(_place: int) -> str:
        return next(healthy)

    def badly(_place: int) -> str:
        return f"clock {next(troubles)}"

    def restarted(_place: int) -> str:
        return f"restart {next(healthy)}"

    day[0].everybody(well, badly, badly, well)
    day[0].everybody(restarted, restarted, meanwhile=day[0].restart_actors)
    for number in (signal.SIGKILL, signal.SIGTERM):
        day[0].everybody(restarted, meanwhile=lambda number=number: day[0].restart(number))  # type: ignore[misc]
        box.start()
        day[0].everybody(well)
    day[0].everybody(well)

    check(day[0], planned, effects)


def check(day: Day, planned: PlannedModel, effects: EffectServer) -> None:
    """Every log, every line that was shown, every effect."""
    made = effects.count + Counter(day.box.lines) + Counter(day.box.notes)
    count = day.count
    for talker in day.talkers:
        turns = count.session(day.box.sessions / talker.session, talker.said, made)
        assert [turn.number for turn in turns if not turn.over] == []
        shown = day.box.asks("GET", f"/v1/session?session={talker.session}&last=1")
        assert (shown["label"]["class"], shown["label"]["untrusted"]) == turns[-1].label
        assert len(planned.baselines[talker.session]) == 1
    assert count.wrong == []
    assert planned.wrong == []
    assert count.counts["turns"] >= TURNS
    lasting = [
        one for talker in day.talkers for one in talker.said if one.text.split()[-1] in Troubles.LASTING
    ]
    assert {one.text.split()[-1] for one in lasting} == set(Troubles.LASTING)
    assert [one.text for one in lasting if one.result is None or one.result["failed"] is None] == []
    assert day.box.asks("GET", "/v1/audit-verify")["ok"]
