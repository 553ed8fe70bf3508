"""A session of thousands of turns on a small window, in a real box with a scripted model.

    python -m tools.long_session --turns 2000

Early on a fact is said, and a stranger's words are read. The session has to go on through all its epochs
without a failed turn, its label kept, and at the end the session itself has to find the fact by recall,
though the model has not seen it for long. A reading of the logs apart from the box's own counts the turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bxcore.epoch_summary import ASK
from tests.doubles import plain_reader
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

WINDOW = 8192
FACT = "Remember: the combination of the bicycle lock is 7319."
QUESTION = "What is the combination of the bicycle lock?"
STRANGER = "What did the pedlar write?"
LETTER = [{"role": "user", "content": "a pedlar writes"}, {"role": "assistant", "content": "pedlar, noted"}]
AT_ONCE = 100
"""Turns that one chat says."""
TURN_S = 5.0


def answer(body: Mapping[str, Any]) -> Step:
    """Look up what is asked for, sum up when asked to, and reply to all else at some length."""
    last = body["messages"][-1]
    text = str(last["content"])
    if text.endswith(ASK):
        return {"say": "They talk of this and that."}
    asked = max(place for place, message in enumerate(body["messages"]) if message["role"] == "user")
    said = str(body["messages"][asked]["content"]).splitlines()[-1]
    if said in {QUESTION, STRANGER}:
        found = last["role"] == "tool" and last["tool_call_id"].startswith("t")
        return {"say": f"found: {text}"} if found else {"call": ["recall", {"query": said}]}
    return {"say": f"heard {said} " + "and so on " * 20}


@dataclass
class Lived:
    """What a session came to; ``wrong`` has a sentence for each thing that is not as it must be."""

    turns: int = 0
    epochs: int = 0
    resumed_s: float = 0.0
    """What the first turn after a restart of the box took, its process with it."""
    early_s: float = 0.0
    late_s: float = 0.0
    """What a turn took in the first, and in the last of the chats."""
    most_tokens: int = 0
    wrong: list[str] = field(default_factory=list)


def live(home: Path, turns: int) -> Lived:
    """Talk, restart the box, and ask for the fact."""
    lived = Lived()
    with ModelServer(answer) as model:
        toml = f'[model]\nurl = "{model.url}"\nprofile = "native"\ncontext_tokens = {WINDOW}\n'
        with Box(home, toml) as box:
            _import(box)
            _talk(box, turns, lived)
            box.stop()
        with Box(home, toml) as box:
            began_s = time.monotonic()
            _check(box.chat("Are you still there?"), lived)
            lived.resumed_s = time.monotonic() - began_s
            (asked,) = box.chat(QUESTION)
            if "7319" not in str(asked["reply"]):
                lived.wrong.append(f"the fact is not found: {asked['reply']}")
            _check([asked], lived)
        lived.most_tokens = max(len(json.dumps(body["messages"])) // 3 for body in model.chats)
    _count(home, turns + 2, lived)
    return lived


def _import(box: Box) -> None:
    letter = box.home / "letter.json"
    letter.write_text(json.dumps(LETTER))
    done = box.bxctl("memory", "import", str(letter), "--yes")
    assert done.returncode == 0, done.stderr


def _talk(box: Box, turns: int, lived: Lived) -> None:
    texts = [FACT, STRANGER, *(f"message {number}: " + "words " * 30 for number in range(3, turns + 1))]
    for start in range(0, turns, AT_ONCE):
        some = texts[start : start + AT_ONCE]
        began_s = time.monotonic()
        said = box.chat(*some, timeout_s=TURN_S * len(some))
        lived.late_s = (time.monotonic() - began_s) / len(some)
        lived.early_s = lived.early_s or lived.late_s
        _check(said if start else said[2:], lived)


def _check(said: Sequence[Mapping[str, Any]], lived: Lived) -> None:
    """Each turn has its reply, and the label that the stranger's words raised."""
    lived.turns += len(said)
    for turn in said:
        if turn["reply"] is None:
            lived.wrong.append(f"turn {turn['turn']} failed: {turn.get('failed')}")
        label = turn["label"]
        if label != {"class": "private", "untrusted": True}:
            lived.wrong.append(f"turn {turn['turn']} has the label {label}")


def _count(home: Path, turns: int, lived: Lived) -> None:
    files = plain_reader.files_of(home / "state" / "sessions" / "main")
    read = plain_reader.turns_of("main", files, "boxmaker")
    lived.epochs = len(files)
    if len(read) != turns:
        lived.wrong.append(f"the logs hold {len(read)} turns, and {turns} were said")
    lived.wrong += [f"turn {turn.turn} has no reply in the log" for turn in read if turn.reply is None]
    if lived.most_tokens > WINDOW:
        lived.wrong.append(f"a request of {lived.most_tokens} tokens was sent to a window of {WINDOW}")


def main() -> int:
    """Exit 1 when something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=2000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="long-") as folder:
        lived = live(Path(folder) / "home", args.turns)
    print(
        f"{lived.turns} turns, {lived.epochs} epochs, a turn {lived.early_s * 1000:.0f} ms at first and "
        f"{lived.late_s * 1000:.0f} ms at last, resumed in {lived.resumed_s:.2f} s with a chat's start, "
        f"at most {lived.most_tokens} tokens a request"
    )
    for line in lived.wrong:
        print(line)
    return 1 if lived.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
