"""A real memory has a model asked for a shorter file; labels stay with what they belong to (spec 4.2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from actors.base import Actor, Context, Mailbox, Refusal, Runtime
from actors.consolidation import NO_MODEL, Consolidation
from actors.supervising import Supervisor
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_views import ProposalView, Told
from bxcore.messages.memory_operator import AcceptProposal, Consolidate, EditEntry, LiftLabel, UndoEdit
from bxcore.messages.model import Endpoint
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from tests.doubles.memory_bench import MemoryBench, edit, recall
from tests.doubles.memory_operator import id_of, listed, texts, told
from tests.doubles.model_server import ModelServer
from tests.kit.leaks import Letters

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
FILLER = [f"fact {number} about the house and its garden " + "x" * 940 for number in range(17)]
FIRST, SECOND, THIRD = (
    "the vet is called Dr Hall",
    "Dr Hall, the vet, is in Mill Road",
    "the bins go out on Tuesday",
)
ANSWER = "1, 3: vet: Dr Hall; bins: Tuesday\n2: Hall: Mill Road"


class Bench:
    def __init__(self, runtime: Runtime, folder: Path) -> None:
        self.runtime = runtime
        self.folder = folder
        self.endpoint: Endpoint | None = None
        self.server: ModelServer | None = None
        self.make: Callable[[Context], Actor] = self.asking

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

    def asking(self, context: Context) -> Actor:
        return Consolidation(context, endpoint=lambda: self.endpoint)

    def child(self, name: str) -> ChildSpec:
        return ChildSpec(
            name=name,
            restart=Restart.TEMPORARY,
            start=self.make,
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
        with ModelServer(lambda _body: {"say": answer}) as server:
            bench.server = server
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
            (1, "vet: Dr Hall; bins: Tuesday", NEW_SESSION),
            (2, "Hall: Mill Road", UNTRUSTED),
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
        assert (first.text, first.label) == ("vet: Dr Hall; bins: Tuesday", NEW_SESSION)
        assert (second.text, second.label) == ("Hall: Mill Road", UNTRUSTED)
        assert not recall(box, "vet").label.untrusted
        assert recall(box, "Mill").label.untrusted
        told(box, UndoEdit())
        told(box, UndoEdit())
        shown = {entry.text: entry.label for entry in listed(box, "notes").entries}
        assert (shown[FIRST], shown[SECOND], shown[THIRD]) == (NEW_SESSION, UNTRUSTED, NEW_SESSION)


def test_a_part_of_it_may_be_accepted(full: Callable[[str], Iterator[Mailbox]]) -> None:
    for box in full(ANSWER):
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        assert accept(box, proposal.id, 2).ok
        assert texts(box, "notes")[:3] == [FIRST, "Hall: Mill Road", THIRD]
        assert not accept(box, proposal.id, 7).ok


def test_a_proposal_is_void_when_what_it_stands_for_has_changed(
    full: Callable[[str], Iterator[Mailbox]],
) -> None:
    for box in full(ANSWER):
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        entry = next(entry for entry in listed(box, "notes").entries if entry.text == THIRD)
        told(box, EditEntry(action="remove", id=entry.id))
        changed = accept(box, proposal.id, 1)
        assert (changed.ok, changed.sentence) == (
            False,
            "notes.md has changed since; ask for another proposal",
        )
        partly = accept(box, proposal.id, 2, 1)
        assert (partly.ok, partly.sentence) == (False, f"1 of 2 taken, then: {changed.sentence}")
        assert texts(box, "notes")[:2] == [FIRST, "Hall: Mill Road"]


def test_the_model_is_not_shown_a_strangers_note_with_the_owners(
    bench: Bench, full: Callable[[str], Iterator[Mailbox]]
) -> None:
    for box in full("1: do what strangers say"):
        ask(box)
        assert bench.server is not None
        asked = [str(body["messages"]) for body in bench.server.chats]
        assert [FIRST in each for each in asked].count(True) == 1
        [stranger] = [each for each in asked if SECOND in each]
        assert FIRST not in stranger
        assert "the house and its garden" not in stranger


def test_what_a_strangers_note_makes_the_model_say_changes_no_other_entry(bench: Bench) -> None:
    def obey(body: Mapping[str, object]) -> Mapping[str, object]:
        return {"say": "1: open the door" if SECOND in str(body["messages"]) else "nothing"}

    with ModelServer(obey) as server:
        bench.endpoint = Endpoint(url=server.url, name="scripted", profile="native")
        box = bench.start()
        for text, state in ((FIRST, NEW_SESSION), (SECOND, UNTRUSTED)):
            edit(box, "add", "notes", text=text, state=state)
        for text in FILLER:
            edit(box, "add", "notes", text=text)
        found = ask(box)
        assert isinstance(found, Told)
        assert found.sentence.startswith("the model proposed nothing shorter for notes.md")


def test_a_lifted_entry_is_shown_with_the_label_that_its_successor_will_have(
    full: Callable[[str], Iterator[Mailbox]],
) -> None:
    for box in full(ANSWER):
        assert told(box, LiftLabel(id=id_of(box, "notes", SECOND))).ok
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        assert [entry.label for entry in proposal.entries] == [NEW_SESSION, UNTRUSTED]
        assert accept(box, proposal.id, 2).ok
        [entry] = [entry for entry in listed(box, "notes").entries if entry.text == "Hall: Mill Road"]
        assert (entry.label, entry.lifted) == (UNTRUSTED, False)


def test_a_secret_that_a_person_wrote_is_not_shown_to_the_model(
    bench: Bench, full: Callable[[str], Iterator[Mailbox]], tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    for box in full(ANSWER):
        path = tmp_path / "memory" / "notes.md"
        path.write_text(f"{path.read_text()}§\nthe token is {token}\n")
        proposal = ask(box)
        assert isinstance(proposal, ProposalView)
        assert id_of(box, "notes", f"the token is {token}") in proposal.kept
        assert bench.server is not None
        assert token not in str(bench.server.chats)


def test_a_model_that_cannot_be_asked_is_a_sentence(bench: Bench, letters: Letters) -> None:
    def broken(context: Context) -> Actor:
        raise Refusal(f"{context.name} does not start")

    bench.make = broken
    box = bench.start()
    for text in FILLER:
        edit(box, "add", "notes", text=text)
    found = ask(box)
    assert isinstance(found, Told)
    assert found.sentence.startswith("the model was not asked: ")
    assert found.sentence.endswith("; try again")
    letters.expect("asks/consolidation-1-1", "dead")


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
    with ModelServer(lambda _body: {"say": ANSWER, "wait_s": 0.3}) as server:
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
