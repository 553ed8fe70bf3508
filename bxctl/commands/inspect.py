"""``bxctl inspect``: what is known of one actor."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bxcore.control import Exit
from bxcore.control.answers import ActorJson
from bxcore.control.requests import InspectRequest
from bxctl.place import socket_of
from bxctl.printing import age, as_json, data
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take a name."""
    parser.add_argument("name", metavar="NAME", help="an actor's name, as the tree shows it")


def run(args: Namespace) -> int:
    """Show one actor; one that is stuck is shown too."""
    actor: ActorJson = Wire(socket_of(args)).call(InspectRequest(name=args.name))
    if args.json:
        as_json(actor)
    else:
        data("\n".join(_lines(actor)))
    return Exit.OK


def _lines(actor: ActorJson) -> Iterator[str]:
    yield f"{actor['name']} ({actor['kind']}): {actor['state']} for {age(actor['age_s'])}"
    yield f"restarts: {actor['restarts']}"
    yield f"last crash: {actor['error'] or 'none'}"
    for name, text in actor["details"].items():
        yield f"{name}: {text}"
