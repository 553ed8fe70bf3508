"""``bxctl deny``: refuse a pending call; the model is told not to try another way."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxctl.commands._answering import answer, code_argument

EPILOG = "exits 4 when there is no such code, 1 when it was answered before or has expired"


def arguments(parser: ArgumentParser) -> None:
    """Take the code."""
    code_argument(parser)


def run(args: Namespace) -> int:
    """Deny it."""
    return answer(args, approve=False, for_session=False)
