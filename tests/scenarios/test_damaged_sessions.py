"""A long session of a real box with one of its epochs harmed: repaired and said, or refused with what to do.

The table has what the person reads in a chat and in ``sessions show``, for the first of five epochs, one in
the middle and the last. One box lives through all of it: each harm is done to a session of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bxcore.doctor import Check
from bxcore.records import Assistant, SessionStart, Usage, User
from bxctl.examining import kept_sessions
from bxio.session_store import SessionStore, new_log
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, run

pytestmark = pytest.mark.timeout(180)
EPOCHS = 5
PLACES = {"first": 0, "middle": 2, "last": 4}


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def _damaged(path: Path) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"record":{"', b'"record":{"_')
    path.write_bytes(b"\n".join(lines))


def _opened(path: Path) -> None:
    path.chmod(0o644)


HARMS: Mapping[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": _empty,
    "torn": _torn,
    "damaged": _damaged,
    "open to others": _opened,
}
GOES_ON = ""
WHOLE = "message 9"
LOST = "> (no reply: its part of the log is lost)"
RESTORE = "restore it from a backup"
TALK = f"{RESTORE}, or talk in another session"


@dataclass(frozen=True, slots=True)
class Told:
    """What stands in a chat's notices or refusal, in ``sessions show``, in doctor's line; empty for none.

    ``chats`` is whether there was a reply.
    """

    chat: str
    shown: str
    doctor: str
    chats: bool


NO_START = "the session cannot go on until it is whole"
NOT_SHOWN = "the session goes on, and is not shown until it is whole"
TABLE: Mapping[tuple[str, str], Told] = {
    ("first", "missing"): Told(
        f"0.jsonl is missing, and 1.jsonl is there; {TALK}",
        f"1.jsonl is there; {TALK}",
        NO_START,
        chats=False,
    ),
    ("first", "empty"): Told(
        f"0.jsonl is empty, and had begun; {TALK}",
        f"0.jsonl is empty, and had begun; {TALK}",
        NO_START,
        chats=False,
    ),
    ("first", "torn"): Told(
        GOES_ON,
        f"line 7 of the log is damaged; {RESTORE}",
        f"line 7 of the log is damaged; {NOT_SHOWN}",
        chats=True,
    ),
    ("first", "damaged"): Told(
        GOES_ON,
        f"line 2 of the log is damaged, and later lines are whole; {RESTORE}",
        f"line 2 of the log is damaged, and later lines are whole; {NOT_SHOWN}",
        chats=True,
    ),
    ("first", "open to others"): Told(GOES_ON, WHOLE, "0.jsonl is open to others -> chmod 600", chats=True),
    ("middle", "missing"): Told(
        f"2.jsonl is missing, and 3.jsonl is there; {TALK}",
        f"3.jsonl is there; {TALK}",
        NO_START,
        chats=False,
    ),
    ("middle", "empty"): Told(
        f"2.jsonl is empty, and had begun; {TALK}",
        f"2.jsonl is empty, and had begun; {TALK}",
        NO_START,
        chats=False,
    ),
    ("middle", "torn"): Told(
        GOES_ON,
        f"2.jsonl: line 7 of the log is damaged; {RESTORE}",
        f"2.jsonl: line 7 of the log is damaged; {NOT_SHOWN}",
        chats=True,
    ),
    ("middle", "damaged"): Told(
        GOES_ON,
        f"2.jsonl: line 2 of the log is damaged, and later lines are whole; {RESTORE}",
        f"2.jsonl: line 2 of the log is damaged, and later lines are whole; {NOT_SHOWN}",
        chats=True,
    ),
    ("middle", "open to others"): Told(GOES_ON, WHOLE, "2.jsonl is open to others -> chmod 600", chats=True),
    ("last", "missing"): Told(
        "its log has 8 turns, and the ledger knows 2 more: these are lost, unless a backup has them",
        LOST,
        "has lost its last turns, 2 of them; it goes on without them, and says so",
        chats=True,
    ),
    ("last", "empty"): Told(
        f"4.jsonl is empty, and had begun; {TALK}",
        f"4.jsonl is empty, and had begun; {TALK}",
        NO_START,
        chats=False,
    ),
    ("last", "torn"): Told(
        "bytes of a torn last line were cut and kept in 4.jsonl.torn-1", WHOLE, "", chats=True
    ),
    ("last", "damaged"): Told(
        f"line 2 of the log is damaged, and later lines are whole; it is left as it is, {RESTORE}",
        f"4.jsonl: line 2 of the log is damaged, and later lines are whole; {RESTORE}",
        f"line 2 of the log is damaged, and later lines are whole; {NO_START}",
        chats=False,
    ),
    ("last", "open to others"): Told(
        "4.jsonl is open to others; type chmod 600",
        WHOLE,
        "4.jsonl is open to others; the session cannot go on until",
        chats=False,
    ),
}


def _name(place: str, harm: str) -> str:
    return f"{place}-{harm.split(maxsplit=1)[0]}"


def _answer(body: Mapping[str, Any]) -> Step:
    return {"say": f"You said: {body['messages'][-1]['content'].splitlines()[-1]}"}


def _lengthen(sessions: Path, session: str, template: Path) -> Path:
    """A session of five epochs with two turns each, on the baseline of one that the box has made."""
    shutil.copytree(template, sessions / session)
    store = SessionStore(sessions)
    [start, *_] = store.read(session)
    assert isinstance(start, SessionStart)
    (sessions / session / "0.jsonl").unlink()
    (sessions / session / "baseline.json").rename(sessions / session / "baseline.json.next")
    log, opened = new_log(), store.open(session)
    for epoch in range(EPOCHS):
        begun = SessionStart(
            baseline=start.baseline, log=log, epoch=epoch, turns=opened.turns, tools=start.tools
        )
        if epoch:
            opened.begin_epoch(begun)
        else:
            opened.append([begun])
        for number in range(opened.turns, opened.turns + 2):
            said = User(text=f"message {number} of {session}", speaker="owner")
            opened.append([said, Assistant(content="yes")])
            opened.append([Usage()], sync=False)
    opened.append([])
    opened.close()
    return sessions / session


def _wait_until_indexed(box: Box) -> None:
    """The memory has decided and indexed every turn."""
    wanted = f"recall: {1 + len(TABLE) * EPOCHS * 2} turns"
    said = ""
    for _ in range(100):
        said = box.bxctl("doctor").stdout
        if wanted in said:
            return
    raise AssertionError(said)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box that took in all these sessions, and was started again behind the harm, without its index."""
    with ModelServer(_answer) as server:
        made = Box(
            tmp_path_factory.mktemp("harmed") / "home", f'[model]\nurl = "{server.url}"\nprofile = "native"\n'
        )
        state = made.home / "state"
        with made:
            made.chat("hello", session="template")
            made.stop()
            template = state / "sessions" / "template"
            folders = {key: _lengthen(state / "sessions", _name(*key), template) for key in TABLE}
            made.start()
            _wait_until_indexed(made)
            made.stop()
            for (place, harm), folder in folders.items():
                HARMS[harm](folder / f"{PLACES[place]}.jsonl")
            (state / "recall.sqlite").unlink()
            made.start()
            yield made


