"""What of a long session still fits the model's context window (spec 3.4); pure.

Before a turn: when it nears the window, the results of the turns before are shortened; when that is not
enough, a new epoch is due. Within a turn that grows beyond it: the oldest turns are left out, several at a
time, then the turn's own oldest results are shortened, then its oldest rounds left out. What was once left
out or shortened stays so, so that requests repeat one another and the server's prefix cache holds. The log
keeps everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from bxcore.model.baseline import estimate_tokens
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage

SHORT = 300
"""Characters that are left of a tool result that is shortened."""
NEAR = 0.75
"""The share of the window that the turns may take when another one begins."""
WORTH = 0.5
"""The share that they have to take for a new epoch to be of use: another message alone may be too long."""
KEPT_SHARE = 0.6
"""How much of the window the turns take after some were left out: room for the turn to go on."""
A_MESSAGE = 8
"""Tokens that a template puts around a message."""


@dataclass(slots=True)
class TurnMessages:
    """One turn as it is sent, the person's message first; ``tokens`` is kept while it grows."""

    messages: list[Message] = field(default_factory=list)
    tokens: int = 0
    _short: TurnMessages | None = None

    def add(self, message: Message) -> None:
        """The turn goes on."""
        self.messages.append(message)
        self.tokens += tokens_of(message)
        self._short = None

    def recall(self, text: str) -> None:
        """What auto_recall found for its message."""
        first = self.messages[0]
        assert isinstance(first, UserMessage)
        if first.recalled != text:
            found = replace(first, recalled=text)
            self.messages[0], self._short = found, None
            self.tokens += tokens_of(found) - tokens_of(first)

    @property
    def short(self) -> TurnMessages:
        """The turn with its results shortened; made once."""
        if self._short is None:
            self._short = made(map(_shortened, self.messages))
        return self._short


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How an epoch's turns are sent: those from place ``first`` on, those before ``short`` shortened."""

    first: int = 0
    short: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The messages to send, and the view that the next request begins with.

    ``squeezed`` says that the running turn itself was cut down.
    """

    messages: tuple[Message, ...]
    view: View
    squeezed: bool = False


def made(messages: Iterable[Message]) -> TurnMessages:
    """A turn of these messages."""
    turn = TurnMessages()
    for message in messages:
        turn.add(message)
    return turn


def before_turn(turns: Sequence[TurnMessages], coming: int, budget: int, view: View) -> tuple[View, bool]:
    """How to send the turns so far when another one of ``coming`` tokens begins; whether an epoch is due."""
    if budget <= 0:
        return view, False
    if not view.first and _total(_kept(turns, view)) + coming <= budget * NEAR:
        return view, False
    view = replace(view, short=len(turns))
    used = _total(_kept(turns, view))
    near = used > budget * WORTH and used + coming > budget * NEAR
    return view, bool(turns) and (near or view.first > 0)


def fit(turns: Sequence[TurnMessages], budget: int, view: View) -> Fitted:
    """The messages within ``budget`` tokens by estimate, as far as the running turn, the last, lets them.

    It begins with the person's message and ends with the last round in any case.
    """
    kept = _kept(turns, view)
    if _total(kept) > budget:
        view = replace(view, short=max(view.short, len(turns) - 1))
        kept = _kept(turns, view)
    if _total(kept) > budget:
        left_out = _over(kept, int(budget * KEPT_SHARE))
        view, kept = replace(view, first=view.first + left_out), kept[left_out:]
    messages = [message for turn in kept for message in turn.messages]
    if _total(kept) > budget:
        return Fitted(messages=tuple(_squeezed(messages, budget)), view=view, squeezed=True)
    return Fitted(messages=tuple(messages), view=view)


def _kept(turns: Sequence[TurnMessages], view: View) -> list[TurnMessages]:
    first = max(0, min(view.first, len(turns) - 1))
    return [turn.short if place < view.short else turn for place, turn in enumerate(turns) if place >= first]


def _over(turns: Sequence[TurnMessages], budget: int) -> int:
    """How many of the oldest turns must go for the rest to fit; never the last one."""
    left = _total(turns)
    for place, turn in enumerate(turns):
        if left <= budget:
            return place
        left -= turn.tokens
    return len(turns) - 1


def _total(turns: Iterable[TurnMessages]) -> int:
    return sum(turn.tokens for turn in turns)


def tokens_of(message: Message) -> int:
    """What a message takes by estimate, with what a template puts around it."""
    return A_MESSAGE + estimate_tokens(_texts(message))


def _texts(message: Message) -> list[str]:
    match message:
        case UserMessage(text=text, recalled=recalled):
            return [text, recalled]
        case AssistantMessage(content=content, tool_calls=calls):
            return [content, *(call.arguments for call in calls)]
        case ToolMessage(content=content):
            return [content]


def _shortened(message: Message) -> Message:
    if not isinstance(message, ToolMessage) or len(message.content) <= SHORT:
        return message
    left = len(message.content) - SHORT
    return replace(message, content=f"{message.content[:SHORT]}… ({left} characters more, left out here)")


def _squeezed(turn: Sequence[Message], budget: int) -> list[Message]:
    """A turn too long alone: its oldest results short, as many as needed, then its oldest rounds out."""
    found, over = list(turn), sum(map(tokens_of, turn)) - budget
    for place, message in enumerate(found):
        if over <= 0:
            return found
        found[place] = _shortened(message)
        over += tokens_of(found[place]) - tokens_of(message)
    rounds = [place for place, message in enumerate(found) if isinstance(message, AssistantMessage)]
    for place in rounds[1:]:
        if over <= 0:
            break
        over -= sum(map(tokens_of, found[1 : len(found) - len(turn) + place]))
        found[1 : len(found) - len(turn) + place] = []
    return found
