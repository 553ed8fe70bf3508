"""A stand-in for the embedded model's process: speaks its lines, serves nothing. Its argument is how."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def send(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)  # noqa: T201 - this is its wire


def main(way: str, note: Path) -> None:
    order = json.loads(sys.stdin.readline())
    with note.open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    started = len(note.read_text(encoding="utf-8").splitlines())
    if way == "dies":
        sys.exit(3)
    if way == "dies_once" and started == 1:
        os.kill(os.getpid(), 9)
    if way == "garbage":
        print("no JSON\n[1]\n{", flush=True)  # noqa: T201 - this is its wire
    if way == "fails" and started == 1:
        send("failed", sentence="the weights are somewhere else")
        sys.exit(1)
    send("progress", text="assembling the model's weights, 40 %")
    if way == "slow":
        time.sleep(30)
    send("ready", name="stand-in", context_tokens=order["context_tokens"])
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
