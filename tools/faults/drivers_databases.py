"""Drivers of the databases: the recall index, which is a cache, and embedded Honcho's, which is none."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bxcore.errors import SentenceError, system_reason
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxcore.recall_hits import Note
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer, NewMessage
from bxio.recall import RecallIndex
from tools.faults.driver import missing, tried

TIMES = range(1, 3)
"""Things that a driver does, by number."""
HIDDEN = "marmalade"
"""What is to be forgotten."""
FAR_S = 30.0


def _client(folder: Path) -> HonchoClient:
    try:
        embedded = EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker")
    except OSError as error:  # as the start says it
        raise SentenceError(f"{error.filename} cannot be used: {system_reason(error)}") from None
    return HonchoClient(HonchoServer(transport=embedded.transport))


def _say(client: HonchoClient, number: int, text: str) -> None:
    message = NewMessage(peer="owner", content=text, metadata={"turn": number})
    client.append("boxmaker", "k3f", [message], time.monotonic() + FAR_S)


def _said(client: HonchoClient) -> list[int]:
    found = client.find("boxmaker", "k3f", {}, time.monotonic() + FAR_S)
    return [message.metadata["turn"] for message in found]


def honcho(folder: Path) -> Iterator[int]:
    """Messages."""
    client = _client(folder)
    for number in TIMES:
        yield from tried(number, partial(_say, client, number, f"said {number}"))


def honcho_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every message once, and room for more."""
    client = _client(folder)
    _say(client, 99, "said 99")
    yield from missing([*acknowledged, 99], _said(client))


def something_said(folder: Path) -> None:
    """A session that is to be erased."""
    embedded = EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker")
    client = HonchoClient(HonchoServer(transport=embedded.transport))
    for number in TIMES:
        _say(client, number, f"{HIDDEN} {number}")
    embedded.close()


def erase(folder: Path) -> Iterator[int]:
    """Erase a session."""
    client = _client(folder)
    yield from tried(1, lambda: client.delete_session("boxmaker", "k3f", time.monotonic() + FAR_S))


def erase_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """It is there whole or gone, and once it is gone no file holds a word of it."""
    client = _client(folder)
    there = _said(client)
    if there not in ([], list(TIMES)) or (there and acknowledged):
        yield f"after an erasing that was {'' if acknowledged else 'not '}acknowledged it holds {there}"
    if acknowledged:
        yield from _left(folder)
    client.delete_session("boxmaker", "k3f", time.monotonic() + FAR_S)
    yield from _left(folder)


def _left(folder: Path) -> Iterator[str]:
    held = [path for path in folder.rglob("*") if path.is_file() and HIDDEN.encode() in path.read_bytes()]
    if held:
        yield f"it is forgotten and there: {[path.name for path in held]}"


def _turn(number: int, word: str = "ladder") -> FinishedTurn:
    return FinishedTurn(
        session="k3f", turn=number, at="", user=f"the {word} {number}", reply="noted", label=NEW_SESSION
    )


def _index(folder: Path) -> RecallIndex:
    return RecallIndex.open(folder / "recall.sqlite")


def _take_in(index: RecallIndex, number: int, word: str = "ladder") -> None:
    """Take in what is not in yet, as memory does after a failure."""
    wanted = range(index.turns_in("k3f", "l") + 1, number + 1)
    turns = [_turn(each, word) for each in wanted]
    index.add_turns("k3f", turns, size=number, upto=number, log="l")
    index.set_notes([Note(text=f"note {number}", label=NEW_SESSION)])
    index.settle(least=1)


def recall(folder: Path) -> Iterator[int]:
    """Turns and a note."""
    index = _index(folder)
    for number in TIMES:
        yield from tried(number, partial(_take_in, index, number))
        yield from tried(10 + number, partial(_found, index))


def _found(index: RecallIndex) -> list[int]:
    return sorted(hit.turn for hit in index.search("ladder", k=10, without=""))


def recall_is(folder: Path, _acknowledged: Sequence[int]) -> Iterator[str]:
    """A cache: what it says it has is found, or it was made anew; and it takes in more."""
    index = _index(folder)
    known, found = index.turns_in("k3f", "l"), _found(index)
    if found != list(range(1, known + 1)):
        yield f"it says that turns up to {known} are in, and finds {found}"
    _take_in(index, 9)
    if _found(index) != list(range(1, 10)):
        yield f"after all is taken in anew it finds {_found(index)}"
    index.close()


def something_indexed(folder: Path) -> None:
    """Turns, the second of which is to be forgotten."""
    index = _index(folder)
    for number, word in enumerate(("ladder", HIDDEN, "ladder"), 1):
        _take_in(index, number, word)
    index.close()


def recall_forget(folder: Path) -> Iterator[int]:
    """Forget a turn."""
    yield from tried(1, lambda: _index(folder).forget("k3f", [2], size=1))


def recall_forget_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Once it is forgotten no file holds a word of it; the others are found."""
    if acknowledged:
        yield from _left(folder)
    index = _index(folder)
    if index.counts()[0]:  # else it was made anew
        index.forget("k3f", [2], size=1)
        if _found(index) != [1, 3]:
            yield f"the others are not found, but {_found(index)}"
    index.close()
    yield from _left(folder)
