"""``boxmaker chat``: talk to the agent, in the running process or in one started for it (spec 6.2)."""

from __future__ import annotations

import getpass
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bxcore.control import Exit
from bxcore.control.requests import MAIN_SESSION
from bxctl.errors import CommandError
from bxctl.place import paths_of, socket_of
from bxctl.printing import talk
from bxctl.talking.approvals import Approvals, Elsewhere
from bxctl.talking.prompt import NotTextError, lines_of_stdin
from bxctl.talking.screen import JsonScreen, PeopleScreen
from bxctl.talking.turn import Conversation
from bxctl.wire import Wire

EPILOG = """with -m it says that and exits; with text on standard input, a turn a line; else it prompts
a call that needs your approval is asked for at the terminal; without one it is denied at once, or waits for
`bxctl approve` with --approvals wait
exits 0 when every turn has its reply, 1 when one failed"""

NOTHING_PIPED = "standard input held no text, so nothing was said; -m TEXT says something"
STRAY = "; what you say stands behind -m, in quotes"


def arguments(parser: ArgumentParser) -> None:
    """Take what to say, as whom, and where."""
    parser.add_argument(
        "-m",
        "--message",
        action="append",
        default=[],
        metavar="TEXT",
        help="say this; again for the next turn",
    )
    parser.add_argument("--speaker", metavar="NAME", help="who speaks (your login name)")
    parser.add_argument(
        "--session",
        default=MAIN_SESSION,
        metavar="ID",
        help=f"the conversation to go on with ({MAIN_SESSION}); a new name begins a new one",
    )
    parser.add_argument(
        "--approvals",
        choices=("ask", "wait", "deny"),
        help="ask at this terminal, wait for an answer given elsewhere, or deny at once "
        "(ask at a terminal, else deny)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="at the prompt: say each turn's tokens and time too"
    )


def run(args: Namespace) -> int:
    """Talk until there is nothing more to say."""
    wire = Wire(socket_of(args))
    approvals = _approvals(args.approvals, wire)
    with _running(args, wire):
        conversation = Conversation(
            wire=wire,
            session=args.session,
            speaker=args.speaker or _login_name(),
            screen=JsonScreen() if args.json else PeopleScreen(),
            approvals=approvals,
        )
        if args.message:
            return _talk_through(conversation, args.message)
        if not sys.stdin.isatty():
            return _talk_through(conversation, lines_of_stdin(), nothing=NOTHING_PIPED)
        return _talk_at_terminal(args, conversation)


def _talk_at_terminal(args: Namespace, conversation: Conversation) -> Exit:
    """Prompt until the person leaves, who has seen what failed."""
    from bxctl.talking.history import History
    from bxctl.talking.live_turns import Facts
    from bxctl.talking.talk import Talk

    state = None if args.socket is not None else paths_of(args).state
    history = History(state) if state is not None and state.is_dir() else None
    Talk(conversation, history=history, facts=Facts(wanted=args.verbose)).run()
    return Exit.OK


def _approvals(wanted: str | None, wire: Wire) -> Approvals:
    """Who answers approvals: the person at this terminal, somebody elsewhere, or nobody."""
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    mode = wanted or ("ask" if at_terminal else "deny")
    if mode != "ask":
        return Elsewhere(answers=mode == "wait")
    if not at_terminal:
        raise CommandError(Exit.USAGE, "there is no terminal to ask at; say --approvals wait or deny")
    from bxctl.talking.asking import AtTerminal

    return AtTerminal(wire)


def _talk_through(
    conversation: Conversation, texts: Iterable[str | NotTextError], *, nothing: str = ""
) -> Exit:
    """Run a turn a text; a failed one does not keep the next one back, the first failure is the exit code.

    ``nothing`` is said when there was no text at all.
    """
    worst, some = Exit.OK, False
    for text in texts:
        some = True
        if isinstance(text, NotTextError):
            talk(text.sentence)
            ended = Exit.FAILED
        else:
            ended = conversation.say(text)
        worst = worst or ended
    if nothing and not some:
        talk(nothing)
    return worst


@contextmanager
def _running(args: Namespace, wire: Wire) -> Iterator[None]:
    """Have a process to talk to; one that was started for this chat is stopped in order at its end."""
    if wire.answers():
        yield
        return
    if args.socket is not None:
        raise CommandError(
            Exit.NOT_RUNNING, f"nothing listens on {args.socket}; leave --socket away to start one"
        )
    from bxctl.others import wait_for_others
    from bxctl.own_process import OwnProcess
    from bxctl.serving import serve_command

    own = OwnProcess(serve_command(args), wire)
    signal.signal(signal.SIGTERM, _leave)
    try:
        own.start()
        yield
        wait_for_others(wire)
    finally:
        own.stop()


def _leave(number: int, _: object) -> None:
    """Turn a SIGTERM into an exit that passes the clean-up."""
    raise SystemExit(128 + number)


def _login_name() -> str | None:
    """The person's login name; None where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
