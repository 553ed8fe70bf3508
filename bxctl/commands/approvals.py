"""``bxctl approvals``: what waits for your word; list it, show one, or watch for more."""

from __future__ import annotations

import sys
import threading
from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import ApprovalJson, ApprovalsJson
from bxcore.control.requests import ApprovalsRequest
from bxctl.approval_text import card, columns_of, commands, how_to_see, label, left, one_line
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire

WATCH_S = 1.0
"""Between two looks."""
_LONGEST = 60
"""Characters of a call in the list; ``show`` has all of it."""


def arguments(parser: ArgumentParser) -> None:
    """Take what to do, and with which."""
    parser.add_argument("action", nargs="?", choices=("list", "show", "watch"), default="list")
    parser.add_argument("code", nargs="?", metavar="CODE", help="for show")


def run(args: Namespace) -> int:
    """Do one of the three."""
    wire = Wire(socket_of(args))
    if args.action != "show" and args.code is not None:
        raise CommandError(Exit.USAGE, f"only show takes a code: {typed('approvals')} show {args.code}")
    if args.action == "watch":
        return _watch(wire, as_lines=args.json)
    if args.action == "list":
        return _list(_pending(wire), as_rows=args.json)
    if args.code is None:
        raise CommandError(Exit.USAGE, f"name the approval: {typed('approvals')} show CODE")
    return _show(_pending(wire), args.code.strip().lower(), whole=args.json)


def _pending(wire: Wire) -> list[ApprovalJson]:
    answer: ApprovalsJson = wire.call(ApprovalsRequest())
    return answer["approvals"]


def _list(pending: list[ApprovalJson], *, as_rows: bool) -> int:
    if as_rows:
        as_json(pending)
    elif not pending:
        talk("nothing waits for your approval")
    else:
        rows = [
            (
                each["code"],
                left(each["left_s"]),
                each["session"],
                label(each["label"]),
                _call(each),
            )
            for each in pending
        ]
        data(table(rows, ("CODE", "LEFT", "SESSION", "LABEL", "CALL")))
        first = pending[0]["code"]
        if any(_is_cut(each) for each in pending):
            talk(f"{typed('approvals')} show {first} shows the whole call")
        talk(commands(first))
    return Exit.OK


def _call(approval: ApprovalJson) -> str:
    shown = one_line(approval["shown"])
    return f"{shown[: _LONGEST - 1]}…" if _is_cut(approval) else shown


def _is_cut(approval: ApprovalJson) -> bool:
    return len(one_line(approval["shown"])) > _LONGEST


def _show(pending: list[ApprovalJson], code: str, *, whole: bool) -> int:
    found = next((each for each in pending if each["code"] == code), None)
    if found is None:
        raise CommandError(Exit.NO_SUCH_THING, _none_of(code, [each["code"] for each in pending]))
    if whole:
        as_json(found)
    else:
        data(card(found, columns_of(sys.stdout), whole=True))
        talk(commands(code))
    return Exit.OK


def _none_of(code: str, codes: list[str]) -> str:
    there = f"these do: {', '.join(codes)}" if codes else "nothing does"
    return f"no approval {code[:16]!r} waits; {there}"


def _watch(wire: Wire, *, as_lines: bool) -> int:
    """Print what is asked and what is over, until Ctrl-C."""
    known: dict[str, ApprovalJson] = {}
    pause = threading.Event()
    try:
        while True:
            pending = {each["code"]: each for each in _pending(wire)}
            for code in [code for code in known if _is_over(known[code], pending)]:
                del known[code]
                _print_closed(code, as_lines=as_lines)
            for code in pending.keys() - known.keys():
                known[code] = pending[code]
                _print_asked(pending[code], as_lines=as_lines)
            sys.stdout.flush()
            pause.wait(WATCH_S)
    except KeyboardInterrupt:
        return Exit.OK


def _is_over(approval: ApprovalJson, pending: dict[str, ApprovalJson]) -> bool:
    """A code may come again, for another call."""
    now = pending.get(approval["code"])
    return now is None or (now["session"], now["call"]) != (approval["session"], approval["call"])


def _print_asked(approval: ApprovalJson, *, as_lines: bool) -> None:
    if as_lines:
        as_json({"asked": approval})
    else:
        call = card(approval, columns_of(sys.stdout))
        data("\n  ".join(filter(None, (call, how_to_see(approval), commands(approval["code"])))))


def _print_closed(code: str, *, as_lines: bool) -> None:
    if as_lines:
        as_json({"closed": code})
    else:
        data(f"{code} waits no more; {typed('audit')} tail says how it ended")
