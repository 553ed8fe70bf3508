"""Requests that are answered with "done" or with why not: restart, stop, start, end."""

from __future__ import annotations

from argparse import Namespace

from bxcore.control import Exit, Request
from bxcore.control.answers import DoneJson
from bxctl.called import retyped
from bxctl.place import socket_of
from bxctl.printing import as_json, data
from bxctl.wire import Wire


def wish(args: Namespace, request: Request) -> int:
    """Ask for it and say what became of it; exits 1 when it was not done."""
    done: DoneJson = Wire(socket_of(args)).call(request)
    if args.json:
        as_json(done)
    else:
        data(retyped(done["sentence"]))
    return Exit.OK if done["ok"] else Exit.FAILED
