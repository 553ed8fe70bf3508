"""``bxctl approve``: let a pending call run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxctl.commands._answering import answer, code_argument

EPILOG = "exits 4 when there is no such code, 1 when it was answered before or has expired"


def arguments(parser: ArgumentParser) -> None:
    """Take the code, and for how long."""
    code_argument(parser)
    parser.add_argument(
        "--session", action="store_true", help="and every call of its tool under its grant, in that session"
    )


def run(args: Namespace) -> int:
    """Approve it."""
    return answer(args, approve=True, for_session=args.session)
