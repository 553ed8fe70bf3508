from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.recall_hits import Note
from bxio.recall import RecallIndex
from bxio.recall.meaning import Among
from bxio.recall.store import NOTHING, Merged
from bxio.recall.words import Words

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recall.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[RecallIndex]:
    opened = RecallIndex.open(path)
    yield opened
    opened.close()


def turn(text: str, *, session: str = "k3f", number: int = 1, label: Label = NEW_SESSION) -> FinishedTurn:
    return FinishedTurn(
        session=session, turn=number, at="2026-11-02T10:00:00+00:00", user=text, reply="noted", label=label
    )


def add(index: RecallIndex, *turns: FinishedTurn) -> None:
    for each in turns:
        index.add_turns(each.session, [each], size=10, upto=each.turn)


def found(
    index: RecallIndex, query: str, *, k: int = 5, without: str = "other", trusted_only: bool = False
) -> list[str]:
    return [hit.said for hit in index.search(query, k=k, without=without, trusted_only=trusted_only)]


def test_a_question_finds_what_its_words_would(index: RecallIndex) -> None:
    add(index, turn("The spare keys are in the blue tin"), turn("Tea at five", number=2))
    assert found(index, "Where is the spare key?") == ["The spare keys are in the blue tin"]
    assert found(index, "key?") == found(index, "key")


def test_any_word_is_enough(index: RecallIndex) -> None:
    add(index, turn("a blue tin"), turn("a red box", number=2))
    assert set(found(index, "tin box")) == {"a blue tin", "a red box"}
    assert found(index, "saffron") == []
    assert found(index, "?") == []


def test_the_running_session_is_left_out(index: RecallIndex) -> None:
    add(index, turn("blue tin", session="a"), turn("blue box", session="b"))
    assert found(index, "blue", without="a") == ["blue box"]
    assert len(found(index, "blue", without="")) == 2


def test_a_hit_says_where_it_was_said_and_its_label(index: RecallIndex) -> None:
    add(index, turn("blue tin", number=4, label=UNTRUSTED))
    [hit] = index.search("tin", k=1, without="")
    assert (hit.session, hit.turn, hit.at, hit.label) == ("k3f", 4, "2026-11-02T10:00:00+00:00", UNTRUSTED)
    assert hit.reply == "noted"


def test_only_trusted_private_items_on_demand(index: RecallIndex) -> None:
    add(
        index,
        turn("blue one"),
        turn("blue two", number=2, label=UNTRUSTED),
        turn("blue 3", number=3, label=SECRET),
    )
    assert found(index, "blue", trusted_only=True) == ["blue one"]
    assert len(found(index, "blue")) == 3


def test_a_turn_taken_in_twice_is_there_once(index: RecallIndex) -> None:
    add(index, turn("blue tin"), turn("red tin"))
    assert found(index, "tin") == ["red tin"]
    assert found(index, "blue") == []
    assert index.counts() == (1, 0)


def test_notes_are_found_and_replaced_as_a_whole(index: RecallIndex) -> None:
    index.set_notes([Note(text="blue tin", label=UNTRUSTED), Note(text="red box", label=NEW_SESSION)])
    [hit] = index.search("tin", k=5, without="k3f")
    assert (hit.session, hit.said, hit.label) == ("", "blue tin", UNTRUSTED)
    index.set_notes([Note(text="red box", label=NEW_SESSION)])
    assert found(index, "tin") == []
    assert index.counts() == (0, 1)


def test_newer_is_before_older_when_both_fit_alike(index: RecallIndex) -> None:
    add(index, *(turn(f"tin number{n}", number=n) for n in range(1, 9)))
    assert found(index, "tin", k=2) == ["tin number8", "tin number7"]


def test_a_much_better_old_hit_stays_before_many_newer_ones(index: RecallIndex) -> None:
    add(
        index, turn("saffron marmalade recipe"), *(turn(f"marmalade jar {n}", number=n) for n in range(2, 60))
    )
    assert found(index, "saffron marmalade recipe", k=1) == ["saffron marmalade recipe"]


def test_a_text_that_is_not_long_is_shown_whole(index: RecallIndex) -> None:
    text = "saffron " + "a b " * 100
    add(index, turn(text))
    assert found(index, "saffron") == [text]


