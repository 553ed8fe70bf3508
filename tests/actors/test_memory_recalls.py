from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from actors import memory_recalls, memory_turns
from actors.base import Mailbox
from bxcore.decide import Send, Workspace
from bxcore.labels import NEW_SESSION
from bxcore.messages.memory_operator import Forget
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.recall_facts import RecallFacts
from bxcore.recall_hits import NO_TELLING_WORD
from bxcore.records import Assistant, SessionStart, Usage, User
from bxio.recall import RecallIndex, RecallIndexError
from tests.doubles.memory_bench import (
    TAINTING,
    TOKEN,
    UNTRUSTED,
    MemoryBench,
    delivered,
    edit,
    ended,
    recall,
    restarted,
)
from tests.kit.kit import Kit
from tests.kit.probe import Probe


def test_a_turn_is_found_the_moment_its_end_was_handled(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "Remember: the spare keys are in the blue tin.", "I will.")
    ended(memory_box, "k3f", 1)
    found = recall(memory_box, "Where is the spare key?")
    assert found.content == (
        "[1] memory · session k3f turn 1, 2026-11-02 · private\n"
        "    said: Remember: the spare keys are in the blue tin. / reply: I will."
    )
    assert (found.ok, found.label) == (True, NEW_SESSION)
    memory_outbox.expect(Deliver)


def test_the_running_session_is_not_found_in_itself(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "the blue tin")
    ended(memory_box, "k3f", 1)
    assert recall(memory_box, "tin", session="k3f").content == (
        "nothing found; searched 1 turn and 0 notes; other words may find more"
    )
    memory_outbox.expect(Deliver)


def test_an_earlier_epoch_of_the_running_session_is_found_in_it(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "the blue tin")
    opened = memory_bench.sessions.open("k3f")
    opened.begin_epoch(SessionStart(baseline="", epoch=1, turns=opened.turns, summary="a tin"))
    opened.append([User(text="a red tin", speaker="owner"), Assistant(content="fine"), Usage()])
    opened.close()
    ended(memory_box, "k3f", 2)
    found = recall(memory_box, "tin", session="k3f").content
    assert "session k3f turn 1" in found
    assert "red" not in found
    assert "red" in recall(memory_box, "tin", session="other").content
    memory_outbox.expect(Deliver)