@pytest.fixture(scope="module")
def doctor(box: Box) -> list[Check]:
    """Its word on every session, though it names ten at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_sessions, "SHOWN", len(TABLE))
        return list(kept_sessions.session_checks(box.home / "state", 20.0))


def _is_remembered(box: Box, word: str) -> bool:
    return any(word in box.bxctl("memory", "search", word).stdout for _ in range(20))


@pytest.mark.parametrize(("place", "harm"), TABLE)
def test_a_harmed_epoch_is_repaired_and_said_or_refused_with_what_to_do(
    box: Box, doctor: list[Check], place: str, harm: str
) -> None:
    told, session = TABLE[place, harm], _name(place, harm)
    lines = [f"{each.sentence} -> {each.help}" for each in doctor if each.name == f"session {session}"]
    assert len(lines) == bool(told.doctor), doctor
    assert all(told.doctor in line for line in lines), lines
    word = f"heron{place}{harm.split(maxsplit=1)[0]}"
    done = run("bxctl.boxmaker", "chat", "--home", str(box.home), "--session", session, "-m", word)
    assert (done.returncode == 0, bool(done.stdout)) == (told.chats, told.chats), done
    assert told.chat in done.stderr
    assert bool(done.stderr) == bool(told.chat), done.stderr
    if told.chats:
        assert _is_remembered(box, word)
    shown = box.bxctl("sessions", "show", session)
    assert told.shown in shown.stdout + shown.stderr
    assert (shown.returncode == 0) == (told.shown in {WHOLE, LOST})


def test_the_table_has_each_place_and_each_harm() -> None:
    assert set(TABLE) == {(place, harm) for place in PLACES for harm in HARMS}
