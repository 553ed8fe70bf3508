"""Forgetting: nothing of it is left in any live file, and what was told as done is done after a crash too."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from loguru import logger

from actors.base import Crashed, Mailbox
from actors.memory_finding import Finding
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_views import Told
from bxcore.messages.memory_operator import Forget
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.records import Assistant, SessionStart, Usage, User
from bxio import forgotten, log_rewriting
from bxio import recall as recall_files
from bxio.recall import RecallIndex, RecallIndexError
from bxio.recall.words import Words
from bxio.session_store import SessionError
from tests.doubles.memory_bench import MemoryBench, edit, ended, recall
from tests.doubles.memory_operator import forget, log, texts
from tests.kit.kit import Kit
from tests.kit.probe import Probe

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
HIDDEN = b"marmalade"


def holding(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and HIDDEN in path.read_bytes().lower()
    )


@pytest.fixture
def box(memory_bench: MemoryBench, memory_box: Mailbox) -> Mailbox:
    """One that knows of marmalade from two sessions, a note and a fact about the user."""
    memory_bench.turn("k3f", "I hide the Marmalade  jar", "noted, the marmalade jar")
    memory_bench.turn("k3f", "and the tea?", "in the tin")
    memory_bench.turn("other", "where is the marmalade jar?", "hidden")
    memory_bench.turn("plain", "hello", "good day")
    for session, turns in (("k3f", 2), ("other", 1), ("plain", 1)):
        ended(memory_box, session, turns)
    edit(memory_box, "add", "notes", text="the marmalade\njar is hidden", state=UNTRUSTED)
    edit(memory_box, "add", "user", text="likes tea")
    recall(memory_box, "marmalade", session="none")
    return memory_box


def test_a_dry_run_counts_and_changes_nothing(box: Mailbox, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    found = forget(box, text="MARMALADE jar", dry_run=True)
    assert (found.done, set(found.sessions), found.turns, found.entries, found.revisions) == (
        False,
        {"k3f", "other"},
        2,
        1,
        1,
    )
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("said", ["where is the marmalade?", "hello"])
def test_a_summary_goes_with_the_turn_and_for_its_own_words(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe, tmp_path: Path, said: str
) -> None:
    memory_bench.turn("k3f", said)
    opened = memory_bench.sessions.open("k3f")
    opened.begin_epoch(SessionStart(baseline="", epoch=1, turns=1, summary="all about marmalade"))
    opened.append([User(text="and the tea?", speaker="owner"), Assistant(content="in the tin"), Usage()])
    opened.close()
    ended(memory_box, "k3f", 2)
    memory_outbox.expect(Deliver)
    assert forget(memory_box, text="marmalade").done
    assert holding(tmp_path) == []
    assert "in the tin" in recall(memory_box, "tea", session="none").content
    assert forget(memory_box, text="marmalade").sessions == ()
    memory_outbox.expect(LookAgain)


def test_a_text_is_in_no_file_when_it_is_forgotten(box: Mailbox, tmp_path: Path) -> None:
    assert "recall.sqlite" in holding(tmp_path)
    found = forget(box, text="marmalade jar")
    assert (found.done, found.turns, found.entries, found.revisions) == (True, 2, 1, 1)
    assert holding(tmp_path) == []
    assert texts(box, "notes") == []
    assert texts(box, "user") == ["likes tea"]
    assert "nothing found" in recall(box, "marmalade", session="none").content
    assert "in the tin" in recall(box, "tea", session="none").content


def test_the_record_says_that_something_was_forgotten_and_not_what(
    box: Mailbox, memory_outbox: Probe, tmp_path: Path
) -> None:
    forget(box, text="marmalade jar")
    orders = forgotten.orders(tmp_path / "forgotten.jsonl")
    assert {(order.session, order.turns) for order in orders} == {("k3f", (1,)), ("other", (1,))}
    for _ in range(3):
        memory_outbox.expect(Deliver)
    assert memory_outbox.expect(LookAgain) == LookAgain()


def test_later_turns_keep_their_numbers_and_the_session_goes_on(
    box: Mailbox, memory_bench: MemoryBench
) -> None:
    forget(box, text="marmalade jar")
    records = memory_bench.sessions.read("k3f")
    assert [record.text for record in records if isinstance(record, User)] == [
        "(forgotten)",
        "and the tea?",
    ]
    memory_bench.turn("k3f", "and the honey?", "there too")
    ended(box, "k3f", 3)
    assert "session k3f turn 3" in recall(box, "honey", session="none").content


def test_a_whole_session_is_gone_with_all_that_lay_beside_it(box: Mailbox, memory_bench: MemoryBench) -> None:
    found = forget(box, session="k3f")
    assert (found.done, found.sessions, found.turns) == (True, ("k3f",), 2)
    assert not (memory_bench.sessions.folder / "k3f").exists()
    assert "session k3f" not in recall(box, "tea tin", session="none").content


def test_an_open_session_stops_it_before_anything_is_changed(
    box: Mailbox, memory_bench: MemoryBench, tmp_path: Path
) -> None:
    opened = memory_bench.sessions.open("other")
    found = forget(box, text="marmalade jar")
    assert (found.done, found.busy) == (False, ("other",))
    assert "memory/notes.md" in holding(tmp_path)
    opened.close()
    assert forget(box, text="marmalade jar").done


@pytest.mark.parametrize(
    ("message", "sentence", "known"),
    [
        (Forget(), "name a session or a text, and not both", True),
        (Forget(session="a", text="b"), "name a session or a text, and not both", True),
        (Forget(text=" \n"), "the text is empty; write the words that are to be forgotten", True),
        (Forget(session="none"), "there is no session none; bxctl sessions lists them", False),
    ],
)
def test_a_wish_that_cannot_be_is_a_sentence(
    box: Mailbox, message: Forget, sentence: str, *, known: bool
) -> None:
    assert box.call(message, 5.0) == Told(ok=False, sentence=sentence, known=known)


def test_a_bad_name_is_a_sentence(box: Mailbox) -> None:
    found = box.call(Forget(session="../x"), 5.0)
    assert isinstance(found, Told)
    assert found.sentence.startswith("a session's name has 1 to 64")


def failing(why: str) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise SessionError(why)

    return fail


def test_what_failed_is_said_and_done_at_the_next_start(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(log_rewriting, "forget_turns", failing("the disk is full"))
        found = forget(box, text="marmalade jar")
    again = "it is done at the next start, or when you forget something again"
    assert tuple(sorted(found.left[:2])) == (
        f"session k3f is not rid of it yet: the disk is full; {again}",
        f"session other is not rid of it yet: the disk is full; {again}",
    )
    assert found.done
    assert holding(tmp_path) == ["recall.sqlite", "sessions/k3f/0.jsonl", "sessions/other/0.jsonl"]
    kit.runtime.stop("memory")
    again_box = kit.start("memory", memory_bench.make)
    log(again_box)
    assert holding(tmp_path) == []
    assert "session k3f turn 1" not in recall(again_box, "marmalade", session="none").content
    assert "in the tin" in recall(again_box, "tea", session="none").content


def test_honcho_s_part_is_not_held_up_by_what_failed_here(
    box: Mailbox, memory_outbox: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rewriting, "forget_turns", failing("the disk is full"))
    forget(box, text="marmalade jar")
    for _ in range(3):
        memory_outbox.expect(Deliver)
    assert memory_outbox.expect(LookAgain) == LookAgain()


def test_what_failed_is_done_when_something_else_is_forgotten(
    box: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(log_rewriting, "forget_turns", failing("the disk is full"))
        forget(box, text="marmalade jar")
    forget(box, text="no such words")
    assert holding(tmp_path) == []


def test_an_index_that_cannot_forget_is_made_anew(
    box: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise RecallIndexError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(RecallIndex, "forget_each", full)
        found = forget(box, text="marmalade jar")
    assert "not rid" not in "".join(found.left)
    assert holding(tmp_path) == []
    for _ in range(20):
        if "in the tin" in recall(box, "tea", session="none").content:
            return
    pytest.fail("the index was not filled again")


def test_an_index_that_can_neither_forget_nor_go_keeps_the_order_open(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_right(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    def broken(*_: object, **__: object) -> None:
        raise RecallIndexError("no luck")

    with monkeypatch.context() as patch:
        patch.setattr(RecallIndex, "forget_each", broken)
        patch.setattr(recall_files, "drop", no_right)
        found = forget(box, text="marmalade jar")
    why = "the recall index cannot be removed: permission denied; remove it"
    assert [why in sentence for sentence in found.left[:3]] == [True, True, True]
    assert holding(tmp_path) == ["recall.sqlite"]
    kit.runtime.stop("memory")
    log(kit.start("memory", memory_bench.make))
    assert holding(tmp_path) == []


def test_words_that_a_crash_left_in_the_index_go_at_the_next_start(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came between the texts, which were gone, and their words."""
    said = [User(text=f"the marmalade number {number}") for number in range(300)]
    memory_bench.log(
        "k3f", *(record for user in said for record in (user, Assistant(content="yes"), Usage()))
    )
    ended(memory_box, "k3f", 300)
    recall(memory_box, "marmalade", session="none")

    def with_the_word() -> int:
        return Words(tmp_path / "recall.words").frequency("marmalad")

    assert with_the_word() == 300

    def crash(_: object) -> None:
        raise RuntimeError("killed here")

    with monkeypatch.context() as patch:
        patch.setattr(RecallIndex, "_make_words_anew", crash)
        with pytest.raises(Crashed):
            forget(memory_box, text="marmalade")
    assert with_the_word() == 300
    kit.runtime.stop("memory")
    again = kit.start("memory", memory_bench.make)
    memory_bench.turn("plain", "honey and tea")
    ended(again, "plain", 1)
    assert "honey" in recall(again, "honey", session="none").content
    assert with_the_word() == 0
    assert holding(tmp_path) == []


