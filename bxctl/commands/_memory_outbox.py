"""``bxctl memory outbox``: what has not reached Honcho, and the owner's word on it."""

from __future__ import annotations

from argparse import Namespace

from bxcore.control import Exit
from bxcore.control.answers import DoneJson
from bxcore.control.memory import OutboxJson
from bxcore.control.memory_requests import OutboxDropRequest, OutboxRequest, OutboxRetryRequest
from bxctl import memory_text
from bxctl.called import typed
from bxctl.commands._would import unwanted, wanted
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

ALL = 1_000_000
"""Rows that are looked through for one that is named."""


def outbox(args: Namespace, limit: int) -> int:
    """Show it, try again, or give a turn up."""
    if args.retry is not None and args.drop is not None:
        raise CommandError(Exit.USAGE, "--retry and --drop do not go together")
    wire = Wire(socket_of(args))
    if args.retry is not None:
        return _done(args, wire.call(OutboxRetryRequest(id=args.retry.strip().lower() or None)))
    if args.drop is not None:
        return _drop(args, wire, args.drop.strip().lower())
    answer: OutboxJson = wire.call(OutboxRequest(limit=limit))
    if args.json:
        as_json(answer)
    elif not answer["waiting"] and not answer["parked"]:
        talk("no turn waits for Honcho, and none is parked")
    else:
        data(memory_text.outbox(answer))
        talk(memory_text.outbox_sentence(answer))
    return Exit.OK


def _drop(args: Namespace, wire: Wire, wanted_id: str) -> int:
    shown: OutboxJson = wire.call(OutboxRequest(limit=ALL))
    shown["rows"] = [row for row in shown["rows"] if row["id"] == wanted_id]
    if not shown["rows"]:
        see = f"{typed('memory')} outbox lists them"
        raise CommandError(Exit.NO_SUCH_THING, f"no turn {wanted_id[:80]} waits or is parked; {see}")
    would = f"{memory_text.outbox(shown)}\nHoncho never gets it then; the session's log keeps it"
    if not wanted(args, shown["rows"], would, "drop it?"):
        return unwanted(args, shown["rows"], "nothing was dropped")
    return _done(args, wire.call(OutboxDropRequest(id=wanted_id)))


def _done(args: Namespace, answer: DoneJson) -> int:
    if args.json:
        as_json(answer)
    else:
        data(answer["sentence"])
    return Exit.OK
