"""Questions to Honcho: one short-lived chat a workspace (4.4); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from loguru import logger

from actors.base import Actor, Answer, Delivery, Failed, Late, Reply, Runtime
from actors.memory_parts import Asking, failed
from bxcore import ask_answer, workspaces
from bxcore.ask_answer import Answered, Unavailable, WorkspaceResult
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatUnavailable
from bxcore.messages.memory import AskMemory, ChatsGathered
from bxcore.messages.supervision import StartChild
from bxcore.sanitize import has_secret
from bxcore.tool_answer import ToolAnswer
from bxcore.workspaces import Readable, UnknownWorkspace


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    """An ``ask_memory`` on its way."""

    asked: tuple[Readable, ...]
    reply: Reply | None


class Asks:
    """Used by the memory's thread. ``chat_s`` is the one limit of an ask, in seconds."""

    def __init__(self, actor: Actor, runtime: Runtime, asking: Asking, chat_s: float) -> None:
        self._actor = actor
        self._runtime = runtime
        self._asking = asking
        self._chat_s = chat_s
        self._asks: dict[str, _Ask] = {}
        self._number = 0

    @property
    def running(self) -> int:
        """Questions on their way."""
        return len(self._asks)

    def ask(self, message: AskMemory) -> ToolAnswer | None:
        """Refuse at once, or start the chats and answer later."""
        asked = workspaces.resolve(self._asking.readable, message.args.asked())
        if isinstance(asked, UnknownWorkspace):
            return failed(asked.sentence)
        if has_secret(message.args.question):
            return failed(ask_answer.HOLDS_A_SECRET)
        self._number += 1
        key = f"{self._actor.incarnation}-{self._number}"
        deadline_s = self._actor.now() + self._chat_s
        replies = [
            self._start_chat(f"{key}.{place}", each, message.args.question, deadline_s)
            for place, each in enumerate(asked)
        ]
        reply = self._actor.reply_later()
        if reply is not None:
            reply.on_abandon(partial(_give_up, replies))
        self._asks[key] = _Ask(asked=asked, reply=reply)
        self._actor.pipe(replies, deadline_s, lambda found: ChatsGathered(key=key, outcomes=tuple(found)))
        return None

    def _start_chat(self, key: str, asked: Readable, question: str, deadline_s: float) -> Reply:
        """Ask at once: the mailbox is there before its actor, and closes when that one fails to start.

        ``key`` alone tells chats apart; workspaces may differ in capitals only, which no actor's name shows.
        """
        name = f"{self._asking.asks.name}/{key}-{asked.name.lower()[:40]}"
        box = self._runtime.mailbox(name, bound=4)
        child = StartChild(spec=self._asking.chat(name, asked.workspace), mailbox=box)
        if self._asking.asks.tell(child) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box.ask(Chat(question=question), deadline_s)

    def answer(self, message: ChatsGathered) -> None:
        """Answer with what the chats came to."""
        ask = self._asks.pop(message.key)
        if ask.reply is not None and ask.reply.abandoned:  # given up, which tells nothing of a workspace
            return
        results = [
            self._result(asked, outcome) for asked, outcome in zip(ask.asked, message.outcomes, strict=True)
        ]
        if ask.reply is not None:
            ok = any(isinstance(result, Answered) for result in results)
            content, label = ask_answer.render(results), ask_answer.label(results)
            ask.reply.set(ToolAnswer(ok=ok, content=content, label=label))

    def _result(self, asked: Readable, outcome: object) -> WorkspaceResult:
        """Of an unavailable workspace one log line is kept, never a word of the question or an answer."""
        match outcome:
            case Answer(value=ChatAnswered(text=text)):
                return Answered(readable=asked, text=text)
            case Answer(value=ChatUnavailable(error=error)):
                said = error
            case Failed(error=failure):
                said = failure.sentence
            case Late():
                said = ask_answer.late(round(self._chat_s * 1000))
            case _:
                raise TypeError(type(outcome).__name__)
        logger.warning("{}", ask_answer.unavailable_line(asked.name, said))
        return Unavailable(readable=asked)


def _give_up(replies: Iterable[Reply]) -> None:
    for reply in replies:
        reply.abandon()
