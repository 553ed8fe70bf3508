"""Doctor's word on what the box keeps for good: each file in which a line is damaged (spec 3.1, 6.3).

The files are read beside a box that may be writing them: a last line that is only half there is no damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bxcore import journal
from bxcore.config import Settings
from bxcore.doctor import Check, Verdict
from bxctl.examining.kept_sessions import session_checks

WITHIN_S = 20.0
"""For the logs of all sessions, the newest first; those that are left then are said to be left."""
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
    yield from session_checks(state, within_s)


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
