"""``bxctl dead-letters``: what was sent and never handled; never its text (spec 5.3)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import DeadLettersJson
from bxcore.control.requests import DeadLettersRequest
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take how many to show."""
    parser.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="show the newest N (20)")


def run(args: Namespace) -> int:
    """Show the counts and the newest letters."""
    answer: DeadLettersJson = Wire(socket_of(args)).call(DeadLettersRequest(limit=args.limit))
    if args.json:
        as_json(answer)
    elif not answer["total"]:
        talk("no dead letters")
    else:
        counts = [(row["address"], row["reason"], str(row["count"])) for row in answer["counts"]]
        data(table(counts, ("ADDRESS", "REASON", "COUNT")))
        letters = [
            (each["at"], each["address"], each["reason"], each["type"], str(each["size"]))
            for each in answer["letters"]
        ]
        data("\n" + table(letters, ("AT", "ADDRESS", "REASON", "TYPE", "SIZE")))
    return Exit.OK
