from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore import records
from bxcore.decide import Send, Skip, Workspace
from bxcore.records import Assistant, Record, SessionStart, Usage, User
from bxcore.turn_decisions import Decided
from bxio.session_store import LOG, SessionError, SessionStore
from bxio.turn_intake import TurnIntake
from bxio.turn_ledger import TurnLedger

SAID = User(text="hi", speaker="owner")
REPLY = Assistant(content="hello")


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


@pytest.fixture
def intake(store: SessionStore, tmp_path: Path) -> Iterator[TurnIntake]:
    opened = TurnIntake.open(store, tmp_path / "ledger.jsonl", agent="boxmaker", save=True)
    yield opened
    opened.close()


def log(store: SessionStore, session: str, *records: Record) -> None:
    opened = store.open(session)
    opened.append(records if opened.records else (SessionStart(baseline=""), *records))
    opened.close()


def test_every_undecided_turn_up_to_the_one_named_is_decided_once(
    store: SessionStore, intake: TurnIntake
) -> None:
    log(store, "a", SAID, REPLY, Usage(), SAID, Usage(failed="no model"), SAID, REPLY)
    rows = intake.decide(intake.read("a", 2))
    send, skip = Send(Workspace.TRUSTED, "owner"), Skip("the turn has no reply")
    assert [(row.turn, row.action) for row in rows] == [(1, send), (2, skip), (3, send)]
    assert intake.decide(intake.read("a", 3)) == ()


def test_the_turn_named_is_over_though_the_log_does_not_show_it(
    store: SessionStore, intake: TurnIntake
) -> None:
    log(store, "a", SAID)
    assert intake.decide(intake.read("a", None)) == ()
    assert [row.turn for row in intake.decide(intake.read("a", 1))] == [1]


def test_a_turn_that_the_log_has_not_is_not_decided(store: SessionStore, intake: TurnIntake) -> None:
    log(store, "a", SAID, REPLY)
    assert intake.read("a", 7).upto == 1


def test_epochs_that_are_decided_and_indexed_are_not_read_again(
    store: SessionStore, intake: TurnIntake
) -> None:
    log(store, "a", SAID, REPLY, Usage(), SAID, REPLY, Usage())
    assert [row.turn for row in intake.decide(intake.read("a", 2))] == [1, 2]
    opened = store.open("a")
    opened.begin_epoch(SessionStart(baseline="", untrusted=True, epoch=1, turns=2))
    opened.append([SAID, REPLY])
    opened.close()
    ended = intake.read("a", 3, lambda _session, _log: 2)
    assert (len(ended.records), ended.upto, ended.size) == (3, 3, store.size("a"))
    assert len(intake.read("a", 3, lambda _session, _log: 1).records) == 10, "the index lacks turn 2"
    assert len(intake.read("a", 3).records) == 10
    sent = Send(Workspace.UNTRUSTED, "owner")
    assert [(row.turn, row.action) for row in intake.decide(ended)] == [(3, sent)]
    assert intake.grown({"a": store.size("a")}) == []


@pytest.fixture
def two_epochs(store: SessionStore, intake: TurnIntake) -> Path:
    """Two turns that are decided, and one behind them in another epoch; the session's folder."""
    opened = store.open("a")
    opened.append([SessionStart(baseline="", log="l"), SAID, REPLY, Usage(), SAID, REPLY, Usage()])
    intake.decide(intake.read("a", 2))
    opened.begin_epoch(SessionStart(baseline="", log="l", epoch=1, turns=2))
    opened.append([SAID, REPLY, Usage()])
    opened.close()
    return store.folder / "a"


@pytest.mark.parametrize("line", [0, 3])
def test_a_turn_behind_a_damaged_epoch_is_decided_and_what_cannot_be_indexed_is_said(
    intake: TurnIntake, two_epochs: Path, line: int
) -> None:
    path = two_epochs / "0.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[line] = lines[line].replace(b"record", b"rekord")
    path.write_bytes(b"\n".join(lines))
    intake.drop()
    ended = intake.read("a", 3)
    assert (len(ended.records), ended.upto) == (4, 3)
    assert ended.left_out.startswith(f"session a: line {line + 1} of the log is damaged")
    assert [row.turn for row in intake.decide(ended)] == [3]
    assert intake.read("a", 3, lambda _session, _log: 2).left_out == "", "the index has them"


