"""``bxctl status``: how the box does, on one screen."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bxcore.control import Exit
from bxcore.control.answers import StatusJson
from bxcore.control.requests import StatusRequest
from bxctl.called import retyped
from bxctl.place import socket_of
from bxctl.printing import age, as_json, data, paint
from bxctl.wire import Wire

EPILOG = "exits 0 when all is well, 3 when boxmaker is degraded or does not run"


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Show the status."""
    status: StatusJson = Wire(socket_of(args)).call(StatusRequest())
    if args.json:
        as_json(status)
    else:
        print(f"boxmaker {paint(status['state'], _COLOUR[status['state']], sys.stdout)}", end="")
        data("\n".join(_lines(status)))
    return Exit.OK if status["state"] == "ok" else Exit.NOT_RUNNING


_COLOUR = {"ok": "green", "degraded": "red"}


def _lines(status: StatusJson) -> Iterator[str]:
    yield f" · {status['version']} · pid {status['pid']} · up {age(status['uptime_s'])}"
    yield (
        f"actors {status['actors']} · restarts {status['restarts']} · dead letters {status['dead_letters']}"
        f" · stuck threads {status['zombies']}"
    )
    for name, text in status["facts"].items():
        yield retyped(f"{name}: {text}")
    for problem in status["problems"]:
        yield retyped(f"! {problem['sentence']} -> {problem['help']}")
