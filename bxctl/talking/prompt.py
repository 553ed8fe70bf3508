"""Where the texts of a chat come from: flags, standard input, or a prompt with history."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from bxcore.control.answers import SessionJson
from bxcore.control.requests import SessionRequest
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.wire import Wire

LONGEST_LINE = 1_048_576
HISTORY = 100
_COMMAND = re.compile(r"/[a-z]*")
"""Such as ``/help``: a command that other chats have, and nothing to bother a model with."""
_LEAVE = frozenset({"/quit", "/exit"})


class NotTextError(ValueError):
    """A line of standard input that cannot be sent; ``sentence`` says which."""

    def __init__(self, number: int, why: str) -> None:
        self.sentence = f"line {number} {why}; it was not sent"
        super().__init__(self.sentence)


def lines_of_stdin() -> Iterator[str | NotTextError]:
    """Each line of standard input that says something; what cannot be sent is named and skipped."""
    number = 0
    while line := sys.stdin.buffer.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            yield NotTextError(number, "is longer than 1 MiB")
            _skip_rest(line)
            continue
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            yield NotTextError(number, "is not UTF-8 text")
            continue
        if text:
            yield text


def _skip_rest(line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = sys.stdin.buffer.readline(LONGEST_LINE)


def typed_lines(wire: Wire, session: str) -> Iterator[str]:
    """Ask for one text after the other until Ctrl-D or /quit; the arrow keys bring back what was said.

    What was said comes from the session's own log: a history file would be a second place for secrets.
    """
    _load_history(wire, session)
    talk(f"session {session}; Ctrl-C stops a turn, Ctrl-D or /quit leaves")
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            continue
        except UnicodeDecodeError:
            talk("that was not UTF-8 text; it was not sent")
            continue
        if text in _LEAVE:
            return
        if _COMMAND.fullmatch(text):
            talk(f"there is no {text} here, it was not sent; /quit leaves, all else is said to your agent")
        elif text:
            yield text


def _load_history(wire: Wire, session: str) -> None:
    try:
        import readline
    except ImportError:  # a Python without it still has a prompt
        return
    try:
        shown: SessionJson = wire.call(SessionRequest(session=session))
    except CommandError:  # a new session has said nothing yet
        return
    for turn in shown["said"][-HISTORY:]:
        if "\n" not in turn["user"]:
            readline.add_history(turn["user"])
