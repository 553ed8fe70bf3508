"""``bxctl stack``: where an actor's thread is now."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import StackJson
from bxcore.control.requests import StackRequest
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

EPILOG = "the innermost call comes last; functions and lines, no values"


def arguments(parser: ArgumentParser) -> None:
    """Take a name."""
    parser.add_argument("name", metavar="NAME", help="an actor's name, as the tree shows it")


def run(args: Namespace) -> int:
    """Show the stack."""
    stack: StackJson = Wire(socket_of(args)).call(StackRequest(name=args.name))
    if args.json:
        as_json(stack)
    else:
        for stuck in stack["stuck"]:
            data(f"incarnation {stuck['incarnation']} is stuck at")
            data("\n".join(stuck["frames"]) + "\n")
        if stack["frames"]:
            data("\n".join(stack["frames"]))
        else:
            talk(f"{stack['name']} has no thread now")
    return Exit.OK
