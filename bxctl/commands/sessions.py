"""``bxctl sessions``: list them, show one, end one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import LabelJson, SessionJson, SessionsJson
from bxcore.control.requests import EndSessionRequest, SessionRequest, SessionsRequest
from bxctl.called import typed
from bxctl.commands._wish import wish
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take what to do and with which session."""
    parser.add_argument("action", nargs="?", choices=("list", "show", "end"), default="list")
    parser.add_argument("session", nargs="?", metavar="SESSION", help="for show and end")
    parser.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="list the newest N (20)")


def run(args: Namespace) -> int:
    """Do one of the three."""
    if args.action == "list":
        return _list(args)
    if args.session is None:
        raise CommandError(Exit.USAGE, f"name the session: {typed('sessions')} {args.action} SESSION")
    if args.action == "end":
        return wish(args, EndSessionRequest(session=args.session))
    return _show(args)


def _list(args: Namespace) -> int:
    answer: SessionsJson = Wire(socket_of(args)).call(SessionsRequest(limit=args.limit))
    if args.json:
        as_json(answer["sessions"])
    elif not answer["sessions"]:
        talk(f"no sessions yet; {typed('chat')} begins one")
    else:
        rows = [
            (
                row["session"],
                "live" if row["live"] else "-",
                str(row["turns"]),
                _label(row["label"]),
                row["updated"],
            )
            for row in answer["sessions"]
        ]
        data(table(rows, ("SESSION", "LIVE", "TURNS", "LABEL", "UPDATED")))
    return Exit.OK


def _show(args: Namespace) -> int:
    session: SessionJson = Wire(socket_of(args)).call(SessionRequest(session=args.session))
    if args.json:
        as_json(session)
        return Exit.OK
    turns = "1 turn" if session["turns"] == 1 else f"{session['turns']} turns"
    data(f"{session['session']}: {turns}, {_label(session['label'])}, {session['updated']}")
    for number, turn in enumerate(session["said"], 1):
        data(f"\n[{number}] {turn['user']}\n> {turn['reply'] or '(no reply)'}")
    return Exit.OK


def _label(label: LabelJson) -> str:
    return f"{label['class']}, untrusted" if label["untrusted"] else label["class"]
