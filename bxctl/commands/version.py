"""``bxctl version``: the versions of this command and of the running process."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import VersionJson
from bxcore.control.requests import VersionRequest
from bxcore.version import VERSION
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Show both; a process that does not run is no failure here."""
    try:
        answer: VersionJson = Wire(socket_of(args)).call(VersionRequest())
        running: str | None = answer["version"]
    except CommandError as error:
        if error.exit is not Exit.NOT_RUNNING:
            raise
        running = None
    if args.json:
        as_json({"version": VERSION, "running": running})
    else:
        data(
            f"boxmaker {VERSION}" if running == VERSION else f"boxmaker {VERSION}, running: {running or 'no'}"
        )
    return Exit.OK
