"""``bxctl audit``: the record of every call: the last ones, all of one, and whether the chain holds (2.4)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from bxcore.control import Exit, Request
from bxcore.control.answers import AuditCallsJson, AuditRecordJson, ChainJson
from bxcore.control.requests import AuditShowRequest, AuditTailRequest, AuditVerifyRequest
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

EPILOG = "verify exits 1 when a line was changed; without a running box each reads the file itself"


def arguments(parser: ArgumentParser) -> None:
    """Take what to do, and with which record."""
    parser.add_argument("action", nargs="?", choices=("tail", "show", "verify"), default="tail")
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="for show: a record's number")
    parser.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="the last N calls (20)")


def run(args: Namespace) -> int:
    """Do one of the three."""
    if args.action != "show" and args.number is not None:
        raise CommandError(Exit.USAGE, f"only show takes a number; {typed('audit')} tail -n {args.number}")
    if args.action == "tail":
        return _tail(args)
    if args.action == "verify":
        return _verify(args)
    if args.number is None:
        raise CommandError(Exit.USAGE, f"name the record: {typed('audit')} show N")
    return _show(args)


def _tail(args: Namespace) -> int:
    answer = _tailed(args)
    if args.json:
        as_json(answer["calls"])
    elif not answer["calls"]:
        talk("no calls yet")
    for call in answer["calls"] if not args.json else ():
        data(call["line"])
    return Exit.OK


def _tailed(args: Namespace) -> AuditCallsJson:
    answer: AuditCallsJson | None = _asked(args, AuditTailRequest(limit=args.limit))
    if answer is None:
        from bxctl.audit_file import tail_of_file

        return tail_of_file(_file(args), args.limit)
    return answer


def _show(args: Namespace) -> int:
    record: AuditRecordJson | None = _asked(args, AuditShowRequest(number=args.number))
    if record is None:
        from bxctl.audit_file import record_of_file

        record = record_of_file(_file(args), args.number)
    if args.json:
        as_json(record)
    else:
        data(record["text"])
    return Exit.OK


def _verify(args: Namespace) -> int:
    chain: ChainJson | None = _asked(args, AuditVerifyRequest())
    if chain is None:
        from bxctl.audit_file import walk_file

        chain = walk_file(_file(args))
    if args.json:
        as_json(chain)
    elif chain["ok"]:
        data(chain["sentence"])
    else:
        data(f"{chain['sentence']}; the {chain['records']} before it hold")
    return Exit.OK if chain["ok"] else Exit.FAILED


def _asked(args: Namespace, request: Request) -> Any:
    """The box's answer; None without a box, which is no hindrance: the file lies there."""
    try:
        return Wire(socket_of(args)).call(request)
    except CommandError as error:
        if error.exit is not Exit.NOT_RUNNING or args.socket is not None:
            raise
    return None


def _file(args: Namespace) -> Path:
    from bxctl.audit_file import audit_file

    path = audit_file(args)
    talk(f"boxmaker does not run; read {path}")
    return path
