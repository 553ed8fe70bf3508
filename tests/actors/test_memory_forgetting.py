"""Forgetting: nothing of it is left in any live file, and what was told as done is done after a crash too."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.base import Mailbox
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_views import Told
from bxcore.messages.memory_operator import Forget
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.records import Assistant, Usage, User
from bxio import forgotten, log_rewriting
from bxio.memory_files import REVISIONS
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


def test_a_text_is_in_no_file_when_it_is_forgotten(box: Mailbox, tmp_path: Path) -> None:
    assert "recall.sqlite" in holding(tmp_path)
    found = forget(box, text="marmalade jar")
    assert (found.done, found.turns, found.entries, found.revisions) == (True, 2, 1, 2)
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
    assert found.left == ("2 entries of memory came from it; bxctl memory list shows them, with their ids",)


def test_an_open_session_stops_it_before_anything_is_changed(
    box: Mailbox, memory_bench: MemoryBench, tmp_path: Path
) -> None:
    opened = memory_bench.sessions.open("other")
    found = forget(box, text="marmalade jar")
    assert (found.done, found.busy) == (False, ("other",))
    assert "memory/notes.md" in holding(tmp_path)
    opened.close()
    assert forget(box, text="marmalade jar").done


def test_baselines_that_hold_it_are_named(box: Mailbox, memory_bench: MemoryBench) -> None:
    opened = memory_bench.sessions.open("plain")
    opened.save_baseline(b'{"messages":["- the marmalade jar"]}')
    opened.close()
    found = forget(box, text="marmalade jar")
    assert found.left == (
        "sessions that began with it in their memory block keep it: plain; forget them whole",
    )


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


def test_what_a_crash_left_undone_is_done_at_the_next_start(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise SessionError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(log_rewriting, "forget_turns", broken)
        with pytest.raises(Exception, match="the disk is full"):
            forget(box, text="marmalade jar")
    assert "sessions/k3f/0.jsonl" in holding(tmp_path)
    kit.runtime.stop("memory")
    again = kit.start("memory", memory_bench.make)
    log(again)
    assert [name for name in holding(tmp_path) if "sessions" in name] == []
    assert "session k3f turn 1" not in recall(again, "marmalade", session="none").content
    held = ["memory/notes.md", f"memory/{REVISIONS}", "recall.sqlite"]
    assert holding(tmp_path) == held, "of the notes: the text is not known any more, and nothing was told"


def test_a_session_begun_anew_under_a_forgotten_name_is_kept(
    kit: Kit, box: Mailbox, memory_bench: MemoryBench
) -> None:
    forget(box, session="other")
    memory_bench.log("other", User(text="a fresh start"), Assistant(content="yes"), Usage())
    kit.runtime.stop("memory")
    again = kit.start("memory", memory_bench.make)
    log(again)
    assert memory_bench.sessions.exists("other")


def test_a_damaged_log_is_said_and_stops_nothing_else(box: Mailbox, memory_bench: MemoryBench) -> None:
    path = memory_bench.sessions.folder / "k3f" / "0.jsonl"
    data = bytearray(path.read_bytes())
    data[data.index(b"I hide")] ^= 1
    path.write_bytes(bytes(data))
    found = forget(box, text="marmalade jar")
    assert (found.done, found.sessions) == (True, ("other",))
    assert ["session k3f" in sentence and "may hold the text" in sentence for sentence in found.left] == [
        True
    ]


def test_labels_of_other_entries_stay(box: Mailbox) -> None:
    edit(box, "add", "notes", text="call this number", state=UNTRUSTED)
    forget(box, text="marmalade jar")
    found = recall(box, "number", session="none")
    assert found.label.untrusted
    assert found.label != NEW_SESSION
