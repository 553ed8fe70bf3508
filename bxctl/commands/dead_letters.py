"""``bxctl dead-letters``: what was sent and never handled; never its text (spec 5.3)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable

from bxcore.control import Exit
from bxcore.control.answers import DeadLetterCountJson, DeadLettersJson
from bxcore.control.requests import DeadLettersRequest
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire

SHORT_LIVED = frozenset({"asks", "connections", "runs"})
"""Whose children live for one question, one client or one run: each has another name, which says nothing."""


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
        data(table(folded(answer["counts"]), ("ADDRESS", "REASON", "COUNT")))
        letters = [
            (each["at"], each["address"], each["reason"], each["type"], str(each["size"]))
            for each in answer["letters"]
        ]
        data("\n" + table(letters, ("AT", "ADDRESS", "REASON", "TYPE", "SIZE")))
    return Exit.OK


def folded(counts: Iterable[DeadLetterCountJson]) -> list[tuple[str, str, str]]:
    """Rows of address, reason and count; children that live shortly are one row for their parent."""
    found: Counter[tuple[str, str]] = Counter()
    for row in counts:
        parent, below, _ = row["address"].partition("/")
        address = f"{parent}/*" if below and parent in SHORT_LIVED else row["address"]
        found[address, row["reason"]] += row["count"]
    return [(address, reason, str(count)) for (address, reason), count in found.items()]
