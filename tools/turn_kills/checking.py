"""What is not as it should be: the lines that clients were shown, against the logs and the effects."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.doubles.plain_session import LoggedTurn, epochs_of, turns_in
from tools.turn_kills.talking import Said

UNKNOWN = "unknown: "
"""How the result of a call begins whose outcome a crash has hidden."""

STRANGE, OWN = {"http_fetch"}, {"clock", "find_tool"}
"""Tools whose results are a stranger's words, and such whose are the box's own."""
NOT_BEGUN = "stopped before it began"
"""What is said of a message that was taken back before its turn."""


def only_stops(_said: Said, sentence: str) -> bool:
    """What may be told instead of a reply while nothing but kills and stops happens."""
    return sentence in {"stopped", NOT_BEGUN}


@dataclass
class Count:
    """What is wrong, and how much there was to look at.

    ``told`` says whether a message may come to a sentence in place of a reply.
    """

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    told: Callable[[Said, str], bool] = only_stops

    def resumed(self, session: str, turns: list[LoggedTurn], life: Iterable[Said]) -> None:
        """The turn that a kill had cut short was told before the next one began."""
        if not turns or turns[-1].over:
            return
        self.counts["cut short"] += 1
        number = turns[-1].number
        for said in life:
            began = [at for at, line in enumerate(said.lines) if line.get("turn") == number + 1]
            if said.session != session or not began:
                continue
            self.counts["told"] += 1
            before = [line["text"] for line in said.lines[: began[0]] if line["kind"] == "notice"]
            if not any(text.startswith(f"turn {number} (") and "interrupted" in text for text in before):
                self.wrong.append(f"{session}: turn {number} was cut short, and {said.text!r} was not told")

    def session(self, folder: Path, said: list[Said], effects: Counter[str]) -> list[LoggedTurn]:
        """One session's log: what was shown of it is there, each turn is over, each effect came once."""
        turns = turns_in(folder)
        of_log = (*_doubled(turns), *_open(turns), *_effects(turns, effects), *_labels(turns))
        self.wrong += [
            f"{folder.name}: {line}" for line in (*of_log, *_shown(turns, said), *self._untold(said))
        ]
        self.counts["turns"] += len(turns)
        self.counts["epochs"] += len(epochs_of(folder))
        self.counts["shown"] += sum(len(one.lines) for one in said)
        self.counts["calls"] += sum(len(turn.calls) for turn in turns)
        self.counts["effects"] += sum(
            effects[_effect(call)] for turn in turns for call in turn.calls.values()
        )
        unknown = (one for turn in turns for one in turn.results if one["content"].startswith(UNKNOWN))
        self.counts["unknown"] += sum(1 for _ in unknown)
        return turns

    def _untold(self, said: list[Said]) -> Iterator[str]:
        """Messages that came to a sentence and should have been replied."""
        for one in said:
            for line in one.lines:
                why = line["error"]["sentence"] if line["kind"] == "error" else line.get("failed")
                if why is not None and not self.told(one, why):
                    yield f"{one.text!r} came to: {why}"


def _doubled(turns: list[LoggedTurn]) -> Iterator[str]:
    for text, count in Counter(turn.said for turn in turns).items():
        if count > 1:
            yield f"{text!r} is {count} turns"


def _open(turns: list[LoggedTurn]) -> Iterator[str]:
    """Turns without an end, and calls without a result in one that has ended."""
    for turn in turns:
        if not turn.over and turn is not turns[-1]:
            yield f"turn {turn.number} was neither replied nor told as failed"
        elif turn.over:
            yield from (f"turn {turn.number}: {line}" for line in turn.wrong())


def _shown(turns: list[LoggedTurn], said: list[Said]) -> Iterator[str]:
    """What a client was shown is in the log."""
    for one in said:
        turn: LoggedTurn | None = None
        for line in one.lines:
            match line["kind"]:
                case "turn_started":
                    turn = turns[line["turn"] - 1] if line["turn"] <= len(turns) else None
                    if turn is None or turn.said != one.text:
                        yield f"{one.text!r} was shown as turn {line['turn']}, and is not in the log so"
                case "tool_ended" if turn is not None:
                    call = line["call"]
                    if not any(_is_it(call, result) for result in turn.results):
                        yield f"a result of {call['tool']} was shown in turn {turn.number}, and is lost"
                case "result":
                    yield from _ended(turn, line, one)
                case "error" if line["error"]["sentence"] == NOT_BEGUN:
                    yield from _refused(turns, one)
                case _:
                    pass


def _refused(turns: list[LoggedTurn], one: Said) -> Iterator[str]:
    """A message that was not taken is not in the log."""
    if any(turn.said == one.text for turn in turns):
        yield f"{one.text!r} was not taken, and is in the log"


def _is_it(shown: dict[str, Any], logged: dict[str, Any]) -> bool:
    keys = ("tool", "ok", "content", "class", "untrusted")
    return all(shown[key] == logged[key] for key in keys)


def _ended(turn: LoggedTurn | None, line: dict[str, Any], one: Said) -> Iterator[str]:
    result = line["result"]
    if turn is None:
        if result["reply"] is not None:
            yield f"{one.text!r} was replied without its beginning"
        return
    if (turn.reply, turn.failed) != (result["reply"], line["failed"]):
        yield f"turn {turn.number} ended otherwise in the log than was shown"
    shown = (result["label"]["class"], result["label"]["untrusted"])
    if shown != turn.label:
        yield f"turn {turn.number} was shown as {shown}, and is {turn.label}"


def _effect(call: dict[str, Any]) -> str:
    """The name of the effect that a call has; of none where it has none."""
    found = "".join(
        character if character.isalnum() or character in "._" else " " for character in call["arguments"]
    )
    return next((word for word in reversed(found.split()) if "_" in word and "." in word), "")


def _effects(turns: list[LoggedTurn], effects: Counter[str]) -> Iterator[str]:
    """Each effect at most once; once where its result says so, never where it says that it did not run."""
    results: defaultdict[tuple[int, str], dict[str, Any]] = defaultdict(dict)
    for turn in turns:
        results.update({(turn.number, result["call"]): result for result in turn.results})
        for name, call in turn.calls.items():
            effect = _effect(call)
            result = results[turn.number, name]
            made = effects[effect]
            if effect and made > 1:
                yield f"{effect} took effect {made} times"
            if effect and _changes(call) and result.get("ok") and made != 1:
                yield f"{effect} is said to be done, and took effect {made} times"
            if effect and made and "did not run" in result.get("content", ""):
                yield f"{effect} is said not to have run, and took effect"


def _labels(turns: list[LoggedTurn]) -> Iterator[str]:
    """A page is a stranger's text, whatever its grant says; the loop's own words are nobody's."""
    for turn in turns:
        for result in turn.results:
            if result["tool"] in STRANGE and result["ok"] and result["untrusted"] is not True:
                yield f"turn {turn.number}: a page of {result['tool']} is trusted"
            if result["tool"] in OWN and result["untrusted"] is not False:
                yield f"turn {turn.number}: {result['tool']} is a stranger's word"


def _changes(call: dict[str, Any]) -> bool:
    return call["name"] not in {"recall", "find_tool", "clock"}
