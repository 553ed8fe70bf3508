"""A process with a loop, a scripted model and a broker, that takes turns until it is killed.

``python -m tests.doubles.loop_process FOLDER``: prints a JSON line for what the person has seen: each notice,
each result on disk, and each reply. Every turn writes a note through a call, and has a reply of 200 kB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from actors.base import Actor, Context
from bxcore.messages.loop import Notice, Say, ToolEnded, TurnEvent
from tests.doubles.loop_bench import LoopBench
from tests.doubles.model_server import ModelServer, Step
from tests.kit.real_kit import RealKit

REPLY = "".join(f"{number:x}" for number in range(50_000))
"""Long, and not going round in circles, for such an answer is cut."""


class Printer(Actor):
    """The person's screen."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)

    def on_receive(self, message: TurnEvent) -> None:
        match message:
            case Notice(text=text):
                say({"notice": text})
            case ToolEnded(call=call):
                say({"result": call})
            case _:
                pass


def say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def choose(body: Mapping[str, Any]) -> Step:
    """A call first, then the reply."""
    if body["messages"][-1]["role"] == "tool":
        return {"say": REPLY, "piece": len(REPLY)}
    return {"call": ["memory", {"action": "add", "file": "notes", "text": "x"}]}


def main(folder: Path) -> None:
    kit = RealKit()
    with ModelServer(choose) as server:
        bench = LoopBench(runtime=kit.runtime, folder=folder, probe=kit.probe, server=server).start()
        screen = kit.runtime.start("screen", Printer, bound=10_000)
        for number in count(1):
            result = bench.ask(Say(session="k3f", text=f"text {number}", listener=screen), 20.0)
            say({"turn": result.turn, "failed": result.failed})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
