"""Doctor's word on the sessions: whose files are damaged, and who goes on without something (spec 3.1, 3.2).

The files are read beside a box that may be writing them: a last line that is only half there is no damage.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bxcore import epochs, journal, records, session_files, turn_decisions
from bxcore.doctor import Check, Verdict
from bxcore.records import Record, SessionStart, User
from bxcore.session_files import BASELINE, NEXT

SHOWN = 10
"""Damaged sessions that are named one by one."""
_RESTORE = "restore it from a backup; it is left as it is until then"
_STOPS = "the session cannot go on until it is whole"
_HIDES = "the session goes on, and is not shown until it is whole"
_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class _Wrong:
    sentence: str
    help: str = _RESTORE
    verdict: Verdict = Verdict.BAD


def session_checks(state: Path, within_s: float) -> Iterator[Check]:
    """One check for each session with which something is wrong, the last changed first, and no other.

    Those that there was no time for are said to be left.
    """
    folder, ends_s, damaged = state / "sessions", time.monotonic() + within_s, 0
    sessions, decided = sorted(_folders(folder), reverse=True), _decided(state / "ledger.jsonl")
    for looked, (_, session) in enumerate(sessions):
        if time.monotonic() > ends_s:
            left = f"{len(sessions) - looked} of {len(sessions)} logs were not looked at, for want of time"
            yield Check(name="sessions", verdict=Verdict.WARN, sentence=left, help="run it again")
            break
        for wrong in _wrong_with(session, decided):
            damaged += 1
            if damaged <= SHOWN:
                name = f"session {session.name}"
                yield Check(name=name, verdict=wrong.verdict, sentence=wrong.sentence, help=wrong.help)
    if damaged > SHOWN:
        more = f"{damaged - SHOWN} more logs in {folder} are damaged"
        yield Check(name="sessions", verdict=Verdict.BAD, sentence=more, help=_RESTORE)


def _folders(folder: Path) -> Iterator[tuple[float, Path]]:
    """The folders of the sessions, and when each was changed last."""
    try:
        for session in folder.iterdir():
            log = session / session_files.LOG
            if log.is_file():
                yield log.stat().st_mtime, session
            elif session.is_dir() and not session.name.startswith("."):
                yield session.stat().st_mtime, session
    except OSError:  # the state folder has a line of its own
        return


def _decided(ledger: Path) -> Mapping[tuple[str, str], int]:
    """The last turn of each session's log that is decided; nothing of a ledger that cannot be read."""
    try:
        rows = map(turn_decisions.parse, journal.recover(ledger.read_bytes()).payloads)
        return {(row.session, row.log): row.turn for row in rows}
    except (OSError, ValueError):  # it has a line of its own
        return {}


def _wrong_with(session: Path, decided: Mapping[tuple[str, str], int]) -> Iterator[_Wrong]:
    """The first thing that is wrong with its files; nothing of a session that was deleted meanwhile."""
    try:
        yield from _wrong_files(session, {path.name for path in session.iterdir()}, decided)
    except FileNotFoundError:
        return
    except OSError as error:
        yield _Wrong(f"{error.filename or session} cannot be read: {error.strerror}", f"ls -l {session}")


def _wrong_files(session: Path, names: set[str], decided: Mapping[tuple[str, str], int]) -> Iterator[_Wrong]:
    wrong = session_files.incomplete(names, lambda name: (session / name).stat().st_size)
    if wrong is not None:
        yield _Wrong(f"{session / wrong}; {_STOPS}")
        return
    found: list[list[Record]] = []
    for epoch in session_files.epochs_of(names):
        last = epoch + 1 not in session_files.epochs_of(names)
        path, part = session / f"{epoch}.jsonl", None
        try:
            part = records.read(path.read_bytes(), may_be_torn=last)
        except (journal.DamageError, records.RecordError) as error:
            yield _Wrong(f"{path}: {error}; {_STOPS if last else _HIDES}")
            return
        if not part and session_files.has_begun(names):
            yield _Wrong(f"{path} {session_files.NO_LINE}; {_STOPS}")
            return
        if path.stat().st_mode & _OTHERS:
            stops = "; the session cannot go on until it is not" if last else ""
            verdict = Verdict.BAD if last else Verdict.WARN
            yield _Wrong(f"{path} is open to others{stops}", f"chmod 600 {path}", verdict)
            return
        found.append(list(part))
    yield from _wrong_records(session, found, decided)


def _wrong_records(
    session: Path, found: list[list[Record]], decided: Mapping[tuple[str, str], int]
) -> Iterator[_Wrong]:
    try:
        whole = epochs.joined(found)
    except epochs.EpochError as error:
        yield _Wrong(f"{session}: {error}; {_HIDES}")
        return
    start = found[-1][0] if found and found[-1] else None
    if not isinstance(start, SessionStart):
        return
    yield from _wrong_baseline(session, start.baseline)
    lost = decided.get((session.name, start.log), 0) - sum(isinstance(each, User) for each in whole)
    if start.log and lost > 0:
        said = f"{session} has lost its last turns, {lost} of them; it goes on without them, and says so"
        yield _Wrong(said, "restore it from a later backup", Verdict.WARN)


def _wrong_baseline(session: Path, sha256: str) -> Iterator[_Wrong]:
    """A session that was imported has none."""
    named = (session / name for name in (BASELINE, NEXT))
    saved = [path.read_bytes() for path in named if path.is_file()]
    if sha256 and not any(hashlib.sha256(each).hexdigest() == sha256 for each in saved):
        what = "was changed since the session began" if (session / BASELINE).exists() else "is missing"
        said = f"{session / BASELINE} {what}; at its next turn the session goes on with a new one"
        yield _Wrong(said, "restore it before that, or do nothing", Verdict.WARN)
