"""MCP servers at the wire, one for each way to be bad: ``python -m tests.doubles.mcp_servers WAY``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

TOOL = {"name": "echo", "description": "Say it back", "inputSchema": {"type": "object"}}
FLOOD = 20_000_000
LONG = 4_000_000
FOREVER_S = 600.0


def read() -> dict[str, Any]:
    """The next message of the client; ends with it."""
    said = sys.stdin.readline()
    if not said:
        sys.exit(0)
    found: dict[str, Any] = json.loads(said)
    return found


def line(said: str) -> None:
    """One line of ours, whatever it is."""
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def write(**message: Any) -> None:
    """One message of ours."""
    line(json.dumps({"jsonrpc": "2.0", **message}))


def greeted(tools: list[dict[str, Any]]) -> None:
    """Shake hands, and answer one list of tools."""
    while True:
        asked = read()
        match asked.get("method"):
            case "initialize":
                version = asked["params"]["protocolVersion"]
                info = {"name": "bad\nserver", "version": "1"}
                able = {"tools": {"listChanged": True}}
                result = {"protocolVersion": version, "capabilities": able, "serverInfo": info}
                write(id=asked["id"], result=result)
            case "tools/list":
                write(id=asked["id"], result={"tools": tools})
                return
            case _:
                pass


def call() -> dict[str, Any]:
    """The next call of a tool."""
    while (asked := read()).get("method") != "tools/call":
        if asked.get("method") == "tools/list":
            write(id=asked["id"], result={"tools": [TOOL]})
    return asked


def text(said: str) -> dict[str, Any]:
    """A result of one text."""
    return {"content": [{"type": "text", "text": said}]}


def dies() -> None:
    """End in the middle of a call, the effect done."""
    greeted([TOOL])
    call()
    os.kill(os.getpid(), signal.SIGKILL)


def silent() -> None:
    """Never answer a call; leave a child that ignores every signal that can be."""
    subprocess.Popen(["sh", "-c", "trap '' TERM INT HUP; sleep 600"])
    greeted([TOOL])
    while True:
        call()


def twice() -> None:
    """Answer each call twice, and calls that nobody made."""
    greeted([TOOL])
    while True:
        asked = call()
        write(id=99_999, result=text("nobody asked"))
        write(id=asked["id"], result=text("first"))
        write(id=asked["id"], result=text("second"))


def garbage() -> None:
    """Write what is no message between the messages, and ask the client for things."""
    line("\x00\xff not json")
    greeted([TOOL])
    while True:
        asked = call()
        line("[" * 100)
        write(method="notifications/nothing", params={})
        for number, method in enumerate(("sampling/createMessage", "roots/list", "elicitation/create")):
            write(id=f"s{number}", method=method, params={"messages": [], "maxTokens": 1, "message": "x"})
        refused = [read() for _ in range(3)]
        write(
            id=asked["id"], result=text(" ".join(sorted(each["id"] for each in refused if "error" in each)))
        )


def flood() -> None:
    """Answer with more than anybody can want, on one line."""
    greeted([TOOL])
    asked = call()
    write(id=asked["id"], result=text("x" * FLOOD))
    time.sleep(FOREVER_S)


def long() -> None:
    """Answer with more than anybody can want, and less than a message may have."""
    greeted([TOOL])
    while True:
        write(id=call()["id"], result=text("x" * LONG))


def hasty() -> None:
    """Answer, and be gone at once; leave a child in the group and one that has its own."""
    greeted([TOOL])
    asked = call()
    for own in (False, True):
        quiet = subprocess.DEVNULL
        subprocess.Popen(["sleep", "600"], start_new_session=own, stdin=quiet, stdout=quiet, stderr=quiet)
    write(id=asked["id"], result=text("done"))


def deaf() -> None:
    """Read nothing after the greeting, and end for no signal that one can refuse."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    greeted([TOOL])
    time.sleep(FOREVER_S)


def odd() -> None:
    """List tools whose names, words and schemas are odd."""
    odd_ones: list[dict[str, Any]] = [
        {**TOOL, "name": name} for name in ("a b", "", "x" * 100, "ok", "ok", "../up", "a.b")
    ]
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(40):
        deep = {"type": "object", "properties": {"p": deep}}
    odd_ones += [{**TOOL, "name": "deep", "inputSchema": deep}]
    odd_ones += [{**TOOL, "name": f"t{number}"} for number in range(300)]
    greeted(odd_ones)
    while True:
        write(id=call()["id"], result=text("fine"))


def hangs() -> None:
    """Never shake hands."""
    time.sleep(FOREVER_S)


def main() -> None:
    """Be one of them."""
    globals()[sys.argv[1]]()


if __name__ == "__main__":
    main()
