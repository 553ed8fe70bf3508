from __future__ import annotations

from pathlib import Path

import pytest

from actors.base import Mailbox
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.records import Assistant, ToolResult, Usage, User
from tests.doubles.memory_bench import MemoryBench, edit, ended, recall
from tests.kit.kit import Kit
from tests.kit.probe import Probe

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
TOKEN = "ghp_" + "a1B2" * 9
TAINTING = ToolResult(
    call="c", tool="ask_memory", content="marmalade hearsay", ok=True, level=Level.PRIVATE, untrusted=True
)


@pytest.fixture
def outbox(memory_outbox: Probe) -> Probe:
    return memory_outbox


@pytest.fixture
def bench(memory_bench: MemoryBench) -> MemoryBench:
    return memory_bench


@pytest.fixture
def box(memory_box: Mailbox) -> Mailbox:
    return memory_box


def restarted(kit: Kit, bench: MemoryBench) -> Mailbox:
    kit.runtime.stop("memory")
    return kit.start("memory", bench.make)


def delivered(outbox: Probe) -> list[tuple[str, int, object]]:
    return [(row.session, row.turn, row.action) for row in outbox.expect(Deliver).rows]


def test_a_turn_is_found_the_moment_its_end_was_handled(
    kit: Kit, bench: MemoryBench, box: Mailbox, outbox: Probe
) -> None:
    bench.turn("k3f", "Remember: the spare keys are in the blue tin.", "I will.")
    ended(box, "k3f", 1)
    found = recall(box, "Where is the spare key?")
    assert found.content == (
        "[1] memory · session k3f turn 1, 2026-11-02 · private\n"
        "    said: Remember: the spare keys are in the blue tin. / reply: I will."
    )
    assert (found.ok, found.label) == (True, NEW_SESSION)
    outbox.expect(Deliver)


def test_the_running_session_is_not_found_in_itself(
    kit: Kit, bench: MemoryBench, box: Mailbox, outbox: Probe
) -> None:
    bench.turn("k3f", "the blue tin")
    ended(box, "k3f", 1)
    assert recall(box, "tin", session="k3f").content == (
        "nothing found; searched 1 turn and 0 notes; other words may find more"
    )
    outbox.expect(Deliver)


def test_what_a_tool_returned_is_never_indexed(bench: MemoryBench, box: Mailbox, outbox: Probe) -> None:
    bench.log(
        "k3f", User(text="what is there?", speaker="owner"), TAINTING, Assistant(content="a jar"), Usage()
    )
    ended(box, "k3f", 1)
    assert "nothing found" in recall(box, "hearsay").content
    found = recall(box, "jar")
    assert found.label == UNTRUSTED
    assert "nothing found" in recall(box, "jar", trusted_only=True).content
    outbox.expect(Deliver)


def test_a_secret_is_not_in_the_index(
    bench: MemoryBench, box: Mailbox, outbox: Probe, tmp_path: Path
) -> None:
    bench.turn("k3f", f"my token is {TOKEN}", "noted")
    ended(box, "k3f", 1)
    assert "[secret-github]" in recall(box, "token").content
    (tmp_path / "memory" / "notes.md").write_text(f"a marmalade {TOKEN}\n")
    assert "[secret-github]" in recall(box, "marmalade").content
    assert TOKEN.encode() not in (tmp_path / "recall.sqlite").read_bytes()
    outbox.expect(Deliver)


def test_a_note_written_by_hand_is_found_at_once(box: Mailbox, tmp_path: Path) -> None:
    assert "nothing found" in recall(box, "marmalade").content
    (tmp_path / "memory" / "notes.md").write_text("the marmalade is up there\n")
    assert "up there" in recall(box, "marmalade").content
    (tmp_path / "memory" / "notes.md").unlink()
    assert "nothing found" in recall(box, "marmalade").content


def test_the_index_is_made_anew_from_logs_and_notes(  # noqa: PLR0913 (fixtures)
    kit: Kit, bench: MemoryBench, box: Mailbox, outbox: Probe, tmp_path: Path, *, logged: list[str]
) -> None:
    for session in ("a", "b"):
        bench.turn(session, f"marmalade {session}")
        ended(box, session, 1)
        outbox.expect(Deliver)
    edit(box, "add", "notes", text="marmalade note")
    for spoilt in (None, b"nonsense" * 900):
        kit.runtime.stop("memory")
        (tmp_path / "recall.sqlite").unlink()
        if spoilt is not None:
            (tmp_path / "recall.sqlite").write_bytes(spoilt)
        box = kit.start("memory", bench.make)
        kit.settle()
        assert recall(box, "marmalade").content.count("· private") == 3
        outbox.expect(LookAgain)
        outbox.expect_none()
    assert [line for line in logged if "recall" in line] == [
        "recall: the index was damaged and is made anew from the logs"
    ]


def test_an_index_that_fails_under_way_is_made_anew_by_itself(
    kit: Kit, bench: MemoryBench, box: Mailbox, outbox: Probe, tmp_path: Path
) -> None:
    bench.turn("a", "marmalade")
    ended(box, "a", 1)
    outbox.expect(Deliver)
    path = tmp_path / "recall.sqlite"
    path.write_bytes(b"\xa5" * path.stat().st_size)
    broken = recall(box, "marmalade")
    assert (broken.ok, broken.content) == (
        False, "recall: the index is not sound and is made anew; ask again in a moment"
    )  # fmt: skip
    recall(box, "marmalade")
    kit.settle()
    assert "said: marmalade" in recall(box, "marmalade").content


def test_without_an_index_all_else_works(kit: Kit, bench: MemoryBench, outbox: Probe, tmp_path: Path) -> None:
    (tmp_path / "recall.sqlite").mkdir()
    box = kit.start("memory", bench.make)
    bench.turn("a", "marmalade")
    ended(box, "a", 1)
    assert edit(box, "add", "notes", text="x").ok
    assert "recall.sqlite cannot be made: " in recall(box, "marmalade").content
    outbox.expect(Deliver)
    (tmp_path / "recall.sqlite").rmdir()
    recall(box, "marmalade")
    kit.settle()
    assert "said: marmalade" in recall(box, "marmalade").content
