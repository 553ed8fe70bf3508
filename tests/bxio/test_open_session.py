"""A log that goes on in another file: whole or not begun, whatever a crash leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bxcore.labels import Label, Level
from bxcore.records import Assistant, Record, SessionStart, ToolResult, Usage, User
from bxio import log_rewriting
from bxio.journal_file import JournalError, JournalFile
from bxio.session_store import OpenSession, SessionError, SessionStore

WEB = ToolResult(call="t1c1", tool="http_fetch", content="page", ok=True, level=Level.PRIVATE, untrusted=True)
TAINTED = Label(Level.PRIVATE, untrusted=True)


def turn(text: str, *between: Record) -> tuple[Record, ...]:
    return (User(text=text), *between, Assistant(content=f"re {text}"), Usage())


def later(opened: OpenSession, summary: str = "they talked") -> SessionStart:
    return SessionStart(
        baseline="",
        log="l",
        level=opened.label.level,
        untrusted=opened.label.untrusted,
        epoch=opened.epoch + 1,
        turns=opened.turns,
        summary=summary,
    )


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A session of two turns, and a second epoch of one."""
    made = SessionStore(tmp_path / "sessions")
    opened = made.open("k3f")
    opened.append([SessionStart(baseline="", log="l"), *turn("one", WEB), *turn("two")])
    opened.begin_epoch(later(opened))
    opened.append(turn("three"))
    opened.close()
    return made


def said(records: tuple[Record, ...]) -> list[str]:
    return [record.text for record in records if isinstance(record, User)]


def test_a_session_goes_on_in_another_file_and_reads_as_one(store: SessionStore) -> None:
    assert [path.name for path in store.logs("k3f")] == ["0.jsonl", "1.jsonl"]
    assert said(store.read("k3f")) == ["one", "two", "three"]
    assert store.size("k3f") == sum(path.stat().st_size for path in store.logs("k3f"))
    assert (store.size("none"), store.turns_before("k3f"), store.turns_before("none")) == (0, 2, 0)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in store.logs("k3f"))


def test_only_the_last_epoch_is_read_again_and_knows_the_rest(store: SessionStore) -> None:
    first = store.folder / "k3f" / "0.jsonl"
    data = first.read_bytes()
    first.write_bytes(b"x")
    opened = store.open("k3f")
    assert (opened.label, opened.turns, opened.epoch) == (TAINTED, 3, 1)
    assert said(tuple(opened.records)) == ["three"]
    opened.append([User(text="four"), Assistant(content="x")])
    assert opened.turns == 4
    opened.close()
    first.write_bytes(data)
    assert said(store.read("k3f")) == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("since", "texts"),
    [(1, ["one", "two", "three"]), (2, ["one", "two", "three"]), (3, ["three"]), (9, ["three"])],
)
def test_the_epochs_from_a_turn_on_are_read_alone(store: SessionStore, since: int, texts: list[str]) -> None:
    assert said(store.read("k3f", since=since)) == texts


def test_the_lock_of_the_first_file_is_over_all_of_them(store: SessionStore) -> None:
    opened = store.open("k3f")
    for _ in range(3):
        assert log_rewriting.is_open(store.folder / "k3f")
        with pytest.raises(SessionError, match="open elsewhere"):
            store.open("k3f")
        opened.append(turn("more"))
        opened.begin_epoch(later(opened))
    opened.close()
    opened.close()
    assert not log_rewriting.is_open(store.folder / "k3f")
    again = store.open("k3f")
    assert (again.epoch, again.turns) == (4, 6)
    again.close()


