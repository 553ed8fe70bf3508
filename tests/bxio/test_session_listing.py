"""Listings read what they show, and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION, TOP, Label, Level
from bxcore.messages.loop import TurnText
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxio.session_listing import SessionListing, turns_of
from bxio.session_store import SessionError, SessionStore

CALL = Assistant(content="hm", tool_calls=(ToolCall(id="t1c1", name="recall", arguments="{}"),))
RESULT = ToolResult(call="t1c1", tool="recall", content="", ok=True, level=Level.PRIVATE, untrusted=True)
LOG: tuple[Record, ...] = (
    SessionStart(baseline=""),
    User(text="one"),
    CALL,
    RESULT,
    Assistant(content="1"),
    User(text="two"),
)


class CountedStore(SessionStore):
    """The real store, with its readings counted."""

    reads = 0

    def read(self, session: str, *, since: int = 1) -> tuple[Record, ...]:
        self.reads += 1
        return super().read(session, since=since)


@pytest.fixture
def store(tmp_path: Path) -> CountedStore:
    made = CountedStore(tmp_path / "sessions")
    for name in ("one", "two"):
        log = made.open(name)
        log.append(LOG if name == "one" else LOG[:1])
        log.close()
    return made


def test_turns_and_label_come_from_the_log(store: CountedStore) -> None:
    listing = SessionListing(store)
    listed = {info.session: info for info in listing.newest(50, {"one": 2})}
    assert (listed["one"].turns, listed["one"].label, listed["one"].live) == (2, Label(Level.PRIVATE), True)
    assert (listed["two"].turns, listed["two"].label, listed["two"].live) == (0, NEW_SESSION, False)
    assert (listed["one"].title, listed["one"].waiting, listed["two"].waiting) == ("one", 2, 0)
    assert listed["one"].updated.endswith("+00:00")


def test_every_epoch_is_shown_and_listed_as_one_session(store: CountedStore) -> None:
    listing = SessionListing(store)
    before = {info.session: info for info in listing.newest(50, {})}["one"]
    log = store.open("one")
    start = SessionStart(baseline="", untrusted=True, epoch=1, turns=2, summary="they counted")
    log.begin_epoch(start)
    log.append([User(text="three"), Assistant(content="3")])
    log.close()
    listed = {info.session: info for info in listing.newest(50, {})}["one"]
    assert (listed.turns, listed.label, listed.title) == (3, before.label, before.title)
    view = listing.show("one", last=2, live={})
    assert view is not None
    assert [turn.user for turn in view.turns] == ["two", "three"]


def test_a_log_is_read_again_only_when_it_has_changed(store: CountedStore) -> None:
    listing = SessionListing(store)
    listing.newest(50, {})
    listing.newest(50, {})
    assert store.reads == 2
    log = store.open("two")
    log.append([User(text="hi")])
    log.close()
    assert {info.session: info.turns for info in listing.newest(50, {})} == {"one": 2, "two": 1}
    assert store.reads == 3
    assert listing.newest(0, {}) == listing.newest(-1, {}) == ()


def test_a_damaged_log_is_listed_at_the_top_label_and_not_shown(store: CountedStore) -> None:
    log = store.folder / "one" / "0.jsonl"
    log.write_bytes(log.read_bytes() * 2 + b"x")
    (store.folder / "two" / "0.jsonl").write_bytes(b'{"kind":"dream"}\n')
    listing = SessionListing(store)
    assert {info.session: info.label for info in listing.newest(50, {})}["two"] == TOP
    with pytest.raises(SessionError, match="session two: line 1"):
        listing.show("two", last=9, live={})
    view = listing.show("one", last=9, live={})
    assert view is not None
    assert view.info.turns == 2


def test_a_session_is_shown_with_its_replies(store: CountedStore) -> None:
    listing = SessionListing(store)
    view = listing.show("one", last=9, live={"one": 0})
    assert view is not None
    assert view.turns == (TurnText(user="one", reply="1"), TurnText(user="two"))
    assert (view.info.live, view.first) == (True, 1)
    assert listing.show("three", last=9, live={}) is None


@pytest.mark.parametrize(("last", "first", "texts"), [(1, 2, ["two"]), (2, 1, ["one", "two"]), (0, 3, [])])
def test_of_a_long_session_the_last_turns_are_shown(
    store: CountedStore, last: int, first: int, texts: list[str]
) -> None:
    view = SessionListing(store).show("one", last=last, live={})
    assert view is not None
    assert (view.first, [turn.user for turn in view.turns], view.info.turns) == (first, texts, 2)


def test_a_turn_without_a_reply_says_why() -> None:
    failed = (User(text="hi"), CALL, RESULT, Usage(failed="stopped"))
    assert turns_of(failed) == (TurnText(user="hi", failed="stopped"),)
    assert turns_of((User(text="hi"), Assistant(content="ok"), Usage())) == (TurnText(user="hi", reply="ok"),)


def test_a_reply_before_any_turn_is_no_turn() -> None:
    assert turns_of((Assistant(content="x"), CALL)) == ()
