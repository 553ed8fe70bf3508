"""What the orders of a chat show: sessions, memory, the session's label (spec 6.2)."""

from __future__ import annotations

from bxcore.control import Exit
from bxcore.control.answers import AskJson, DoneJson, SessionJson, SessionsJson
from bxcore.control.requests import SessionRequest, SessionsRequest, StopTurnRequest
from bxctl.called import retyped, typed
from bxctl.errors import CommandError
from bxctl.printing import data, talk
from bxctl.wire import Wire

ROWS = 20
STOP_S = 5.0
ANSWER_S = 30.0
"""For what reads logs; a person waits at the prompt."""


def show_sessions(wire: Wire) -> None:
    """The newest sessions."""
    from bxctl.commands.sessions import listing

    answer: SessionsJson = wire.call(SessionsRequest(limit=ROWS), ANSWER_S)
    if answer["sessions"]:
        data(listing(answer["sessions"]))
    else:
        talk("no sessions yet; say something, and this one is")


def show_memory(wire: Wire, words: str) -> None:
    """What is remembered about a person, or what a search of all memory finds."""
    from bxcore.control.memory import MemoryJson
    from bxcore.control.memory_requests import MemoryRequest, MemorySearchRequest
    from bxctl import memory_text

    if words:
        found: AskJson = wire.call(MemorySearchRequest(query=words), ANSWER_S)
        data(found["content"])
        return
    answer: MemoryJson = wire.call(MemoryRequest(), ANSWER_S)
    data(memory_text.overview(answer["files"]))


def show_label(wire: Wire, session: str) -> None:
    """The session's label, and what follows from it."""
    from bxctl.commands.sessions import label

    shown = last_turns(wire, session, 1)
    if shown is None:
        talk(f"session {session} has said nothing yet; it begins private")
        return
    strange = shown["label"]["untrusted"]
    why = "strangers wrote in it, so more calls ask you first" if strange else "no stranger wrote in it"
    data(f"{session}: {label(shown['label'])}; {why}. {typed('grants')} list says what asks when")


def stop(wire: Wire, session: str) -> None:
    """End the session's running turn, whoever asked for it."""
    done: DoneJson = wire.call(StopTurnRequest(session=session), STOP_S)
    talk(retyped(done["sentence"]))


def last_turns(wire: Wire, session: str, last: int) -> SessionJson | None:
    """A session with its last turns, None when it has said nothing yet; raises ``CommandError``."""
    try:
        shown: SessionJson = wire.call(SessionRequest(session=session, last=last), ANSWER_S)
    except CommandError as error:
        if error.exit is Exit.NO_SUCH_THING:
            return None
        raise
    return shown
