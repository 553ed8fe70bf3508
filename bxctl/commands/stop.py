"""``bxctl stop``: end an actor in order and keep it stopped."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control.requests import StopRequest
from bxctl.commands._wish import wish


def arguments(parser: ArgumentParser) -> None:
    """Take a name."""
    parser.add_argument("name", metavar="NAME", help="an actor's name, as the tree shows it")


def run(args: Namespace) -> int:
    """Stop one."""
    return wish(args, StopRequest(name=args.name))
