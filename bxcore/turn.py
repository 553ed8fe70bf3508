"""A turn as a pure state machine: an event in, what to do next out (spec 3.1, 3.3).

The session's actor feeds it and does what it says, step by step and in order: append these records, ask the
model, run these calls, end. So what is on disk before what is seen is decided here, and tested without I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bxcore.args import ASK_MEMORY, RECALL
from bxcore.labels import OWN_WORDS, Label
from bxcore.model.values import ModelReply, ModelUsage
from bxcore.recalled import neutralise_items
from bxcore.records import Assistant, CacheLoss, Record, ToolCall, ToolResult, Usage, User, whole
from bxcore.sanitize import neutralise
from bxcore.tool_registry import all_reads

STOPPED = "stopped"
EMPTY_REPLY = "the model's reply was empty; say it again, or in other words"
THOUGHT_UP = (
    "the model used its whole answer up with thinking and gave no reply; ask for less at once, or switch its"
    " thinking off at the server"
)
THOUGHT_ON = (
    "the model went on thinking without end and was stopped; say it in other words, or switch its thinking"
    " off at the server"
)
FILTERED = "the model's server held the reply back by its content filter; say it in other words"
CUT_REPLY = {
    "length": "the reply was cut at the model's token limit",
    "repeats": "the reply was cut: the model went on repeating the same text",
    "thinking": "the reply was cut: the model went on thinking without end",
    "content_filter": "the reply was cut by the content filter of the model's server",
}
"""What the person is told of a reply that is not whole, by how the answer ended."""
MAX_CALLS_A_ROUND = 16
MAX_NAME = 64
"""Characters of a tool's name that are kept; no tool's name is longer."""
CACHE_SLACK = 8
"""Tokens at a prompt's end, the opening of the answer, that a server may read anew without a loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The last prompt that a server read: its ``tokens``, and which ``server``; another has none of it."""

    tokens: int
    server: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSaid:
    """The model's whole answer to the last request, and which ``server`` gave it.

    ``anew`` says that this request did not repeat the one before: no server can have had its prefix.
    """

    reply: ModelReply
    server: str = ""
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    """No usable answer; ``sentence`` is for the person."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    """What a call came to. ``call`` is the id that ``RunTools`` named.

    ``arguments`` is canonical JSON, or the raw text when the call was refused. ``audited`` is the number of
    the audit's record that must be on disk before the result is shown; None when there is none.
    """

    call: str
    tool: str
    arguments: str
    ok: bool
    content: str
    label: Label = OWN_WORDS
    audited: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSettled:
    """The audit's record of the last result is not on disk; ``sentence`` is for the person."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The person, or the box, wants the turn to end now."""


TurnInput: TypeAlias = ModelSaid | ModelFailed | ToolDone | NotSettled | Stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Write these records; with ``sync`` they are on disk before the next step."""

    records: tuple[Record, ...]
    sync: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Send the session's history to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """Run these calls: side by side when ``together``, else one after the other."""

    calls: tuple[ToolCall, ...]
    together: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The turn is over: a reply, or one sentence that says why not; ``notice`` is for the person."""

    reply: str | None = None
    failed: str | None = None
    notice: str | None = None


