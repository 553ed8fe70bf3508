"""Honcho's search beside a recall: both own workspaces at once, two seconds (spec 4.3).

A room of ``actors/memory.py``. The memory does not wait: meanwhile it answers others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from loguru import logger

from actors.base import Actor, Answer, Delivery, Failed, Late, Reply, Runtime
from actors.memory_parts import Asking
from bxcore import honcho_hits, recalled
from bxcore.labels import NEW_SESSION
from bxcore.messages.honcho_search import Found, FoundMessage, Search, SearchUnavailable
from bxcore.messages.memory import Recall, SearchesGathered
from bxcore.messages.supervision import StartChild
from bxcore.recall_hits import NO_TELLING_WORD, Hit, Searched
from bxcore.recalled import Item
from bxcore.sanitize import has_secret
from bxcore.tool_answer import ToolAnswer
from bxcore.workspaces import OWN, UNTRUSTED, Readable


@dataclass(frozen=True, slots=True)
class Looked:
    """What the own index found; when that is nothing, how much there was to search.

    ``vague`` says that the question has only stop words.
    """

    hits: Sequence[Hit]
    searched: Searched | None
    vague: bool = False

    def answer(self, k: int, others: Sequence[Item] = ()) -> ToolAnswer:
        """At most ``k`` items, or what was searched in vain."""
        items = honcho_hits.beside([hit.item() for hit in self.hits], others, k)
        if not items and self.searched is not None:
            said = NO_TELLING_WORD if self.vague else self.searched.nothing_found()
            return ToolAnswer(ok=True, content=said, label=NEW_SESSION)
        beside = f"\n{NO_TELLING_WORD}" if self.vague else ""
        return ToolAnswer(ok=True, content=recalled.render(items) + beside, label=recalled.label(items))


@dataclass(frozen=True, slots=True)
class _Waiting:
    recall: Recall
    looked: Looked
    reply: Reply | None


class HonchoSearches:
    """Used by the memory's thread; ``actor`` is the memory."""

    def __init__(self, actor: Actor, runtime: Runtime, asking: Asking) -> None:
        self._actor = actor
        self._runtime = runtime
        self._asking = asking
        self._own = tuple(each for each in asking.readable if each.name in {OWN, UNTRUSTED})
        self._waiting: dict[int, _Waiting] = {}
        self._number = 0

    def can_ask(self, query: str) -> bool:
        """Whether a query may be sent at all: there is whom to ask, and it holds no secret."""
        return self._asking.search is not None and bool(self._own) and not has_secret(query)

    def ask(self, recall: Recall, looked: Looked) -> None:
        """Start a search a workspace; ``answer`` comes when they are over."""
        self._number += 1
        key, deadline_s = self._number, self._actor.now() + self._asking.search_s
        replies = [self._start(readable, recall, deadline_s) for readable in self._own]
        reply = self._actor.reply_later()
        if reply is not None:
            reply.on_abandon(partial(_give_up, replies))
        self._waiting[key] = _Waiting(recall, looked, reply)
        self._actor.pipe(replies, deadline_s, lambda found: SearchesGathered(key=key, outcomes=tuple(found)))

    def _start(self, readable: Readable, recall: Recall, deadline_s: float) -> Reply:
        assert self._asking.search is not None
        asks = self._asking.asks
        name = f"{asks.name}/{self._actor.incarnation}-{self._number}-{readable.name}-search"
        box = self._runtime.mailbox(name, bound=4)
        child = StartChild(spec=self._asking.search(name, readable.workspace), mailbox=box)
        if asks.tell(child) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box.ask(Search(query=recall.args.query, limit=2 * recall.args.k), deadline_s)

    def answer(self, message: SearchesGathered) -> None:
        """Answer with the own items and those of the workspaces that answered in time."""
        waiting = self._waiting.pop(message.key)
        if waiting.reply is None or waiting.reply.abandoned:
            return
        found = list(self._found(message.outcomes))
        others = honcho_hits.items(
            found,
            shown={(hit.session, hit.turn) for hit in waiting.looked.hits},
            without=waiting.recall.session,
        )
        looked = waiting.looked
        if looked.searched is not None:
            also = tuple(readable.name for readable, _ in found)
            looked = replace(looked, searched=replace(looked.searched, also=also))
        waiting.reply.set(looked.answer(waiting.recall.args.k, others))

    def _found(self, outcomes: Sequence[object]) -> Iterator[tuple[Readable, Sequence[FoundMessage]]]:
        """Of a workspace that did not answer one log line is kept, never a word of the query."""
        for readable, outcome in zip(self._own, outcomes, strict=True):
            match outcome:
                case Answer(value=Found(messages=messages)):
                    yield readable, messages
                    continue
                case Answer(value=SearchUnavailable(error=error)):
                    said = error
                case Failed(error=failure):
                    said = failure.sentence
                case Late():
                    said = f"no answer in {round(self._asking.search_s * 1000)} ms"
                case _:
                    raise TypeError(type(outcome).__name__)
            logger.warning("recall: {} unavailable: {}", readable.name, said)


def _give_up(replies: Sequence[Reply]) -> None:
    for reply in replies:
        reply.abandon()
