"""``bxctl start``: start an actor that was stopped by hand."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control.requests import StartRequest
from bxctl.commands._wish import wish


def arguments(parser: ArgumentParser) -> None:
    """Take a name."""
    parser.add_argument("name", metavar="NAME", help="an actor's name, as the tree shows it")


def run(args: Namespace) -> int:
    """Start one."""
    return wish(args, StartRequest(name=args.name))