def test_turns_in_a_damaged_epoch_are_not_decided(
    store: SessionStore, two_epochs: Path, tmp_path: Path
) -> None:
    path = two_epochs / "0.jsonl"
    path.write_bytes(path.read_bytes().replace(b"hello", b"hullo"))
    another = TurnIntake.open(store, tmp_path / "another.jsonl", agent="boxmaker", save=True)
    with pytest.raises(SessionError, match="is damaged"):
        another.read("a", 3)
    (two_epochs / "0.jsonl").unlink()
    with pytest.raises(SessionError, match=r"0\.jsonl is missing"):
        another.read("a", 3)
    assert another.grown({}) == [], "it has no byte that could be read"
    another.close()


def test_a_session_of_which_nothing_can_be_read_has_not_grown(
    store: SessionStore, two_epochs: Path, tmp_path: Path
) -> None:
    (two_epochs / "1.jsonl").rename(two_epochs / "2.jsonl")
    (two_epochs / "0.jsonl").write_bytes(b"x")
    ledger = TurnLedger.open(tmp_path / "another.jsonl")
    ledger.append([Decided(session="a", turn=1, size=1, action=Skip("x"), log="l")])
    another = TurnIntake(store, ledger, agent="boxmaker", save=True)
    assert another.grown({"a": 1}) == []
    assert another.grown({"a": 2}) == ["a"]
    another.close()


def test_a_session_that_is_not_there_is_one_clear_error(intake: TurnIntake) -> None:
    with pytest.raises(SessionError, match="the log of session a cannot be read"):
        intake.read("a", 1)


def test_a_session_has_grown_until_both_the_ledger_and_the_index_hold_it(
    store: SessionStore, intake: TurnIntake
) -> None:
    log(store, "a", SAID, REPLY)
    log(store, "b", SAID, REPLY)
    assert sorted(intake.grown({})) == ["a", "b"]
    for session in "ab":
        intake.decide(intake.read(session, None))
    sizes = {stored.session: stored.size for stored in store.list()}
    assert intake.grown(sizes) == []
    assert intake.grown({"a": sizes["a"]}) == ["b"]
    log(store, "a", SAID, REPLY)
    assert intake.grown(sizes) == ["a"]


def test_a_log_begun_anew_under_an_old_name_and_as_long_is_noticed(
    store: SessionStore, intake: TurnIntake
) -> None:
    def begun(name: str) -> int:
        opened = store.open("a")
        opened.append((SessionStart(baseline="", log=name), SAID, REPLY, Usage()))
        opened.close()
        return (store.folder / "a" / LOG).stat().st_size

    size = begun("l1")
    intake.decide(intake.read("a", 1))
    assert intake.grown({"a": size}) == []
    (store.folder / "a" / LOG).unlink()
    assert begun("l2") == size
    assert intake.grown({"a": size}) == ["a"]
    assert [(row.turn, row.log) for row in intake.decide(intake.read("a", 1))] == [(1, "l2")]
    assert intake.grown({"a": size}) == []


def test_the_log_that_a_session_had_last_is_known(store: SessionStore, intake: TurnIntake) -> None:
    assert intake.known_log("a") == ""
    opened = store.open("b")
    opened.append([SessionStart(baseline="", log="l7"), SAID, REPLY])
    opened.close()
    intake.decide(intake.read("b", None))
    assert intake.known_log("b") == "l7"


def test_a_turn_costs_what_it_adds_until_all_is_dropped(
    store: SessionStore, intake: TurnIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(20):
        log(store, "a", SAID, REPLY)
    assert intake.read("a", None).upto == 20
    log(store, "a", SAID, REPLY)
    parsed: list[int] = []
    parse = records.parse

    def counted(text: str, line: int) -> Record:
        parsed.append(line)
        return parse(text, line)

    monkeypatch.setattr(records, "parse", counted)
    assert intake.read("a", None).upto == 21
    assert len(parsed) == 3  # the log's first line, which names it, and the two that are new
    intake.drop()
    assert intake.read("a", None).upto == 21
    assert len(parsed) == 3 + 1 + 43
