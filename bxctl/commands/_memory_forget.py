"""``bxctl memory forget``: what would go and what stays, and the sessions in its way ended."""

from __future__ import annotations

import threading
import time
from argparse import Namespace

from bxcore.control import Exit
from bxcore.control.answers import DoneJson
from bxcore.control.memory import ForgetJson
from bxcore.control.memory_requests import MemoryForgetRequest
from bxcore.control.requests import EndSessionRequest
from bxctl import memory_text
from bxctl.called import typed
from bxctl.commands._would import unwanted, wanted
from bxctl.errors import CommandError
from bxctl.place import paths_of, socket_of
from bxctl.printing import as_json, data, talk
from bxctl.talking.history import History
from bxctl.wire import Wire

ENDED_S = 15.0
"""For sessions to end; one that a turn runs in stops it."""
AGAIN_S = 0.1
"""Between two tries."""


def forget(args: Namespace, session: str, text: str) -> int:
    """Forget one of the two; the other is empty."""
    wire = Wire(socket_of(args))
    found: ForgetJson = wire.call(MemoryForgetRequest(session=session, text=text))
    if not (found["sessions"] or found["entries"] or found["revisions"]):
        return Exit.OK if _forget_typed(args, session, text) else _nothing(args, found)
    if not wanted(args, found, memory_text.forgotten(found), "forget it for good?"):
        return unwanted(args, found, "nothing was forgotten")
    answer = _forget(wire, MemoryForgetRequest(session=session, text=text, dry_run=False))
    _forget_typed(args, session, text)
    if args.json:
        as_json(answer)
    else:
        data(memory_text.forgotten(answer))
    return Exit.OK


def _forget_typed(args: Namespace, session: str, text: str) -> int:
    """Forget it among the lines that were typed in chats, which this command reads itself; how many went."""
    if args.socket is not None:  # a box elsewhere, whose chats keep none here
        return 0
    try:
        gone = History(paths_of(args).state).forget(session=session, text=text)
    except OSError as error:
        raise CommandError(Exit.FAILED, f"the lines typed in chats still hold it: {error.strerror}") from None
    if gone:
        talk(
            "1 line typed in a chat is forgotten"
            if gone == 1
            else f"{gone} lines typed in chats are forgotten"
        )
    return gone


def _nothing(args: Namespace, found: ForgetJson) -> int:
    """Nothing can be forgotten; what keeps the text all the same is named."""
    if args.json:
        as_json(found)
    for sentence in found["left"]:
        talk(f"stays: {sentence}")
    raise CommandError(Exit.NO_SUCH_THING, "no session, no entry and no old edit holds that text")


def _forget(wire: Wire, request: MemoryForgetRequest) -> ForgetJson:
    """Forget it, and end the sessions that are open; an actor takes a moment for its end."""
    told: set[str] = set()
    deadline_s = time.monotonic() + ENDED_S
    pause = threading.Event()
    while True:
        answer: ForgetJson = wire.call(request)
        if answer["done"]:
            return answer
        if time.monotonic() > deadline_s:
            raise CommandError(Exit.FAILED, _still_open(answer["busy"]))
        for busy in answer["busy"]:
            if busy not in told:
                talk(f"session {busy} is open; it is ended first")
            told.add(busy)
            ended: DoneJson = wire.call(EndSessionRequest(session=busy))
            del ended  # one that has ended already is as good
        pause.wait(AGAIN_S)


def _still_open(busy: list[str]) -> str:
    names = ", ".join(busy)
    return f"nothing was forgotten: {names} did not end; look at {typed('tree')}, then try again"