def test_only_a_sound_sqlite_gets_a_write_ahead_log(
    path: Path, index: RecallIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    [mode] = index._store._db.execute("PRAGMA journal_mode").fetchone()
    assert mode == ("wal" if sqlite3.sqlite_version_info >= (3, 51, 3) else "delete")
    for version, wanted in (((3, 51, 2), "delete"), ((3, 51, 3), "wal")):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        other = RecallIndex.open(path.with_name(f"{wanted}.sqlite"))
        assert other._store._db.execute("PRAGMA journal_mode").fetchone() == (wanted,)
        other.close()


def test_of_a_long_text_the_part_around_the_words_is_shown(index: RecallIndex) -> None:
    add(index, turn("filler " * 400 + "the saffron is here " + "filler " * 400))
    [hit] = index.search("saffron", k=1, without="")
    assert "saffron is here" in hit.said
    assert len(hit.said) < 600


def test_what_is_in_is_known_over_a_restart(path: Path, index: RecallIndex) -> None:
    assert index.made_anew == "missing"
    index.add_turns("k3f", [turn("blue tin")], size=321, upto=2)
    index.close()
    again = RecallIndex.open(path)
    assert again.made_anew is None
    assert again.sizes() == {"k3f": 321}
    assert (again.turns_in("k3f"), again.turns_in("x")) == (2, 0)
    assert found(again, "tin") == ["blue tin"]
    assert path.stat().st_mode & 0o777 == 0o600
    again.close()


def merged(path: Path, count: int = 300) -> RecallIndex:
    """An index whose turns are in the words; turn 7 is of a brass key."""
    index = RecallIndex.open(path)
    texts = ["a brass key" if n == 7 else f"tin number{n}" for n in range(1, count + 1)]
    add(index, *(turn(text, number=n) for n, text in enumerate(texts, 1)))
    index.settle()
    return index


def words_of(path: Path) -> Path:
    return path.with_suffix(".words")


def test_many_turns_are_put_into_the_words_and_found_there(path: Path) -> None:
    index = merged(path)
    assert index._store.merged().number == 300
    assert found(index, "brass key?") == ["a brass key"]
    add(index, turn("another brass key", session="b"))
    assert sorted(found(index, "brass keys")) == ["a brass key", "another brass key"]
    index.close()
    again = RecallIndex.open(path)
    assert sorted(found(again, "brass keys")) == ["a brass key", "another brass key"]
    assert again.made_anew is None
    again.close()


def test_the_tail_and_the_words_are_on_one_scale(path: Path) -> None:
    """The same text is worth about the same in either, so a better one is first wherever it is."""
    index = merged(path)
    add(index, turn("a brass key and a great many other words that nobody looks for here", session="b"))
    scores = dict(index._scores(("brass", "key"), Among(), 50))
    old, new = scores[7], scores[max(scores)]
    assert old > new > old / 4
    index.close()


@pytest.mark.parametrize("damage", ["gone", "empty", "nonsense", "truncated"])
def test_words_that_are_lost_or_damaged_are_made_anew_from_the_store(path: Path, damage: str) -> None:
    merged(path).close()
    folder = words_of(path)
    match damage:
        case "gone":
            shutil.rmtree(folder)
        case "empty":
            for file in folder.iterdir():
                file.write_bytes(b"")
        case "nonsense":
            (folder / "meta.json").write_text("{}")
        case _:
            for file in folder.iterdir():
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    index = RecallIndex.open(path)
    assert found(index, "brass key") == ["a brass key"]
    assert index.made_anew is None, "no log has to be read for it"
    index.close()


def test_a_crash_between_the_words_and_their_note_loses_and_doubles_nothing(path: Path) -> None:
    index = merged(path)
    with index._store.writing():
        index._store.note_merged(NOTHING)
    index.close()
    again = RecallIndex.open(path)
    assert found(again, "brass key") == ["a brass key"]
    again.settle()
    assert found(again, "brass key") == ["a brass key"]
    again.close()


def test_words_that_are_ahead_of_their_note_are_made_anew_and_nothing_is_lost(path: Path) -> None:
    index = RecallIndex.open(path)
    add(index, *(turn(f"a brass key {n}", number=n) for n in range(1, 4)))
    index.settle(least=1)
    index._store.note_merged(Merged(1, 1, 10))  # as a kill between the two would leave it
    index.close()
    again = RecallIndex.open(path)
    assert len(found(again, "brass key")) == 3
    again.close()


def test_in_the_words_too_the_running_session_and_shy_turns_are_left_out(path: Path) -> None:
    index = merged(path)
    add(index, turn("an untrusted brass key", session="shy", label=Label(Level.PRIVATE, untrusted=True)))
    add(index, *(turn(f"more of {n}", session="more", number=n) for n in range(1, 300)))
    index.settle()
    assert found(index, "brass", without="k3f") == ["an untrusted brass key"]
    assert found(index, "brass", trusted_only=True) == ["a brass key"]
    index.close()


@pytest.mark.parametrize("turns", [None, (7,)])
def test_what_is_forgotten_is_in_no_file_of_the_index(path: Path, turns: tuple[int, ...] | None) -> None:
    index = merged(path)
    assert any(b"brass" in file.read_bytes() for file in index_files(path))
    index.forget("k3f", turns, size=5)
    assert found(index, "brass") == []
    assert not any(b"brass" in file.read_bytes() for file in index_files(path))
    assert index.sizes() == ({} if turns is None else {"k3f": 5})
    index.close()


def index_files(path: Path) -> list[Path]:
    return [file for file in path.parent.rglob("*") if file.is_file()]


def test_a_log_begun_anew_takes_the_place_of_the_old_one(index: RecallIndex) -> None:
    index.add_turns("k3f", [turn("of before")], size=9, upto=1, log="l1")
    assert (index.turns_in("k3f", "l1"), index.turns_in("k3f", "l2")) == (1, 0)
    index.add_turns("k3f", [turn("of now", number=2)], size=9, upto=2, log="l2")
    assert found(index, "before") == []
    assert found(index, "now") == ["of now"]


def test_it_says_how_much_of_the_disk_it_takes(path: Path) -> None:
    index = merged(path)
    assert index.disk_bytes() == sum(file.stat().st_size for file in index_files(path))
    index.close()


def test_over_its_bound_the_sessions_that_were_quiet_for_longest_go(path: Path) -> None:
    index = RecallIndex.open(path)
    for number in range(30):
        said = "blue tin " + " ".join(f"w{number}x{place}" for place in range(2_000))
        add(index, *(turn(said, session=f"s{number}", number=each) for each in (1, 2)))
    index.settle(1)
    add(index, turn("blue box", session="s0", number=3), turn("a red box", session="last"))
    before = index.disk_bytes()
    most = before * 2 // 3
    assert index.bound(before) == 0
    gone = 0
    for _ in range(20):
        gone += index.bound(most)
    assert 20 < gone < 60
    assert index.left_out() == gone
    assert index.counts() == (62 - gone, 0)
    assert found(index, "box", k=9) == ["a red box", "blue box"]
    assert len(found(index, "w3x7", k=9)) == 0
    assert len(found(index, "w29x7", k=9)) == 2
    assert index.disk_bytes() <= most
    assert index.turns_in("s3") == 2
    assert Words(path.with_suffix(".words")).number <= 60 - gone + 1
    index.close()
    again = RecallIndex.open(path)
    assert (again.made_anew, again.left_out(), again.counts()) == (None, gone, (62 - gone, 0))
    assert len(found(again, "w29x7", k=9)) == 2
    again.close()


def test_the_last_session_stays_however_much_it_takes(path: Path) -> None:
    index = RecallIndex.open(path)
    add(index, turn("blue tin", session="a"), turn("blue box", session="b"))
    index.bound(1)
    assert index.bound(1) == 0
    assert found(index, "blue") == ["blue box"]
    index.close()


@pytest.mark.parametrize("settled", [False, True])
def test_what_its_model_no_longer_sees_of_a_running_session_is_found(
    index: RecallIndex, *, settled: bool
) -> None:
    add(index, *(turn(f"blue thing{n}", session="a", number=n) for n in range(1, 90)))
    add(index, turn("blue box", session="b"))
    if settled:
        index.settle(1)

    def seen(but_upto: int, k: int = 100, *, trusted_only: bool = False) -> set[str]:
        hits = index.search("blue", k=k, without="a", but_upto=but_upto, trusted_only=trusted_only)
        return {hit.said for hit in hits}

    assert seen(0) == {"blue box"}
    for trusted_only in (False, True):
        assert seen(3, trusted_only=trusted_only) == {
            "blue thing1",
            "blue thing2",
            "blue thing3",
            "blue box",
        }
    assert len(seen(60)) > 30
    assert "blue thing61" not in seen(60)
    day, today = "what was on 2 November?", date(2026, 12, 1)
    of_the_day = index.search(day, k=100, without="a", but_upto=2, today=today)
    assert {hit.said for hit in of_the_day} == {"blue thing1", "blue thing2", "blue box"}
