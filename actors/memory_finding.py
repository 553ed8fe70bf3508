"""What of sessions and memory's files is to be forgotten (spec 4.2); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bxcore.args.memory import FILES
from bxcore.decide import turns
from bxcore.erasing import Place
from bxcore.forgetting import Needle, speaks, summed_up, turn_of_calls, turns_with
from bxcore.records import Record
from bxio import log_rewriting, session_logs, text_search, whole_results
from bxio.memory_files import MemoryFiles
from bxio.session_store import SessionError, SessionStore


@dataclass(frozen=True, slots=True)
class Found:
    """Turns of one session that are to be forgotten, None for all ``count`` of them."""

    session: str
    log: str
    turns: tuple[int, ...] | None
    count: int


@dataclass(slots=True)
class Holding:
    """All that is to be forgotten. ``unsure`` has a sentence for each session that cannot be read."""

    found: list[Found] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Of no turn: torn tails and results without a call, as paths below the folder of the sessions."""
    places: tuple[Place, ...] = ()
    entries: int = 0
    unsure: list[str] = field(default_factory=list)
    speaks: bool = False
    """Whether a speaker's name holds it."""

    @property
    def revisions(self) -> int:
        """How many edits of memory's files hold it."""
        return len({number for number, _, _ in self.places})

    @property
    def anything(self) -> bool:
        """Whether there is something to forget."""
        return bool(self.found or self.files or self.places)


class Finding:
    """Used by the memory's thread. ``known_log`` gives the name of the log that a session had last."""

    def __init__(self, sessions: SessionStore, files: MemoryFiles, known_log: Callable[[str], str]) -> None:
        self._sessions = sessions
        self._files = files
        self._known_log = known_log

    def whole(self, session: str) -> Holding:
        """A session with all that is in it, a damaged one too."""
        holding = Holding()
        try:
            count = turns(self._sessions.read(session))
        except SessionError as error:
            holding.unsure.append(f"{error.sentence}; its turns are not counted, they go all the same")
            count = 0
        holding.found.append(Found(session, self._log(session), None, count))
        return holding

    def text(self, needle: Needle) -> Holding:
        """Each turn, entry and edit that holds a text. Raises ``MemoryFilesError``."""
        entries = sum(needle.stands_in(text) for file in FILES for text in self._files.texts(file))
        holding = Holding(entries=entries, places=self._files.known.places(needle.stands_in))
        for stored in self._sessions.list():
            try:
                self._look(stored.session, needle, holding)
            except SessionError as error:
                holding.unsure.append(f"{error.sentence}; it may hold the text, forget that session whole")
            except OSError as error:
                holding.unsure.append(f"session {stored.session} cannot be read: {error.strerror}")
        return holding

    def _look(self, session: str, needle: Needle, holding: Holding) -> None:
        folder = self._sessions.folder / session
        beside = [path for path in _beside(folder) if text_search.holds(path, needle)]
        logs = self._sessions.logs(session)
        if not beside and not any(needle.may_be_in(path.read_bytes()) for path in logs):
            return
        records = self._sessions.read(session)
        made_in = _turn_of_results(folder, records)
        numbers = {*turns_with(records, needle), *(made_in[path] for path in beside if path in made_in)}
        holding.speaks = holding.speaks or speaks(records, needle)
        if numbers or summed_up(records, needle):
            found = tuple(sorted(numbers))
            holding.found.append(Found(session, self._log(session), found, len(found)))
        loose = (path for path in beside if path not in made_in)
        holding.files += (str(path.relative_to(self._sessions.folder)) for path in loose)

    def _log(self, session: str) -> str:
        return log_rewriting.log_name(self._sessions.folder / session) or self._known_log(session)


def _beside(folder: Path) -> Iterator[Path]:
    """What of a session's texts lies beside its log."""
    yield from session_logs.torn_tails(folder)
    yield from (result.path for result in whole_results.kept(folder))


def _turn_of_results(folder: Path, records: tuple[Record, ...]) -> dict[Path, int]:
    return {whole_results.place(folder, call): turn for call, turn in turn_of_calls(records).items()}
