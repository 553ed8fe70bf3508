"""A second reading of the logs and of the decision table, written apart from the first (spec 3.1, 4.6).

It knows the form of a line, the records and the table by the specification alone, and imports nothing that
the box decides with but the search for secrets.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bxcore.sanitize import has_secret

NAME = re.compile(r"[A-Za-z0-9_-]{1,512}", re.ASCII)
State = tuple[str, str, bool]
"""The agent's peer name, and the session's class and taint when the turn ended."""
CLASSES = ["public", "private", "secret"]


@dataclass(frozen=True)
class PlainTurn:
    """What was said, the reply if there was one, and where it goes by the table: a workspace or a reason."""

    session: str
    turn: int
    said: str
    reply: str | None
    peer: str
    goes: str


def lines(data: bytes) -> Iterator[dict[str, Any]]:
    """The records of a log up to a torn tail; a broken line before one of a later batch is an error."""
    before = "00000000"
    found = [_framed(line) for line in data.split(b"\n")[:-1]]
    for number, framed in enumerate(found):
        if framed is None or framed["seq"] != number or framed["prev"] != before:
            later = [each for each in found[number:] if each is not None and each["b"] > number]
            assert not later, f"line {number} is damaged: line {later[0]['seq']} was written behind it"
            return
        before = framed["crc"]
        yield framed["record"]


def _framed(line: bytes) -> dict[str, Any] | None:
    """A line whose checksum holds."""
    match = re.fullmatch(rb'\{"crc":"([0-9a-f]{8})",(.*\})', line, re.DOTALL)
    if match is None or f"{zlib.crc32(match[2]):08x}".encode() != match[1]:
        return None
    framed: dict[str, Any] = json.loads(line)
    return framed


def files_of(folder: Path) -> list[bytes]:
    """What a session's log holds, an item an epoch."""
    names = [path.name for path in folder.iterdir() if re.fullmatch(r"[0-9]+\.jsonl", path.name)]
    assert sorted(names) == sorted(f"{epoch}.jsonl" for epoch in range(len(names))), (
        f"one is missing: {names}"
    )
    return [(folder / f"{epoch}.jsonl").read_bytes() for epoch in range(len(names))]


def records_of(files: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """The records of all epochs; one of a file that has no record yet never began."""
    read = [list(lines(data)) for data in files]
    while read and not read[-1]:
        read.pop()
    turns = 0
    for epoch, found in enumerate(read):
        start = found[0]
        said = (start["kind"], start.get("epoch", 0), start.get("turns", 0))
        assert said == ("session_start", epoch, turns) or not epoch, f"epoch {epoch} begins with {start}"
        turns += sum(record["kind"] == "user" for record in found)
        yield from found


def turns_of(session: str, files: Sequence[bytes], agent: str) -> list[PlainTurn]:
    """Every turn of a log, by the table; a later epoch has the label that the ones before it came to."""
    worst, tainted = 1, False
    found: list[PlainTurn] = []
    open_turn: dict[str, Any] | None = None
    reply: str | None = None

    def close() -> None:
        if open_turn is not None:
            state = (agent, CLASSES[worst], tainted)
            found.append(_decided(session, len(found) + 1, open_turn, reply, state))

    for record in records_of(files):
        match record["kind"]:
            case "session_start":
                label = CLASSES.index(record["class"]), record.get("untrusted", False)
                assert not record.get("epoch") or label == (worst, tainted), (
                    "the label changed with the epoch"
                )
                worst, tainted = label
            case "user":
                close()
                open_turn, reply = record, None
            case "assistant":
                reply = None if record["tool_calls"] else record["content"]
            case "tool_result":
                reply = None
                worst = max(worst, CLASSES.index(record["class"]))
                tainted = tainted or record["untrusted"]
            case _:
                pass
    close()
    return found


def _decided(session: str, turn: int, user: dict[str, Any], reply: str | None, state: State) -> PlainTurn:
    agent, level, tainted = state
    speaker = user.get("speaker") or ""
    peer = speaker.replace(".", "_")
    rows = [
        (level == "secret", "the session is secret"),
        (not speaker, "the turn has no single speaker"),
        (NAME.fullmatch(peer) is None, "the speaker is not a Honcho peer name"),
        (peer == agent, "the speaker has the agent's peer name"),
        (not (reply or "").strip(), "the turn has no reply"),
        (has_secret(user["text"]) or has_secret(reply or ""), "the turn's text holds a secret"),
        (tainted, "untrusted"),
        (True, "trusted"),
    ]
    goes = next(where for holds, where in rows if holds)
    return PlainTurn(session, turn, user["text"], reply, peer, goes)


def ledger(path: Path) -> dict[tuple[str, int], str]:
    """Where the box decided that each turn goes; a turn that is decided twice is an error."""
    rows: dict[tuple[str, int], str] = {}
    for row in lines(path.read_bytes()):
        key = (row["session"], row["turn"])
        assert key not in rows, f"turn {key} is decided twice"
        rows[key] = row.get("skip") or row["workspace"]
    return rows
