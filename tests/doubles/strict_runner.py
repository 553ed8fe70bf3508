"""A memory and a runner that look at the disk before they act: what must have been written, was it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from actors.base import Actor, Context, Refusal
from bxcore import policy
from bxcore.grants import BUILT_IN, Grant, Mode, WhenUntrusted
from bxcore.labels import Label, Level, join
from bxcore.messages.memory import EditMemory, MemoryMessage, Recall
from bxcore.messages.runner import RunTool
from bxcore.policy import Call, Ruling
from bxcore.repeats import TurnCalls
from bxcore.tool_answer import ToolAnswer


@dataclass
class Rules:
    """What may run now, by the test's own account; ``faults`` are sentences of what ran all the same."""

    folder: Path
    now: datetime
    owners: list[Grant] = field(default_factory=list)
    labels: dict[str, Label] = field(default_factory=dict)
    """The label of each session by its log."""
    asked: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Tool and arguments of each call."""
    ran: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    _read: list[dict[str, Any]] = field(default_factory=list)
    _bytes: int = 0

    def lines(self) -> list[dict[str, Any]]:
        """The audit as it is on disk now; what was read is not read again."""
        with (self.folder / "audit.jsonl").open("rb") as file:
            file.seek(self._bytes)
            new = file.read()
        self._bytes += len(new)
        self._read += [json.loads(line) for line in new.splitlines()]
        return self._read

    def runs(self, session: str, tool: str) -> None:
        """A call of ``session`` reached who runs it: check all that must hold by then."""
        intents = [line for line in self.lines() if line["kind"] == "intent" and line["session"] == session]
        if not intents or intents[-1]["tool"] != tool or intents[-1]["decision"] != "allowed":
            self.faults.append(f"{session}: {tool} ran without its intent on disk")
            return
        intent = intents[-1]
        key = session, intent["call"]
        self.ran[key] += 1
        if self.ran[key] > 1:
            self.faults.append(f"{key} ran twice")
        self._check_label(key, intent)
        self._check_approval(key, intent)

    def _check_label(self, key: tuple[str, str], intent: dict[str, Any]) -> None:
        label, granted = _label(intent["label"]), self._grant(intent["grant"])
        if join(label, self.labels[key[0]]) != label:
            self.faults.append(f"{key} was decided at {label}, below the log's {self.labels[key[0]]}")
        if granted is None or granted.sha256 != intent["grant_sha256"]:
            self.faults.append(f"{key} ran under {intent['grant']}, which is not in force")
        elif label.level > granted.max_taint:
            self.faults.append(f"{key} ran at {label} above the max_taint of {granted.id}")

    def _check_approval(self, key: tuple[str, str], intent: dict[str, Any]) -> None:
        tool, arguments = self.asked[key]
        ruling = self.ruling(tool, arguments, _label(intent["label"]))
        ends = {line["code"]: line for line in self.lines() if line["kind"] == "approval_ended"}
        end = ends.get(intent["approval"])
        approved = end is not None and end["how"] in {"approved", "session"} and end["session"] == key[0]
        if ruling is Ruling.REFUSE or (ruling is Ruling.ASK and not approved):
            self.faults.append(f"{key} ran, by the policy it is: {ruling}")
        if approved and end is not None and end["how"] == "approved" and end["call"] != key[1]:
            self.faults.append(f"{key} ran by the approval of {end['call']}")

    def ruling(self, tool: str, arguments: str, label: Label, made: int = 0) -> Ruling:
        """What the policy says by itself."""
        call = Call(tool=tool, arguments=arguments, state=label, calls=TurnCalls(turn=1, made=made))
        return policy.decide(call, (*BUILT_IN, *self.owners), self.now).outcome

    def _grant(self, name: str) -> Grant | None:
        return next((grant for grant in (*BUILT_IN, *self.owners) if grant.id == name), None)


def _label(record: dict[str, Any]) -> Label:
    return Label(Level.parse(record["class"]), record["untrusted"])


class StrictRunner(Actor):
    """Runs nothing: looks, then answers at once, with a refusal, with a crash, or never."""

    def __init__(self, context: Context, rules: Rules, chance: random.Random) -> None:
        super().__init__(context)
        self._rules = rules
        self._chance = chance

    def on_receive(self, message: RunTool | MemoryMessage) -> object:
        if isinstance(message, RunTool | Recall | EditMemory):
            self._rules.runs(message.session, message.args.TOOL)
        match self._chance.choice(["now", "now", "now", "never", "refuse", "crash"]):
            case "never":
                self.reply_later()
            case "refuse":
                raise Refusal("not now")
            case "crash":
                raise RuntimeError("a bad day")
            case _:
                level = self._chance.choice([Level.PUBLIC, Level.PRIVATE, Level.PRIVATE, Level.SECRET])
                label = Label(level, self._chance.random() < 0.2)
                return ToolAnswer(ok=True, content=str(self._chance.random()), label=label)
        return None


CALLS: Sequence[tuple[str, str]] = (
    ("recall", '{{"query":"q{}"}}'),
    ("memory", '{{"action":"add","file":"notes","text":"n{}"}}'),
    ("shell", '{{"command":"ls {}"}}'),
    ("shell", '{{"command":"rm {}"}}'),
    ("read_file", '{{"path":"notes/{}"}}'),
    ("read_file", '{{"path":"/tmp/{}"}}'),
    ("write_file", '{{"path":"n{}","content":"x"}}'),
    ("http_fetch", '{{"url":"https://a.example.org/{}"}}'),
    ("http_fetch", '{{"url":"https://b.example.org/{}"}}'),
    ("nonsense", "{}"),
)
"""Tools and arguments; the number makes each call its own."""


def any_grants(chance: random.Random, now: datetime) -> list[Grant]:
    """A set of grants as owners would not dare to write it."""
    return [_any_grant(chance, f"g{number}", now) for number in range(chance.randrange(1, 8))]


def _any_grant(chance: random.Random, name: str, now: datetime) -> Grant:
    tool = chance.choice(["shell", "read_file", "write_file", "http_fetch"])
    fields: dict[str, Any] = {
        "mode": chance.choice([Mode.AUTO, Mode.AUTO, Mode.ASK, Mode.ASK, Mode.DENY]),
        "max_taint": chance.choice([*Level, Level.SECRET]),
        "result_class": chance.choice([*Level]),
        "untrusted": chance.random() < 0.4,
        "when_untrusted": chance.choice([*WhenUntrusted]),
        "expires": chance.choice([None, None, None, now]),
    }
    match tool:
        case "shell":
            fields["commands"] = chance.choice([(), ("ls",)])
        case "http_fetch":
            fields["hosts"] = chance.choice([("a.example.org",), ("*.example.org",)])
        case _:
            fields["paths"] = chance.choice([(), ("/tmp",)])
            fields["read_only"] = chance.random() < 0.3
    return Grant(id=name, tool=tool, text=f"{name} {tool} {sorted(map(str, fields.items()))}", **fields)
