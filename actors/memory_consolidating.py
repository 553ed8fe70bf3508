"""A shorter set for a memory file: proposed by the model, taken by the owner (spec 4.2).

A room of ``actors/memory.py``. The memory does not wait for the model: a short-lived actor asks it. Proposals
live as long as this actor.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from actors.base import Actor, Answer, Delivery, Failed, Late, Mailbox, Refusal, Reply, Runtime
from bxcore import memory_consolidation as rules
from bxcore.args.memory import FILES
from bxcore.labels import Label, join
from bxcore.memory_consolidation import NoProposal, Portion, Shorter
from bxcore.memory_entries import LIMITS, NotEdited, size
from bxcore.memory_ids import entry_id
from bxcore.memory_views import ProposalView, ProposedEntry, Told
from bxcore.messages.consolidation import NotShortened, Shorten, Shortened
from bxcore.messages.memory import ProposalCame
from bxcore.messages.memory_operator import AcceptProposal, Consolidate
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec
from bxio.memory_files import OPERATOR, MemoryFiles, MemoryFilesError

MODEL_S = 300.0
"""For the model to write a whole file anew."""
KEPT = 8
"""Proposals that wait for the owner's word."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    file: str
    entries: tuple[str, ...]
    shorter: tuple[Shorter, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A file as it was when the model was asked, and who waits."""

    file: str
    entries: tuple[str, ...]
    portions: tuple[Portion, ...]
    reply: Reply | None


class Consolidating:
    """Used by the memory's thread; ``child`` gives the spec of a ``Consolidation``, None for no model."""

    def __init__(
        self,
        *,
        actor: Actor,
        runtime: Runtime,
        files: MemoryFiles,
        asks: Mailbox,
        child: Callable[[str], ChildSpec] | None,
    ) -> None:
        self._actor = actor
        self._runtime = runtime
        self._files = files
        self._mailbox = asks
        self._child = child
        self._asked: dict[int, _Asked] = {}
        self._number = 0
        self._proposals: OrderedDict[str, _Proposal] = OrderedDict()

    def answer(self, message: Consolidate | AcceptProposal) -> Told | None:
        """Ask the model and answer later, or take a proposal."""
        try:
            if isinstance(message, Consolidate):
                return self._ask(message.file)
            return self._accept(message)
        except MemoryFilesError as error:
            raise Refusal(error.sentence) from None

    def _ask(self, file: str) -> Told | None:
        if file not in FILES:
            return Told(
                ok=False, sentence=f"there is no file {file[:20]!r}; write memory, user or notes", known=False
            )
        entries = self._files.texts(file)
        too_empty = rules.too_empty(file, entries)
        if too_empty is not None:
            return Told(ok=False, sentence=too_empty)
        if self._child is None:
            return Told(ok=False, sentence="there is no model to ask")
        portions = rules.portions(entries, [self._label(file, (text,)) for text in entries])
        if not portions:
            return Told(ok=False, sentence=f"each entry of {file}.md holds a secret; take those out first")
        self._number += 1
        deadline_s = self._actor.now() + MODEL_S
        shorten = Shorten(portions=tuple(rules.question(entries, portion) for portion in portions))
        asked = self._start(self._child, shorten, deadline_s)
        reply = self._actor.reply_later()
        if reply is not None:
            reply.on_abandon(asked.abandon)
        key = self._number
        self._asked[key] = _Asked(file, entries, portions, reply)
        self._actor.pipe([asked], deadline_s, lambda found: ProposalCame(key=key, outcome=found[0]))
        return None

    def _start(self, child: Callable[[str], ChildSpec], shorten: Shorten, deadline_s: float) -> Reply:
        name = f"{self._mailbox.name}/consolidation-{self._actor.incarnation}-{self._number}"
        box = self._runtime.mailbox(name, bound=4)
        if self._mailbox.tell(StartChild(spec=child(name), mailbox=box)) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box.ask(shorten, deadline_s)

    def _label(self, file: str, texts: Iterable[str]) -> Label:
        """What an entry that stands for these will have: a lifted label is back once the bytes change."""
        return join(*(self._files.known.came_with(file, text) for text in texts))

    def came(self, message: ProposalCame) -> None:
        """Answer with what can stand of the model's words."""
        asked = self._asked.pop(message.key)
        if asked.reply is not None and not asked.reply.abandoned:
            asked.reply.set(self._outcome(asked, message.outcome))

    def _outcome(self, asked: _Asked, outcome: object) -> ProposalView | Told:
        match outcome:
            case Answer(value=Shortened(texts=texts)):
                answers = zip(asked.portions, texts, strict=False)
                found = rules.proposal(asked.file, asked.entries, answers)
            case Answer(value=NotShortened(sentence=sentence)):
                return Told(ok=False, sentence=sentence)
            case Failed(error=error):
                return Told(ok=False, sentence=f"the model was not asked: {error.sentence}; try again")
            case Late():
                return Told(ok=False, sentence=f"the model gave no answer in {MODEL_S:.0f} s; try again")
            case _:
                raise TypeError(type(outcome).__name__)
        if isinstance(found, NoProposal):
            return Told(ok=False, sentence=found.sentence)
        return self._keep(_Proposal(asked.file, asked.entries, found))

    def _keep(self, proposal: _Proposal) -> ProposalView:
        file = proposal.file
        key = entry_id(file, "\n".join(each.text for each in proposal.shorter))
        self._proposals[key] = proposal
        while len(self._proposals) > KEPT:
            self._proposals.popitem(last=False)
        replaced = {text for each in proposal.shorter for text in each.sources}
        return ProposalView(
            file=file,
            id=key,
            size_before=size(proposal.entries),
            size_after=rules.size_after(proposal.entries, proposal.shorter),
            limit=LIMITS[file],
            entries=tuple(
                ProposedEntry(
                    number=number,
                    text=each.text,
                    stands_for=tuple(entry_id(file, text) for text in each.sources),
                    label=self._label(file, each.sources),
                )
                for number, each in enumerate(proposal.shorter, 1)
            ),
            kept=tuple(entry_id(file, text) for text in proposal.entries if text not in replaced),
        )

    def _accept(self, message: AcceptProposal) -> Told:
        proposal = self._proposals.get(message.id)
        if proposal is None:
            again = "proposals end with a restart; ask for another one"
            return Told(ok=False, sentence=f"there is no proposal {message.id[:20]!r}; {again}", known=False)
        count = len(proposal.shorter)
        numbers = range(1, count + 1) if message.numbers is None else message.numbers
        wrong = [number for number in numbers if not 1 <= number <= count]
        if wrong or not numbers:
            return Told(ok=False, sentence=f"the proposal has entries 1 to {count}; choose among them")
        return self._take(proposal, [proposal.shorter[number - 1] for number in dict.fromkeys(numbers)])

    def _take(self, proposal: _Proposal, chosen: Sequence[Shorter]) -> Told:
        """Each is an edit of its own, with its own label; one that cannot be made ends it, and says so."""
        file, failed, taken = proposal.file, "", 0
        for shorter in chosen:
            failed = self._not_taken(file, shorter)
            if failed:
                break
            taken += 1
        done = f"{taken} of {len(proposal.shorter)} taken"
        if failed:
            return Told(ok=False, sentence=f"{done}, then: {failed}" if taken else failed)
        held = size(self._files.texts(file))
        return Told(ok=True, sentence=f"{done}; {file}.md holds {held} of {LIMITS[file]} characters")

    def _not_taken(self, file: str, shorter: Shorter) -> str:
        """Why one entry of a proposal cannot be taken; empty when it is in the file now."""
        try:
            edited = self._files.edit(file, partial(rules.accept, file, chosen=shorter), OPERATOR)
        except MemoryFilesError as error:
            return error.sentence
        return edited.sentence if isinstance(edited, NotEdited) else ""