Step: TypeAlias = Append | AskModel | RunTools | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where a turn stands. ``number`` counts from 1; ``held`` is the last prompt that a server read."""

    number: int
    max_rounds: int = 8
    held: Held | None = None
    rounds: int = 0
    calls_made: int = 0
    asked_again: bool = False
    """Whether the model has been asked once more since its reply was empty."""
    waiting: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)


def begin(user: User, before: Sequence[Record] = ()) -> tuple[Step, ...]:
    """Start: the ``User`` record, behind what must stand before it, is on disk before anything else."""
    return Append(records=(*before, user), sync=True), AskModel()


def advance(turn: Turn, event: TurnInput) -> tuple[Turn, tuple[Step, ...]]:
    """Take what happened and say what to do next; the last step of a turn is its ``End``."""
    match event:
        case ModelSaid():
            return _model_said(turn, event)
        case ModelFailed(sentence=sentence) | NotSettled(sentence=sentence):
            return turn, _failed(turn, sentence)
        case ToolDone():
            return _tool_done(turn, event)
        case Stopped():
            return turn, _failed(turn, STOPPED)


def _model_said(turn: Turn, event: ModelSaid) -> tuple[Turn, tuple[Step, ...]]:
    reply, server = event.reply, event.server
    losses = () if event.anew else _cache_losses(turn, reply.usage, server)
    turn = replace(turn, usage=_added(turn.usage, reply.usage), held=_held(turn, reply.usage, server))
    if reply.tool_calls:
        return _called(turn, reply, losses)
    if not reply.text.strip():
        return _empty(turn, reply, losses)
    said = Assistant(content=whole(reply.text), reasoning=whole(reply.reasoning) or None)
    last = Append(records=(*losses, said, turn.usage), sync=True)
    return turn, (last, End(reply=said.content, notice=CUT_REPLY.get(reply.finish)))


def _empty(turn: Turn, reply: ModelReply, losses: tuple[CacheLoss, ...]) -> tuple[Turn, tuple[Step, ...]]:
    """An answer without a word is asked for once more in a turn; one that was cut would be cut again."""
    sentence = _why_empty(reply)
    if sentence != EMPTY_REPLY or reply.finish in CUT_REPLY or turn.asked_again:
        return turn, _failed(turn, sentence, losses)
    again = replace(turn, asked_again=True)
    return again, ((Append(records=losses, sync=False), AskModel()) if losses else (AskModel(),))


def _why_empty(reply: ModelReply) -> str:
    if reply.finish == "thinking":
        return THOUGHT_ON
    if reply.finish == "content_filter":
        return FILTERED
    return THOUGHT_UP if reply.finish == "length" and reply.reasoning.strip() else EMPTY_REPLY


def _held(turn: Turn, usage: ModelUsage, server: str) -> Held | None:
    """A server that does not count its prompt holds at least what it held before."""
    if usage.prompt:
        return Held(tokens=usage.prompt, server=server)
    return turn.held if turn.held is not None and turn.held.server == server else None


def _cache_losses(turn: Turn, usage: ModelUsage, server: str) -> tuple[CacheLoss, ...]:
    """A prefix that the same server had read for the last request and has lost since (spec 3.2)."""
    held = turn.held
    if held is None or held.server != server or usage.cached is None:
        return ()
    lost = usage.cached < held.tokens - CACHE_SLACK
    return (CacheLoss(had=held.tokens, cached=usage.cached),) if lost else ()


def _added(total: Usage, one: ModelUsage) -> Usage:
    return replace(
        total,
        prompt=total.prompt + one.prompt,
        cached=total.cached + (one.cached or 0),
        completion=total.completion + one.completion,
    )


def _called(turn: Turn, reply: ModelReply, losses: tuple[CacheLoss, ...]) -> tuple[Turn, tuple[Step, ...]]:
    calls = tuple(
        ToolCall(
            id=f"t{turn.number}c{turn.calls_made + place}",
            name=whole(call.name)[:MAX_NAME],
            arguments=whole(call.arguments),
        )
        for place, call in enumerate(reply.tool_calls[:MAX_CALLS_A_ROUND], start=1)
    )
    said = Assistant(content=whole(reply.text), reasoning=whole(reply.reasoning) or None, tool_calls=calls)
    turn = replace(turn, rounds=turn.rounds + 1, calls_made=turn.calls_made + len(calls), waiting=calls)
    append = Append(records=(*losses, said), sync=False)
    if turn.rounds > turn.max_rounds:
        return turn, (append, *_failed(turn, round_limit(turn.max_rounds)))
    return turn, (append, RunTools(calls=calls, together=all_reads(calls)))


def round_limit(rounds: int) -> str:
    """What the person is told when the model went on calling tools."""
    return f"the model called tools in {rounds} rounds and gave no reply; ask for less at once"


def _tool_done(turn: Turn, done: ToolDone) -> tuple[Turn, tuple[Step, ...]]:
    """The result is on disk before the model sees it; a late or unknown one changes nothing."""
    if all(call.id != done.call for call in turn.waiting):
        return turn, ()
    turn = replace(turn, waiting=tuple(call for call in turn.waiting if call.id != done.call))
    append = Append(records=(_result(done),), sync=True)
    return turn, ((append,) if turn.waiting else (append, AskModel()))


def logged_content(tool: str, content: str, label: Label) -> str:
    """A result's text as the log and the model have it: a stranger's words made harmless."""
    content = whole(content)
    harmless = neutralise_items if tool in {RECALL, ASK_MEMORY} else neutralise
    return harmless(content) if label.untrusted else content


def _result(done: ToolDone) -> ToolResult:
    return ToolResult(
        call=done.call,
        tool=done.tool,
        content=logged_content(done.tool, done.content, done.label),
        ok=done.ok,
        level=done.label.level,
        untrusted=done.label.untrusted,
    )


def _failed(turn: Turn, sentence: str, losses: tuple[CacheLoss, ...] = ()) -> tuple[Step, ...]:
    """End without a reply: every call gets a result, so that the log is a conversation still."""
    left = tuple(
        _result(ToolDone(call=call.id, tool=call.name, arguments="", ok=False, content=sentence))
        for call in turn.waiting
    )
    last = Append(records=(*losses, *left, replace(turn.usage, failed=sentence)), sync=True)
    return last, End(failed=sentence)