def test_a_session_that_never_was_closed_keeps_its_lock_over_its_first_epochs(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    opened = store.open("k3f")
    opened.append([SessionStart(baseline="", log="l"), *turn("one")])
    for _ in range(2):
        opened.begin_epoch(later(opened))
        opened.append(turn("more"))
        assert log_rewriting.is_open(store.folder / "k3f")
    opened.close()
    assert not log_rewriting.is_open(store.folder / "k3f")


def test_an_epoch_that_cannot_be_opened_has_begun_and_frees_the_log(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise JournalError("too many open files")

    opened = store.open("k3f")
    with monkeypatch.context() as patch:
        patch.setattr(JournalFile, "open", refused)
        with pytest.raises(SessionError, match="too many open files"):
            opened.begin_epoch(later(opened))
    assert opened.closed
    again = store.open("k3f")
    assert (again.epoch, again.turns) == (2, 3)
    again.close()


def test_an_epoch_that_begins_has_all_before_it_on_disk(store: SessionStore) -> None:
    opened = store.open("k3f")
    synced: list[str] = []
    file = opened._file
    sync = file._sync
    file._sync = lambda: (synced.append(file.path.name), sync())[1]  # type: ignore[method-assign, func-returns-value]
    opened.append(turn("four"), sync=False)
    assert synced == []
    opened.begin_epoch(later(opened))
    assert synced == ["1.jsonl"]
    opened.close()


HALVES = {
    "empty": b"",
    "torn": b'{"crc":"00000000","seq":0,"b":0,"prev":"0000',
    "without a line end": b"x",
}


@pytest.mark.parametrize("half", HALVES)
def test_an_epoch_without_a_whole_line_is_damage_and_left_as_it_is(store: SessionStore, half: str) -> None:
    path = store.folder / "k3f" / "1.jsonl"
    path.write_bytes(HALVES[half])
    what = "is empty, and had begun" if half == "empty" else "is damaged, its first line is not whole"
    sentence = f"session k3f: 1.jsonl {what}; restore it from a backup, or talk in another session"
    for look in (store.open, store.read):
        with pytest.raises(SessionError) as refused:
            look("k3f")
        assert refused.value.sentence == sentence
    assert path.read_bytes() == HALVES[half]
    assert not log_rewriting.is_open(store.folder / "k3f")


def begun(store: SessionStore) -> Path:
    """A new session with a baseline; its log."""
    opened = store.open("new")
    opened.save_baseline(b"{}")
    opened.append([SessionStart(baseline="", log="n"), User(text="one")])
    opened.close()
    return store.folder / "new" / "0.jsonl"


@pytest.mark.parametrize("half", HALVES)
def test_a_log_that_lost_all_its_records_is_no_new_session(store: SessionStore, half: str) -> None:
    path = begun(store)
    path.write_bytes(HALVES[half])
    for look in (store.open, store.read):
        with pytest.raises(SessionError, match=r"session new: 0\.jsonl .*restore it from a backup"):
            look("new")
    assert [each.name for each in sorted(path.parent.iterdir())] == ["0.jsonl", "baseline.json"]
    assert path.read_bytes() == HALVES[half]
    assert store.exists("new")


def test_a_log_that_is_gone_beside_its_baseline_is_no_new_session(store: SessionStore) -> None:
    path = begun(store)
    path.unlink()
    for look in (store.open, store.read):
        with pytest.raises(SessionError, match=r"0\.jsonl is missing, and baseline\.json is there; restore"):
            look("new")
    assert not path.exists()
    assert store.exists("new")


def test_a_damaged_first_line_before_whole_ones_is_told_as_one(store: SessionStore) -> None:
    path = begun(store)
    with_more = store.open("new")
    with_more.append([Assistant(content="hello")])
    with_more.close()
    path.write_bytes(path.read_bytes().replace(b"session_start", b"session_stort"))
    with pytest.raises(SessionError, match="line 1 of the log is damaged, and later lines are whole"):
        store.open("new")


@pytest.mark.parametrize("half", HALVES)
def test_a_start_that_a_crash_cut_short_begins_anew(store: SessionStore, half: str) -> None:
    opened = store.open("new")
    opened.save_baseline(b"{}")
    opened.close()
    path = store.folder / "new" / "0.jsonl"
    path.write_bytes(HALVES[half])
    assert store.read("new") == ()
    again = store.open("new")
    assert (again.records, again.baseline()) == ([], b"{}")
    again.save_baseline(b"{ }")
    again.append([SessionStart(baseline="", log="n"), User(text="one")])
    again.close()
    assert (path.parent / "baseline.json").read_bytes() == b"{ }"


def test_a_baseline_has_its_name_once_a_record_is_on_disk(store: SessionStore) -> None:
    opened = store.open("new")
    named = store.folder / "new" / "baseline.json"
    opened.save_baseline(b"{}")
    opened.append([SessionStart(baseline="", log="n")], sync=False)
    assert not named.exists()
    opened.append([User(text="one")])
    assert named.read_bytes() == b"{}"
    opened.close()


def test_a_baseline_that_a_crash_left_without_its_name_gets_it(store: SessionStore) -> None:
    path = begun(store)
    named = path.with_name("baseline.json")
    named.rename(path.with_name("baseline.json.next"))
    again = store.open("new")
    assert again.baseline() == b"{}"
    again.append([Assistant(content="hello")])
    again.close()
    assert [each.name for each in sorted(path.parent.iterdir())] == ["0.jsonl", "baseline.json"]


def test_a_name_that_cannot_be_given_loses_no_record_and_no_baseline(store: SessionStore) -> None:
    opened = store.open("new")
    opened.save_baseline(b"{}")
    named = store.folder / "new" / "baseline.json"
    named.mkdir()
    opened.append([SessionStart(baseline="", log="n"), User(text="one")])
    named.rmdir()
    opened.append([Assistant(content="hello")])
    assert named.read_bytes() == b"{}"
    opened.close()


def test_damaged_baselines_are_kept_aside_by_number(store: SessionStore) -> None:
    path = begun(store)
    opened = store.open("new")
    for number in (1, 2):
        kept = opened.set_aside_baseline()
        assert kept == path.with_name(f"baseline.json.damaged-{number}")
        assert opened.baseline() is None
        opened.save_baseline(b"{}")
        opened.append([Assistant(content="hello")])
    path.with_name("baseline.json").unlink()
    assert opened.set_aside_baseline() is None
    opened.close()


def test_a_whole_file_beside_that_never_got_its_name_is_no_epoch(store: SessionStore) -> None:
    half = store.folder / "k3f" / ".2.jsonl.new"
    half.write_bytes(b"half")
    half.chmod(0o600)
    opened = store.open("k3f")
    opened.begin_epoch(later(opened))
    opened.append(turn("four"))
    opened.close()
    assert said(store.read("k3f")) == ["one", "two", "three", "four"]


def _cut(data: bytes) -> bytes:
    return data[: data.rindex(b"\n", 0, -1) + 1]


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "an earlier epoch lost a turn": ("0.jsonl", lambda data: _cut(_cut(_cut(data))), "of 1 turns, ended"),
    "an earlier epoch is torn": ("0.jsonl", lambda data: data + b"x", "line 9 of the log is damaged"),
    "an earlier epoch is empty": ("0.jsonl", lambda _data: b"", "0.jsonl is empty, and had begun"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_to_an_earlier_epoch_is_refused(store: SessionStore, name: str) -> None:
    file, spoil, says = DAMAGE[name]
    path = store.folder / "k3f" / file
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(SessionError, match=f"session k3f: .*{says}"):
        store.read("k3f")


def test_a_later_file_without_its_start_is_refused(store: SessionStore) -> None:
    (store.folder / "k3f" / "1.jsonl").write_bytes((store.folder / "k3f" / "0.jsonl").read_bytes())
    with pytest.raises(SessionError, match=r"1\.jsonl does not begin with its start"):
        store.open("k3f")
    with pytest.raises(SessionError, match="does not go on where"):
        store.read("k3f")
    assert not log_rewriting.is_open(store.folder / "k3f")


def test_an_epoch_that_cannot_be_written_closes_the_log_and_loses_nothing(store: SessionStore) -> None:
    opened = store.open("k3f")
    opened.append(turn("four"))
    (store.folder / "k3f" / ".2.jsonl.new").mkdir()
    with pytest.raises(SessionError, match=r"2\.jsonl cannot be written"):
        opened.begin_epoch(later(opened))
    (store.folder / "k3f" / ".2.jsonl.new").rmdir()
    again = store.open("k3f")
    assert (again.epoch, again.turns) == (1, 4)
    again.close()


def test_forgetting_takes_turns_of_every_epoch_and_each_summary(store: SessionStore) -> None:
    opened = store.open("k3f")
    opened.begin_epoch(later(opened, summary="the blue tin, and three"))
    opened.append(turn("four"))
    opened.close()
    folder = store.folder / "k3f"
    log_rewriting.forget_turns(folder, (3,))
    assert said(store.read("k3f")) == ["one", "two", "(forgotten)", "four"]
    assert not [path.name for path in folder.iterdir() if b"three" in path.read_bytes()]
    assert not [path.name for path in folder.iterdir() if b"they talked" in path.read_bytes()]
    again = store.open("k3f")
    assert (again.label, again.turns, again.epoch) == (TAINTED, 4, 2)
    again.close()
