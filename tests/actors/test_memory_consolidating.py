"""A real memory has a model asked for a shorter file; labels stay with what they belong to (spec 4.2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.base import Mailbox, Runtime
from actors.consolidation import NO_MODEL, Consolidation
from actors.supervising import Supervisor
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_views import ProposalView, Told
from bxcore.messages.memory_operator import AcceptProposal, Consolidate, EditEntry, UndoEdit
from bxcore.messages.model import Endpoint
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from tests.doubles.memory_bench import MemoryBench, edit, recall
from tests.doubles.memory_operator import listed, texts, told
from tests.doubles.model_server import ModelServer

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
FILLER = [f"fact {number} about the house and its garden " + "x" * 940 for number in range(17)]
FIRST, SECOND, THIRD = (
    "the vet is called Dr Hall",
    "Dr Hall, the vet, is in Mill Road",
    "the bins go out on Tuesday",
)
ANSWER = "1, 2: vet: Dr Hall, Mill Road\n3: bins: Tuesday"


class Bench:
    def __init__(self, runtime: Runtime, folder: Path) -> None:
        self.runtime = runtime
        self.folder = folder
        self.endpoint: Endpoint | None = None

    def start(self) -> Mailbox:
        spec = SupervisorSpec(max_children=8)
        asks = self.runtime.start("asks", lambda context: Supervisor(context, spec))
        bench = MemoryBench(
            folder=self.folder,
            asks=asks,
            outbox=self.runtime.mailbox("outbox"),
            consolidation=self.child,
        )
        return self.runtime.start("memory", bench.make)

    def child(self, name: str) -> ChildSpec:
        return ChildSpec(
            name=name,
            restart=Restart.TEMPORARY,
            start=lambda context: Consolidation(context, endpoint=lambda: self.endpoint),
        )


@pytest.fixture
def bench(runtime: Runtime, tmp_path: Path) -> Iterator[Bench]:
    yield Bench(runtime, tmp_path)
    for name in ("memory", "asks"):
        if runtime.life(name) is not None:
            runtime.stop(name)


@pytest.fixture
def full(bench: Bench) -> Callable[[str], Iterator[Mailbox]]:
    """Fill the notes, the second of them untrusted, and have a model answer with a text."""

    def fill(answer: str) -> Iterator[Mailbox]:
        with ModelServer([{"say": answer}]) as server:
            bench.endpoint = Endpoint(url=server.url, name="scripted", profile="native")
            box = bench.start()
            for text, state in ((FIRST, NEW_SESSION), (SECOND, UNTRUSTED), (THIRD, NEW_SESSION)):
                edit(box, "add", "notes", text=text, state=state)
            for text in FILLER:
                edit(box, "add", "notes", text=text)
            yield box

    return fill


def ask(box: Mailbox, file: str = "notes") -> object:
    return box.call(Consolidate(file=file), 20.0)


def accept(box: Mailbox, key: str, *numbers: int) -> Told:
    found = box.call(AcceptProposal(id=key, numbers=numbers or None), 5.0)
    assert isinstance(found, Told)
    return found


def test_a_proposal_is_shown_and_changes_nothing(full: Callable[[str], Iterator[Mailbox]]) -> None:
    for box in full(ANSWER):
        before = texts(box, "notes")
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        assert [(entry.number, entry.text, entry.label) for entry in proposal.entries] == [
            (1, "vet: Dr Hall, Mill Road", UNTRUSTED),
            (2, "bins: Tuesday", NEW_SESSION),
        ]
        assert proposal.size_after < proposal.size_before
        assert len(proposal.kept) == len(FILLER)
        assert texts(box, "notes") == before


def test_what_is_accepted_has_the_labels_of_what_it_stands_for(
    full: Callable[[str], Iterator[Mailbox]],
) -> None:
    for box in full(ANSWER):
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        done = accept(box, proposal.id)
        assert done.sentence.startswith("2 of 2 taken; notes.md holds ")
        first, second, *_ = listed(box, "notes").entries
        assert (first.text, first.label) == ("vet: Dr Hall, Mill Road", UNTRUSTED)
        assert (second.text, second.label) == ("bins: Tuesday", NEW_SESSION)
        assert recall(box, "vet").label.untrusted
        told(box, UndoEdit())
        told(box, UndoEdit())
        shown = {entry.text: entry.label for entry in listed(box, "notes").entries}
        assert (shown[FIRST], shown[SECOND], shown[THIRD]) == (NEW_SESSION, UNTRUSTED, NEW_SESSION)


def test_a_part_of_it_may_be_accepted(full: Callable[[str], Iterator[Mailbox]]) -> None:
    for box in full(ANSWER):
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        assert accept(box, proposal.id, 2).ok
        assert texts(box, "notes")[:3] == [FIRST, SECOND, "bins: Tuesday"]
        assert not accept(box, proposal.id, 7).ok


def test_a_proposal_is_void_when_what_it_stands_for_has_changed(
    full: Callable[[str], Iterator[Mailbox]],
) -> None:
    for box in full(ANSWER):
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        entry = next(entry for entry in listed(box, "notes").entries if entry.text == THIRD)
        told(box, EditEntry(action="remove", id=entry.id))
        changed = accept(box, proposal.id, 2)
        assert (changed.ok, changed.sentence) == (
            False,
            "notes.md has changed since; ask for another proposal",
        )


@pytest.mark.parametrize("answer", ["I would rather not.", "1: " + FIRST, ""])
def test_an_answer_with_nothing_shorter_is_a_sentence(
    full: Callable[[str], Iterator[Mailbox]], answer: str
) -> None:
    for box in full(answer):
        found = ask(box)
        assert isinstance(found, Told)
        assert not found.ok


def test_a_file_with_room_is_not_worth_it(bench: Bench) -> None:
    found = ask(bench.start())
    assert isinstance(found, Told)
    assert found.sentence.startswith("notes.md holds 0 of 20000 characters")


def test_without_a_model_it_says_what_to_do(bench: Bench) -> None:
    box = bench.start()
    for text in FILLER:
        edit(box, "add", "notes", text=text)
    assert ask(box) == Told(ok=False, sentence=NO_MODEL)


def test_the_memory_answers_others_while_the_model_thinks(bench: Bench) -> None:
    with ModelServer([{"say": ANSWER, "wait_s": 1.0}]) as server:
        bench.endpoint = Endpoint(url=server.url, name="scripted", profile="native")
        box = bench.start()
        for text in FILLER:
            edit(box, "add", "notes", text=text)
        asked = box.ask(Consolidate(file="notes"), time.monotonic() + 20)
        recall(box, "garden")
        assert asked.pending
        assert asked.get(20.0) is not None


def test_an_unknown_file_or_proposal_is_a_no(bench: Bench) -> None:
    box = bench.start()
    found = ask(box, "diary")
    assert isinstance(found, Told)
    assert not found.known
    assert "proposals end with a restart" in accept(box, "abcdef").sentence