def test_what_a_tool_returned_is_never_indexed(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.log(
        "k3f", User(text="what is there?", speaker="owner"), TAINTING, Assistant(content="a jar"), Usage()
    )
    ended(memory_box, "k3f", 1)
    assert "nothing found" in recall(memory_box, "hearsay").content
    found = recall(memory_box, "jar")
    assert found.label == UNTRUSTED
    assert "nothing found" in recall(memory_box, "jar", trusted_only=True).content
    memory_outbox.expect(Deliver)


def test_a_secret_is_not_in_the_index(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe, tmp_path: Path
) -> None:
    memory_bench.turn("k3f", f"my token is {TOKEN}", "noted")
    ended(memory_box, "k3f", 1)
    assert "[secret-github]" in recall(memory_box, "token").content
    (tmp_path / "memory" / "notes.md").write_text(f"a marmalade {TOKEN}\n")
    assert "[secret-github]" in recall(memory_box, "marmalade").content
    assert TOKEN.encode() not in (tmp_path / "recall.sqlite").read_bytes()
    memory_outbox.expect(Deliver)


def test_a_note_written_by_hand_is_found_at_once(memory_box: Mailbox, tmp_path: Path) -> None:
    assert "nothing found" in recall(memory_box, "marmalade").content
    (tmp_path / "memory" / "notes.md").write_text("the marmalade is up there\n")
    assert "up there" in recall(memory_box, "marmalade").content
    (tmp_path / "memory" / "notes.md").unlink()
    assert "nothing found" in recall(memory_box, "marmalade").content


def test_the_index_is_made_anew_from_logs_and_notes(  # noqa: PLR0913 (fixtures)
    kit: Kit,
    memory_bench: MemoryBench,
    memory_box: Mailbox,
    memory_outbox: Probe,
    tmp_path: Path,
    *,
    logged: list[str],
) -> None:
    for session in ("a", "b"):
        memory_bench.turn(session, f"marmalade {session}")
        ended(memory_box, session, 1)
        memory_outbox.expect(Deliver)
    edit(memory_box, "add", "notes", text="marmalade note")
    for spoilt in (None, b"nonsense" * 900):
        kit.runtime.stop("memory")
        (tmp_path / "recall.sqlite").unlink()
        if spoilt is not None:
            (tmp_path / "recall.sqlite").write_bytes(spoilt)
        memory_box = kit.start("memory", memory_bench.make)
        kit.settle()
        assert recall(memory_box, "marmalade").content.count("· private") == 3
        memory_outbox.expect(LookAgain)
        memory_outbox.expect_none()
    assert [line for line in logged if "recall" in line] == [
        "recall: the index was damaged and is made anew from the logs"
    ]


def test_an_index_that_fails_under_way_is_made_anew_by_itself(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe, tmp_path: Path
) -> None:
    memory_bench.turn("a", "marmalade")
    ended(memory_box, "a", 1)
    memory_outbox.expect(Deliver)
    path = tmp_path / "recall.sqlite"
    path.write_bytes(b"\xa5" * path.stat().st_size)
    broken = recall(memory_box, "marmalade")
    assert (broken.ok, broken.content) == (
        False, "recall: the index is not sound and is made anew; ask again in a moment"
    )  # fmt: skip
    recall(memory_box, "marmalade")
    kit.settle()
    assert "said: marmalade" in recall(memory_box, "marmalade").content


def test_without_an_index_all_else_works(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe, tmp_path: Path
) -> None:
    (tmp_path / "recall.sqlite").mkdir()
    memory_box = kit.start("memory", memory_bench.make)
    memory_bench.turn("a", "marmalade")
    ended(memory_box, "a", 1)
    assert edit(memory_box, "add", "notes", text="x").ok
    assert "recall.sqlite cannot be made: " in recall(memory_box, "marmalade").content
    memory_outbox.expect(Deliver)
    (tmp_path / "recall.sqlite").rmdir()
    recall(memory_box, "marmalade")
    kit.settle()
    assert "said: marmalade" in recall(memory_box, "marmalade").content


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Catch up two turns at a time, and look at the mailbox between."""
    monkeypatch.setattr(memory_turns, "SLICE_S", -1.0)
    monkeypatch.setattr(memory_recalls, "AT_ONCE", 2)
    return iter(())


def marmalades(memory_box: Mailbox) -> int:
    """How many turns of that word are found."""
    return recall(memory_box, "marmalade", k=20).content.count("said: marmalade")


@pytest.mark.usefixtures("in_small_pieces")
def test_a_long_session_is_taken_in_bit_by_bit_and_others_are_answered_meanwhile(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    for number in range(19):
        memory_bench.turn("long", f"marmalade {number}")
    memory_box = kit.start("memory", memory_bench.make)
    seen = [marmalades(memory_box) for _ in range(60)]
    assert seen == sorted(seen)
    assert any(0 < number < 19 for number in seen)
    assert seen[-1] == 19
    assert [turn for _, turn, _ in delivered(memory_outbox)] == [*range(1, 20)]


LONG = 40


def in_part(kit: Kit, memory_bench: MemoryBench) -> Mailbox:
    """A memory that has taken in a part of a long session."""
    for number in range(LONG):
        memory_bench.turn("long", f"marmalade {number}")
    memory_box = kit.start("memory", memory_bench.make)
    while not marmalades(memory_box):
        pass
    return memory_box


def every_turn(memory_box: Mailbox) -> bool:
    """Whether each turn of the long session is found, once."""
    return all(
        recall(memory_box, f"{number}", k=20).content.count(f"said: marmalade {number} /") == 1
        for number in range(LONG)
    )


@pytest.mark.usefixtures("in_small_pieces")
def test_a_turn_that_ends_while_its_session_is_taken_in_is_there_once_with_all_others(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_box = in_part(kit, memory_bench)
    memory_bench.turn("long", "saffron")
    ended(memory_box, "long", LONG + 1)
    assert recall(memory_box, "saffron").content.count("saffron") == 1
    assert every_turn(memory_box)
    kit.settle()
    assert every_turn(memory_box)
    assert len(delivered(memory_outbox)) == LONG
    assert delivered(memory_outbox) == [("long", LONG + 1, Send(Workspace.TRUSTED, "owner"))]
    memory_outbox.expect_none()


@pytest.mark.usefixtures("in_small_pieces")
def test_a_catch_up_that_was_broken_off_goes_on_at_the_next_start(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    in_part(kit, memory_bench)
    memory_box = restarted(kit, memory_bench)
    kit.settle()
    assert every_turn(memory_box)
    assert len(delivered(memory_outbox)) == LONG


@pytest.mark.usefixtures("in_small_pieces")
def test_what_is_forgotten_while_it_is_taken_in_does_not_come_back(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_box = in_part(kit, memory_bench)
    memory_box.call(Forget(session="long", dry_run=False), 5.0)
    kit.settle()
    assert marmalades(memory_box) == 0
    assert len(delivered(memory_outbox)) == LONG


@pytest.mark.usefixtures("in_small_pieces")
def test_forgetting_another_session_meanwhile_takes_nothing_from_this_one(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_bench.turn("other", "saffron")
    memory_box = in_part(kit, memory_bench)
    memory_box.call(Forget(session="other", dry_run=False), 5.0)
    kit.settle()
    assert every_turn(memory_box)
    assert "nothing found" in recall(memory_box, "saffron").content
    memory_outbox.expect(Deliver)


@pytest.mark.usefixtures("in_small_pieces")
def test_an_index_that_is_lost_while_it_is_filled_is_filled_from_the_start(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe, tmp_path: Path
) -> None:
    memory_box = in_part(kit, memory_bench)
    path = tmp_path / "recall.sqlite"
    path.write_bytes(b"\xa5" * path.stat().st_size)
    recall(memory_box, "marmalade")
    kit.settle()
    assert every_turn(memory_box)
    assert len(delivered(memory_outbox)) == LONG


def test_what_could_not_be_taken_in_is_looked_for_when_something_can(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[RecallFacts] = []
    memory_box = kit.start("memory", replace(memory_bench, publish=told.append).make)
    with monkeypatch.context() as full:
        full.setattr(RecallIndex, "add_turns", no_room)
        memory_bench.turn("a", "marmalade")
        ended(memory_box, "a", 1)
        kit.settle()
    assert (told[-1].ok, told[-1].text) == (False, "the recall index cannot be used: disk full")
    memory_bench.turn("b", "saffron")
    ended(memory_box, "b", 1)
    kit.settle()
    assert (told[-1].ok, told[-1].turns) == (True, 2)
    assert marmalades(memory_box) == 1
    memory_outbox.expect(Deliver)


def no_room(*_args: object, **_fields: object) -> None:
    raise RecallIndexError("the recall index cannot be used: disk full")


def test_the_oldest_turns_are_left_out_when_the_index_takes_more_than_it_may(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    told: list[RecallFacts] = []
    for session in ("a", "b"):
        memory_bench.turn(session, f"marmalade {session}")
    memory_box = kit.start("memory", replace(memory_bench, publish=told.append, most_bytes=1).make)
    kit.settle()
    assert marmalades(memory_box) == 1
    assert (told[-1].turns, told[-1].left_out) == (1, 1)
    memory_outbox.expect(Deliver)


@pytest.mark.usefixtures("in_small_pieces")
def test_the_box_hears_how_far_it_is_and_what_it_holds(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    told: list[RecallFacts] = []
    for session in ("a", "b", "c", "d"):
        memory_bench.turn(session, "marmalade")
    memory_box = kit.start("memory", replace(memory_bench, publish=told.append).make)
    kit.settle()
    edit(memory_box, "add", "notes", text="a note")
    recall(memory_box, "note")
    memory_bench.turn("a", "and more")
    ended(memory_box, "a", 2)
    kit.settle()
    texts = [facts.text for facts in told]
    assert texts[0] == "taking in what was said, 0 % of 4 sessions"
    assert "taking in what was said, 50 % of 4 sessions" in texts
    assert (told[-1].turns, told[-1].notes, told[-1].missing, told[-1].ok) == (5, 1, 0, True)
    assert told[-1].disk_bytes > 10_000


def test_damage_that_a_turn_s_end_finds_is_mended_before_anybody_asks(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe, tmp_path: Path
) -> None:
    for session in ("a", "b"):
        memory_bench.turn(session, "marmalade")
        ended(memory_box, session, 1)
    kit.settle()
    path = tmp_path / "recall.sqlite"
    path.write_bytes(b"\xa5" * path.stat().st_size)
    memory_bench.turn("a", "marmalade again")
    ended(memory_box, "a", 2)
    kit.settle()
    assert marmalades(memory_box) == 3


def test_an_index_that_cannot_be_used_is_a_problem_until_it_can(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe, tmp_path: Path
) -> None:
    told: list[RecallFacts] = []
    (tmp_path / "recall.sqlite").mkdir()
    memory_box = kit.start("memory", replace(memory_bench, publish=told.append).make)
    memory_bench.turn("a", "marmalade")
    ended(memory_box, "a", 1)
    kit.settle()
    assert (told[-1].ok, "recall.sqlite cannot be made" in told[-1].text) == (False, True)
    (tmp_path / "recall.sqlite").rmdir()
    recall(memory_box, "marmalade")
    kit.settle()
    assert (told[-1].ok, told[-1].turns) == (True, 1)


def test_a_question_of_stop_words_alone_says_that_it_tells_nothing(
    memory_bench: MemoryBench, memory_box: Mailbox
) -> None:
    assert recall(memory_box, "what was it with him?").content == NO_TELLING_WORD
    assert recall(memory_box, "???").content == NO_TELLING_WORD
    memory_bench.turn("k3f", "what was in the tin?", "it was tea")
    ended(memory_box, "k3f", 1)
    head, _, last = recall(memory_box, "what was it?").content.rpartition("\n")
    assert head.startswith("[1] memory ")
    assert last == NO_TELLING_WORD
    assert NO_TELLING_WORD not in recall(memory_box, "what was the tea?").content
    assert NO_TELLING_WORD not in recall(memory_box, "what was it?", trusted_only=True).content


def test_a_quoted_empty_answer_is_not_found_again(memory_bench: MemoryBench, memory_box: Mailbox) -> None:
    nothing = recall(memory_box, "marmalade").content
    assert nothing.startswith("nothing found; searched")
    memory_bench.turn("k3f", "is there any marmalade?", nothing)
    ended(memory_box, "k3f", 1)
    assert recall(memory_box, "searched").content.startswith("nothing found")
    assert "searched" not in recall(memory_box, "marmalade").content
