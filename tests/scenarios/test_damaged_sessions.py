"""A long session of a real box with one of its epochs harmed: repaired and said, or refused with what to do.

The table has what the person reads in a chat and in ``sessions show``, for the first of five epochs, one in
the middle and the last. One box lives through all of it: each harm is done to a session of its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bxcore import journal, records
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
ASKS_A_STRANGER = "what of the stranger?"
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


def _without_log(folder: Path) -> None:
    (folder / "0.jsonl").unlink()


def _emptied(folder: Path) -> None:
    (folder / "0.jsonl").write_bytes(b"")


def _without_baseline(folder: Path) -> None:
    (folder / "baseline.json").unlink()


def _other_baseline(folder: Path) -> None:
    (folder / "baseline.json").write_bytes(b"{}")


LITTLE: Mapping[str, Callable[[Path], object]] = {
    "emptied": _emptied,
    "unlogged": _without_log,
    "unbased": _without_baseline,
    "based": _other_baseline,
    "deleted": shutil.rmtree,
}
ANEW = "at its next turn the session goes on with a new one -> restore it before that, or do nothing"
YOUNG: Mapping[str, Told] = {
    "emptied": Told(f"0.jsonl is empty, and had begun; {TALK}", f"; {TALK}", NO_START, chats=False),
    "unlogged": Told(
        f"0.jsonl is missing, and baseline.json is there; {TALK}", f"; {TALK}", NO_START, chats=False
    ),
    "unbased": Told(
        "session unbased: its baseline.json is missing; it goes on with a new one",
        "[2] hello",
        ANEW,
        chats=True,
    ),
    "based": Told(
        "its baseline.json was changed since it started, and is kept as baseline.json.damaged-1",
        "[2] hello",
        ANEW,
        chats=True,
    ),
    "deleted": Told(
        "session deleted had 1 turn, and its log is gone: this is a new one of that name",
        "[1] hello",
        "",
        chats=True,
    ),
}


def _name(place: str, harm: str) -> str:
    return f"{place}-{harm.split(maxsplit=1)[0]}"


def _answer(body: Mapping[str, Any]) -> Step:
    last = body["messages"][-1]
    if last["role"] == "user" and ASKS_A_STRANGER in last["content"]:
        return {"call": ["recall", {"query": "osprey"}]}
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


def _shorten(sessions: Path, session: str, template: Path) -> None:
    """A session of the one turn that the template has, with a log of its own name."""
    shutil.copytree(template, sessions / session)
    found = SessionStore(sessions).read(session)
    start = found[0]
    assert isinstance(start, SessionStart)
    (sessions / session / "0.jsonl").write_bytes(
        journal.written(map(records.dump, (replace(start, log=new_log()), *found[1:])))
    )


def _stranger(sessions: Path) -> None:
    """An untrusted session of one turn."""
    opened = SessionStore(sessions).open("stranger")
    said = User(text="the osprey nests in the oak", speaker="stranger")
    opened.append(
        [SessionStart(baseline="", log=new_log(), untrusted=True), said, Assistant(content="yes"), Usage()]
    )
    opened.close()


def _cut_to_its_first_turn(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    second = [place for place, line in enumerate(lines) if b'"kind":"user"' in line][1]
    path.write_bytes(b"".join(lines[:second]))


def _wait_until_indexed(box: Box, more: int = 0) -> None:
    """The memory has decided and indexed every turn."""
    wanted = f"recall: {more + 2 + len(LITTLE) + len(TABLE) * EPOCHS * 2} turns"
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
            _stranger(state / "sessions")
            for name in LITTLE:
                _shorten(state / "sessions", name, template)
            folders = {key: _lengthen(state / "sessions", _name(*key), template) for key in TABLE}
            made.start()
            _wait_until_indexed(made)
            for name in ("cut", "gone"):
                told = made.chat("hello", ASKS_A_STRANGER, session=name)
                assert [turn["label"]["untrusted"] for turn in told] == [False, True]
            _wait_until_indexed(made, more=4)
            made.stop()
            _cut_to_its_first_turn(state / "sessions" / "cut" / "0.jsonl")
            shutil.rmtree(state / "sessions" / "gone")
            for (place, harm), folder in folders.items():
                HARMS[harm](folder / f"{PLACES[place]}.jsonl")
            for name, harm_to in LITTLE.items():
                harm_to(state / "sessions" / name)
            (state / "recall.sqlite").unlink()
            made.start()
            yield made


@pytest.fixture(scope="module")
def doctor(box: Box) -> list[Check]:
    """Its word on every session, though it names ten at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_sessions, "SHOWN", len(TABLE) + len(YOUNG))
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


@pytest.mark.parametrize("young", YOUNG)
def test_what_is_lost_of_a_session_of_one_epoch_is_never_taken_for_a_new_one(
    box: Box, doctor: list[Check], young: str
) -> None:
    told = YOUNG[young]
    lines = [f"{each.sentence} -> {each.help}" for each in doctor if each.name == f"session {young}"]
    assert len(lines) == bool(told.doctor), doctor
    assert all(told.doctor in line for line in lines), lines
    done = run("bxctl.boxmaker", "chat", "--home", str(box.home), "--session", young, "-m", "hello")
    assert (done.returncode == 0) is told.chats, done
    assert told.chat in done.stderr
    shown = box.bxctl("sessions", "show", young)
    assert told.shown in shown.stdout + shown.stderr
    again = run("bxctl.boxmaker", "chat", "--home", str(box.home), "--session", young, "-m", "hello")
    assert bool(again.stderr) is not told.chats, "what goes on says so once"


@pytest.mark.parametrize(
    ("session", "says"), [("cut", "its log has 1 turn, and the"), ("gone", "its log is gone")]
)
def test_a_session_that_has_read_a_strangers_words_is_not_clean_without_them(
    box: Box, session: str, says: str
) -> None:
    done = box.chatting("hello", session=session)
    out, err = done.communicate(timeout=30)
    assert says in err
    assert json.loads(out)["label"] == {"class": "private", "untrusted": True}
    assert box.chat("hello", session="template")[0]["label"] == {"class": "private", "untrusted": False}


def test_a_session_that_cannot_go_on_can_be_forgotten_and_begun_anew(box: Box) -> None:
    session = _name("middle", "empty")
    assert box.bxctl("memory", "forget", session, "--yes").returncode == 0
    done = run("bxctl.boxmaker", "chat", "--home", str(box.home), "--session", session, "-m", "hello")
    assert done.returncode == 0
    assert done.stderr.strip() == f"session {session} was forgotten; this is a new one of that name"
    assert "1 turn, private," in box.bxctl("sessions", "show", session).stdout


def test_the_table_has_each_place_and_each_harm() -> None:
    assert set(TABLE) == {(place, harm) for place in PLACES for harm in HARMS}
