"""``bxctl grants``: list those in force, read them again, or explain what becomes of a call (spec 2.2)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from bxcore.control import Exit
from bxcore.control.answers import ExplainedJson, GrantsJson
from bxcore.control.requests import ExplainRequest, GrantsRequest, ReloadGrantsRequest
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire

EPILOG = """explain runs nothing; without a running box it and list read the grants' folder themselves:
  bxctl grants explain read_file '{"path": "/srv/notes/a.md"}' --untrusted
it exits 0 when the call would run or be asked for, 5 when it would be refused"""
STRAY = "; the arguments are one word of JSON, in quotes"


def arguments(parser: ArgumentParser) -> None:
    """Take what to do, and the call to explain."""
    parser.add_argument("action", nargs="?", choices=("list", "reload", "explain"), default="list")
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="for explain: the tool's name")
    parser.add_argument("call", nargs="?", metavar="JSON", help="for explain: its arguments")
    parser.add_argument(
        "--class",
        dest="session_class",
        choices=("public", "private", "secret"),
        help="explain in a session of this class (private)",
    )
    parser.add_argument("--untrusted", action="store_true", help="explain in a session with strangers' words")
    parser.add_argument("--said", metavar="TEXT", help="explain with this as your message of the turn")


def run(args: Namespace) -> int:
    """Do one of the three."""
    if args.action == "explain":
        return _explain(args)
    if args.tool is not None or args.session_class or args.untrusted or args.said is not None:
        raise CommandError(Exit.USAGE, f"only explain takes a call: {typed('grants')} explain TOOL JSON")
    if args.action == "reload":
        return _reload(args)
    view = _listed(args)
    if args.json:
        as_json(view)
    else:
        data(_table(view))
        _say_problems(view["problems"])
    return Exit.OK


def _listed(args: Namespace) -> GrantsJson:
    """Ask the box; without one, list what a start would load."""
    try:
        view: GrantsJson = Wire(socket_of(args)).call(GrantsRequest())
    except CommandError as error:
        if error.exit is not Exit.NOT_RUNNING or args.socket is not None:
            raise
        from bxctl.explaining import listed

        return listed(args)
    return view


def _reload(args: Namespace) -> int:
    """Exits 1 when the set is a bad one; then the old one stays in force."""
    view: GrantsJson = Wire(socket_of(args)).call(ReloadGrantsRequest())
    if args.json:
        as_json(view)
    elif not view["problems"]:
        data(_table(view))
    for problem in view["problems"] if not args.json else ():
        data(problem)
    if view["problems"]:
        talk("nothing was changed; the grants that were in force stay in force")
    return Exit.FAILED if view["problems"] else Exit.OK


def _table(view: GrantsJson) -> str:
    rows = [
        (
            row["id"],
            row["tool"],
            f"{row['mode']}, expired" if row["expired"] else row["mode"],
            row["max_taint"],
            row["when_untrusted"],
            row["about"],
        )
        for row in view["grants"]
    ]
    return table(rows, ("GRANT", "TOOL", "MODE", "UP TO", "UNTRUSTED", "COVERS"))


def _say_problems(problems: Sequence[str]) -> None:
    for problem in problems:
        talk(problem)
    if problems:
        talk(f"an older set is in force; mend them, then {typed('grants')} reload")


def _explain(args: Namespace) -> int:
    if args.tool is None or args.call is None:
        raise CommandError(Exit.USAGE, f"name the call: {typed('grants')} explain TOOL JSON")
    request = ExplainRequest(
        tool=args.tool,
        arguments=args.call,
        session_class=args.session_class or "private",
        untrusted=args.untrusted,
        said=args.said,
    )
    explained = _explained(args, request)
    if args.json:
        as_json(explained)
    else:
        data("\n".join(_lines(explained)))
    return Exit.REFUSED if explained["decision"] == "refuse" else Exit.OK


def _explained(args: Namespace, request: ExplainRequest) -> ExplainedJson:
    """Ask the box; one that does not run is no hindrance, the grants lie in their folder."""
    try:
        explained: ExplainedJson = Wire(socket_of(args)).call(request)
    except CommandError as error:
        if error.exit is not Exit.NOT_RUNNING or args.socket is not None:
            raise
        from bxctl.explaining import explain

        return explain(args, request)
    return explained


def _lines(explained: ExplainedJson) -> list[str]:
    grant = f" by {explained['grant']}" if explained["grant"] else ""
    why = f": {explained['sentence']}" if explained["sentence"] else ""
    return [f"{explained['decision']}{grant}{why}", *(f"  {step}" for step in explained["steps"])]
