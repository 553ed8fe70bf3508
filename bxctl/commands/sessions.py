"""``bxctl sessions``: list them, show one, end one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime

from bxcore.control import Exit
from bxcore.control.answers import LabelJson, SessionInfoJson, SessionJson, SessionsJson, TurnTextJson
from bxcore.control.requests import LAST_TURNS, EndSessionRequest, SessionRequest, SessionsRequest
from bxctl.called import typed
from bxctl.commands._wish import wish
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import age, as_json, data, table, talk
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take what to do and with which session."""
    parser.add_argument("action", nargs="?", choices=("list", "show", "end"), default="list")
    parser.add_argument("session", nargs="?", metavar="SESSION", help="for show and end")
    parser.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="list the newest N (20)")
    parser.add_argument(
        "--last", type=int, default=LAST_TURNS, metavar="N", help=f"show the last N turns ({LAST_TURNS})"
    )


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
        data(listing(answer["sessions"]))
    return Exit.OK


def listing(sessions: Iterable[SessionInfoJson]) -> str:
    """Write the list for people."""
    return table(map(_row, sessions), ("SESSION", "LIVE", "TURNS", "QUEUED", "LABEL", "AGE", "TITLE"))


def _row(session: SessionInfoJson) -> tuple[str, ...]:
    return (
        session["session"],
        "live" if session["live"] else "-",
        str(session["turns"]),
        str(session["waiting"] or "-"),
        label(session["label"]),
        _age(session["updated"]),
        session["title"],
    )


def _show(args: Namespace) -> int:
    session: SessionJson = Wire(socket_of(args)).call(SessionRequest(session=args.session, last=args.last))
    if args.json:
        as_json(session)
        return Exit.OK
    turns = "1 turn" if session["turns"] == 1 else f"{session['turns']} turns"
    queued = f", {session['waiting']} queued" if session["waiting"] else ""
    live = "live" if session["live"] else "ended"
    about = f"{label(session['label'])}, last changed {_age(session['updated'])} ago"
    data(f"{session['session']}: {session['title']}\n{live}, {turns}{queued}, {about}")
    first = session["first"]
    if first > 1:
        talk(f"the first {first - 1} turns are not shown; --last {session['turns']} shows all")
    for number, turn in enumerate(session["said"], first):
        data(f"\n[{number}] {turn['user']}\n> {turn['reply'] or _no_reply(turn)}")
    return Exit.OK


def _no_reply(turn: TurnTextJson) -> str:
    return "(no reply)" if turn["failed"] is None else f"(no reply: {turn['failed']})"


def _age(updated: str) -> str:
    return age(max(0.0, (datetime.now(UTC) - datetime.fromisoformat(updated)).total_seconds()))


def label(of: LabelJson) -> str:
    """``private``, or ``private, untrusted`` when strangers wrote in it."""
    return f"{of['class']}, untrusted" if of["untrusted"] else of["class"]
