"""``bxctl restart``: end an actor in order and start it again; what waits for it is kept."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.requests import RestartRequest
from bxctl.commands._wish import wish
from bxctl.errors import CommandError


def arguments(parser: ArgumentParser) -> None:
    """Take a name, or ``--all``."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="an actor's name, as the tree shows it")
    parser.add_argument("--all", action="store_true", help="every actor but the control socket's own")


def run(args: Namespace) -> int:
    """Restart one or all."""
    if (args.name is None) == (not args.all):
        raise CommandError(Exit.USAGE, "name an actor, or say --all")
    return wish(args, RestartRequest(name=args.name, all=args.all))
