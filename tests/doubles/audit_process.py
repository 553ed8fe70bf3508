"""A process with a real audit and three writers, until it is done, refused or killed; says what it was told.

``python -m tests.doubles.audit_process PATH CALLS [LONGEST]``: each writer records CALLS calls, their
arguments of up to LONGEST characters. A printed line is ``intent|outcome|settled NUMBER CALL`` once that was
answered, or ``refused STEP SENTENCE``; it is one write, so that a kill takes none of it back.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Thread

from actors.audit import Audit
from actors.base import Mailbox, Refusal, Runtime
from bxcore.labels import NEW_SESSION
from bxcore.messages.audit import AuditMessage, Intent, Outcome, Settled

WRITERS = 3
WAIT_S = 20.0


def main(path: Path, calls: int, longest: int) -> None:
    runtime = Runtime()
    box = runtime.start("audit", lambda context: Audit(context, path=path, now=lambda: "now"))
    threads = [Thread(target=_write, args=(box, name, calls, longest)) for name in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10 * WAIT_S)
    runtime.stop("audit")


def _write(box: Mailbox, writer: int, calls: int, longest: int) -> None:
    for number in range(calls):
        call = f"w{writer}c{number}"
        size = 20 + (number * 97_777) % longest
        if _asked(box, call, intent(call, size)) is None:
            continue
        written = _asked(box, call, outcome(call))
        if written is not None:
            _asked(box, call, Settled(number=written))


def _asked(box: Mailbox, call: str, message: AuditMessage) -> int | None:
    try:
        number: int = box.call(message, WAIT_S)
    except Refusal as refusal:
        _say(f"refused {message.kind} {refusal.sentence}")
        return None
    _say(f"{message.kind} {number} {call}")
    return number


def _say(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def intent(call: str, size: int = 20) -> Intent:
    return Intent(
        session="home",
        turn=1,
        call=call,
        tool="shell",
        arguments_sha256="ab" * 32,
        arguments="x" * size,
        decision="allowed",
        grant="run-tests",
        grant_sha256="cd" * 32,
        label=NEW_SESSION,
    )


def outcome(call: str) -> Outcome:
    return Outcome(
        session="home",
        call=call,
        outcome="ok",
        label_before=NEW_SESSION,
        label_after=NEW_SESSION,
        duration_ms=1,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 30)
