"""Doctor's word on what the box keeps for good: each file in which a line is damaged (spec 3.1, 6.3).

The files are read beside a box that may be writing them: a last line that is only half there is no damage.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from bxcore import journal, records
from bxcore.config import Settings
from bxcore.doctor import Check, Verdict

WITHIN_S = 20.0
"""For the logs of all sessions, the newest first; those that are left then are said to be left."""
SHOWN = 10
"""Damaged sessions that are named one by one."""
_RESTORE = "restore it from a backup; it is left as it is until then"
_WHAT_STANDS_STILL = {
    "ledger.jsonl": "no turn is saved to memory until it is whole",
    "delivered.jsonl": "nothing is sent to Honcho until it is whole",
    "forgotten.jsonl": "nothing is sent to Honcho until it is whole",
    "revisions.jsonl": "memory is neither read nor edited until it is whole",
}


def kept_checks(settings: Settings | None, state: Path, within_s: float = WITHIN_S) -> Iterator[Check]:
    """One check that is bad for each damaged file, and nothing of those that are whole."""
    memory = (settings.memory.folder if settings else None) or state / "memory"
    for name, stands_still in _WHAT_STANDS_STILL.items():
        path = (memory if name == "revisions.jsonl" else state) / name
        wrong = _wrong_journal(path)
        if wrong is not None:
            yield _bad(path.stem, f"{path}: {wrong}; {stands_still}")
    yield from _sessions(state / "sessions", within_s)


def _sessions(folder: Path, within_s: float) -> Iterator[Check]:
    ends_s, damaged = time.monotonic() + within_s, 0
    sessions = sorted(_folders(folder), reverse=True)
    for looked, (_, session) in enumerate(sessions):
        if time.monotonic() > ends_s:
            sentence = (
                f"{len(sessions) - looked} of {len(sessions)} logs were not looked at, for want of time"
            )
            yield Check(name="sessions", verdict=Verdict.WARN, sentence=sentence, help="run it again")
            break
        wrong = _wrong_session(session)
        if wrong is None:
            continue
        damaged += 1
        if damaged <= SHOWN:
            yield _bad(f"session {session.name}", f"{wrong}; the session cannot go on until it is whole")
    if damaged > SHOWN:
        yield _bad("sessions", f"{damaged - SHOWN} more logs in {folder} are damaged")


def _folders(folder: Path) -> Iterator[tuple[float, Path]]:
    """The folders of the sessions, and when each was changed last."""
    try:
        for session in folder.iterdir():
            log = session / "0.jsonl"
            if log.is_file():
                yield log.stat().st_mtime, session
    except OSError:  # the state folder has a line of its own
        return


def _wrong_session(session: Path) -> str | None:
    """What is wrong with one of its files, in the order of the epochs."""
    epochs = sorted(int(path.stem) for path in session.glob("*.jsonl") if path.stem.isdecimal())
    for wanted, epoch in enumerate(epochs):
        if epoch != wanted:
            return f"{session / f'{wanted}.jsonl'} is missing, and {epoch}.jsonl is there"
        path = session / f"{epoch}.jsonl"
        try:
            records.read(path.read_bytes(), may_be_torn=epoch == epochs[-1])
        except FileNotFoundError:  # deleted meanwhile
            return None
        except OSError as error:
            return f"{path} cannot be read: {error.strerror}"
        except (journal.DamageError, records.RecordError) as error:
            return f"{path}: {error}"
    return None


def _wrong_journal(path: Path) -> str | None:
    try:
        journal.recover(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"it cannot be read, {error.strerror}"
    except journal.DamageError as error:
        return str(error)
    return None


def _bad(name: str, sentence: str) -> Check:
    return Check(name=name, verdict=Verdict.BAD, sentence=sentence, help=_RESTORE)
