"""``bxctl ask``: ask memory directly, without the model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import AskJson
from bxcore.control.requests import AskRequest
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

ANSWER_S = 3700.0
"""``chat_wait_s`` is at most an hour, and the process answers soon after it."""
EPILOG = "workspaces are own, untrusted, fleet, or another agent's name; own when none is given"


def arguments(parser: ArgumentParser) -> None:
    """Take the question and the workspaces."""
    parser.add_argument("question", nargs="+", metavar="QUESTION")
    parser.add_argument(
        "--workspace", action="append", default=[], metavar="W", help="ask this workspace; at most two"
    )


def run(args: Namespace) -> int:
    """Ask, and print the answer with its label on stderr."""
    request = AskRequest(question=" ".join(args.question), workspaces=tuple(args.workspace))
    answer: AskJson = Wire(socket_of(args)).call(request, ANSWER_S)
    if args.json:
        as_json(answer)
    elif answer["ok"]:
        data(answer["content"])
        label = answer["label"]
        talk(f"label: {label['class']}{', untrusted' if label['untrusted'] else ''}")
    else:
        talk(answer["content"])
    return Exit.OK if answer["ok"] else Exit.FAILED
