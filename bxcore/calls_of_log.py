"""What a turn has called so far, read from its session's log: the same as the broker had counted (spec 2.3).

So a broker that was restarted decides as the one before it would have: the calls of the turn are as many, and
what gave the same result twice is not run again.
"""

from __future__ import annotations

from collections.abc import Sequence

from bxcore import args
from bxcore.args import ArgsError
from bxcore.epochs import turns_before
from bxcore.policy import call_key, sha256
from bxcore.records import Assistant, Record, ToolCall, ToolResult
from bxcore.repeats import TurnCalls
from bxcore.tool_registry import ToBroker, ToolRegistry
from bxcore.turn_spans import spans


def calls_of_last_turn(records: Sequence[Record], *, limit: int) -> TurnCalls:
    """The last turn of a log, or of its epochs from a later one on.

    A call that the loop answers by itself is none of the broker's.
    """
    known = spans(records)
    turn = records[slice(*known[-1])] if known else ()
    number = turns_before(records) + len(known)
    calls, asked, registry = TurnCalls(turn=number, limit=limit), dict[str, ToolCall](), ToolRegistry()
    for record in turn:
        if isinstance(record, Assistant):
            asked.update((call.id, call) for call in record.tool_calls)
        elif isinstance(record, ToolResult):
            calls = _with(calls, record, asked.get(record.call), registry)
    return calls


def _with(calls: TurnCalls, result: ToolResult, call: ToolCall | None, registry: ToolRegistry) -> TurnCalls:
    """A result whose call the log does not tell is counted, as any."""
    if call is None:
        return calls.counted()
    match registry.route(call):
        case ToBroker(tool=tool, arguments=arguments):
            key = _key(tool, arguments)
            calls = calls.counted()
            return calls if key is None else calls.finished(key, sha256(result.content))
        case _:
            return calls


def _key(tool: str, arguments: str) -> str | None:
    """None for a call that could not be read, which is never the same as another."""
    if tool not in args.ARGUMENT_TYPES:
        return None
    try:
        return call_key(tool, args.canonical_json(args.parse(tool, arguments)))
    except ArgsError:
        return None