def test_a_session_whose_log_is_damaged_can_be_forgotten_whole(
    box: Mailbox, memory_bench: MemoryBench, tmp_path: Path
) -> None:
    path = memory_bench.sessions.folder / "k3f" / "0.jsonl"
    data = bytearray(path.read_bytes())
    data[data.index(b"I hide")] ^= 1
    path.write_bytes(bytes(data))
    found = forget(box, session="k3f")
    assert (found.done, found.turns) == (True, 0)
    assert "its turns are not counted, they go all the same" in found.left[0]
    assert not path.parent.exists()
    assert [name for name in holding(tmp_path) if "k3f" in name] == []
    assert forgotten.orders(tmp_path / "forgotten.jsonl")[0].turns is None


def test_a_forgotten_session_s_work_folder_goes_first(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the log nobody would know that it is to go."""
    work = tmp_path / "work" / "k3f"
    work.mkdir(parents=True)
    (work / "a.txt").write_text("marmalade")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", failing("killed here"))
        forget(box, session="k3f")
    assert not work.exists()
    assert (memory_bench.sessions.folder / "k3f").exists()
    kit.runtime.stop("memory")
    log(kit.start("memory", memory_bench.make))
    assert not (memory_bench.sessions.folder / "k3f").exists()


def test_a_text_that_is_a_secret_reaches_no_log_and_no_record(
    kit: Kit, box: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "ghp_" + "a1B2" * 9
    written = io.StringIO()
    handler = logger.add(written, level="TRACE", diagnose=False, backtrace=False)
    try:
        forget(box, text=f"marmalade jar {secret}")
        forget(box, text=secret, dry_run=True)

        def bug(*_: object) -> None:
            raise RuntimeError("a bug")

        with monkeypatch.context() as patch:
            patch.setattr(Finding, "text", bug)
            with pytest.raises(Crashed):
                forget(box, text=secret)
        kit.runtime.stop("memory")
    finally:
        logger.remove(handler)
    assert secret not in written.getvalue()
    assert "memory crashed on Forget: RuntimeError" in written.getvalue()
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]


def test_a_session_begun_anew_under_a_forgotten_name_is_kept(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench
) -> None:
    forget(box, session="other")
    memory_bench.log("other", User(text="a fresh start"), Assistant(content="yes"), Usage())
    kit.runtime.stop("memory")
    again = kit.start("memory", memory_bench.make)
    log(again)
    assert memory_bench.sessions.exists("other")


@pytest.mark.parametrize("what", ["session", "text"])
def test_an_order_that_was_left_undone_is_not_for_a_log_begun_anew(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    sessions = memory_bench.sessions
    memory_bench.log("third", User(text="a marmalade jar"), Assistant(content="yes"), Usage())
    ended(box, "third", 1)
    with monkeypatch.context() as patch:
        patch.setattr(log_rewriting, "forget_session", failing("the disk is full"))
        patch.setattr(log_rewriting, "forget_turns", failing("the disk is full"))
        if what == "session":
            forget(box, session="third")
        else:
            forget(box, text="marmalade jar")
    shutil.rmtree(sessions.folder / "third")
    opened = sessions.open("third")
    opened.append([SessionStart(baseline="", log="new"), User(text="a honey jar"), Assistant(content="yes")])
    opened.close()
    kit.runtime.stop("memory")
    again = kit.start("memory", memory_bench.make)
    log(again)
    assert User(text="a honey jar") in sessions.read("third")
    assert "a honey jar" in recall(again, "honey", session="none").content


def test_a_damaged_log_is_said_and_stops_nothing_else(box: Mailbox, memory_bench: MemoryBench) -> None:
    path = memory_bench.sessions.folder / "k3f" / "0.jsonl"
    data = bytearray(path.read_bytes())
    data[data.index(b"I hide")] ^= 1
    path.write_bytes(bytes(data))
    found = forget(box, text="marmalade jar")
    assert (found.done, found.sessions) == (True, ("other",))
    assert "session k3f" in found.left[0]
    assert "may hold the text, forget that session whole" in found.left[0]


def test_labels_of_other_entries_stay(box: Mailbox) -> None:
    edit(box, "add", "notes", text="call this number", state=UNTRUSTED)
    forget(box, text="marmalade jar")
    found = recall(box, "number", session="none")
    assert found.label.untrusted
    assert found.label != NEW_SESSION
