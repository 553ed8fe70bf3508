"""The owner's word on an approval, from the command line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import ApprovalAnswerJson
from bxcore.control.requests import AnswerApprovalRequest
from bxctl.called import retyped, typed
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

BY = "bxctl"


def code_argument(parser: ArgumentParser) -> None:
    """Take an approval's code."""
    parser.add_argument(
        "code", metavar="CODE", help=f"such as k7, in capitals too; {typed('approvals')} has them"
    )


def answer(args: Namespace, *, approve: bool, for_session: bool) -> int:
    """Send it and say what became of it; exits 1 when it was not taken."""
    request = AnswerApprovalRequest(code=args.code, approve=approve, for_session=for_session, by=BY)
    answered: ApprovalAnswerJson = Wire(socket_of(args)).call(request)
    if args.json:
        as_json(answered)
    elif answered["taken"]:
        data(retyped(answered["sentence"]))
    else:
        talk(retyped(answered["sentence"]))
    return Exit.OK if answered["taken"] else Exit.FAILED
