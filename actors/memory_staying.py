"""What keeps something of what is forgotten, a sentence each (spec 4.2); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from actors.memory_finding import Holding
from actors.memory_parts import Places
from bxcore import session_files
from bxcore.args.memory import FILES
from bxcore.forgetting import Needle
from bxio import text_search, whole_results
from bxio.memory_files import REVISIONS, MemoryFiles
from bxio.session_store import BASELINE, SessionError

NAMED = 5
"""Sessions or files that a sentence names at most."""
RECORDS = ("ledger.jsonl", "delivered.jsonl")
"""Of what goes to Honcho: every line of them has the same field names."""
CONCLUDED = (
    "the Honcho server deletes its copy as soon as it answers; what it concluded from it may stay there, "
    "ask who runs it"
)
COPIES = "copies outside the box stay: backups, and what a model server has in its cache until it starts anew"


class Staying:
    """Used by the memory's thread."""

    def __init__(self, places: Places, files: MemoryFiles) -> None:
        self._places = places
        self._sessions = places.sessions
        self._files = files

    def of(self, holding: Holding, needle: Needle | None, session: str) -> tuple[str, ...]:
        """What is not taken away of a text, or of a session when there is no ``needle``."""
        stays = [*holding.unsure]
        stays += self._of_session(session) if needle is None else self._of_text(needle, holding)
        if holding.found and self._places.concludes:
            stays.append(CONCLUDED)
        if holding.anything:
            stays.append(COPIES)
        return tuple(stays)

    # Of a session.

    def _of_session(self, session: str) -> Iterator[str]:
        edits = sum(revision.session == session for revision in self._files.known.revisions)
        if edits:
            yield _of_edits(self._entries_of(session), edits)
        showed = [each.session for each in self._sessions.list() if self._was_shown(each.session, session)]
        if showed:
            yield f"sessions that recalled it keep what they were shown: {_some(showed)}; forget them too"
        for path, sentence in self._places.kept.items():
            if path.is_file() and f'"{session}"'.encode() in path.read_bytes():
                yield sentence

    def _entries_of(self, session: str) -> int:
        origins = (self._files.known.origin(file, text) for file in FILES for text in self._files.texts(file))
        return sum(origin is not None and origin.session == session for origin in origins)

    def _was_shown(self, session: str, another: str) -> bool:
        """Whether a session's log has a hit of another one, as recall heads it (spec 4.3)."""
        if session == another:
            return False
        heading = f" session {another} turn ".encode()
        with suppress(OSError, SessionError):
            return any(heading in path.read_bytes() for path in self._sessions.logs(session))
        return False

    # Of a text.

    def _of_text(self, needle: Needle, holding: Holding) -> Iterator[str]:
        going = {found.session for found in holding.found if found.turns is None}
        named = [
            stored.session
            for stored in self._sessions.list()
            if stored.session not in going and self._in_baseline(stored.session, needle)
        ]
        if named:
            names = _some(named)
            yield f"sessions that began with it in their memory block keep it: {names}; forget them whole"
        if holding.speaks:
            yield "the name of a speaker holds it; a turn keeps who spoke"
        for path, sentence in self._places.kept.items():
            with suppress(OSError):
                if text_search.holds(path, needle):
                    yield sentence
        yield from self._other_files(needle)

    def _in_baseline(self, session: str, needle: Needle) -> bool:
        with suppress(OSError):
            return text_search.holds(self._folder(session) / BASELINE, needle)
        return False

    def _other_files(self, needle: Needle) -> Iterator[str]:
        """What else lies in the box's folders: work folders, its own log, copies that a person made."""
        folders = dict.fromkeys(
            (self._places.ledger.parent, self._places.files, *self._places.looked_through)
        )
        inner = [each for each in folders if any(other in each.parents for other in folders)]
        outer = [each for each in folders if each not in inner]
        there: list[str] = []
        unread: list[str] = []
        for path, problem in text_search.holding(outer, needle, self._is_known):
            if problem:
                unread.append(f"{path} ({problem})")
            elif not self._only_names_fields(path, needle):
                there.append(str(path))
        if there:
            yield f"these files hold it and are left as they are: {_some(there)}; see to them yourself"
        if unread:
            yield f"these could not be looked through and may hold it: {_some(unread)}"

    def _only_names_fields(self, path: Path, needle: Needle) -> bool:
        """Whether it stands in the field names alone of a record that a person must not edit."""
        ours = path.parent == self._places.ledger.parent and path.name in RECORDS
        with suppress(OSError):
            return ours and not text_search.holds_in_values(path, needle)
        return False

    def _is_known(self, path: Path) -> bool:
        """Whether something else sees to it, or says that it stays."""
        places = self._places
        if path.parent.parent == self._sessions.folder:
            beside = path.name in {BASELINE, whole_results.FOLDER}
            return beside or session_files.is_log(path.name) or session_files.is_torn(path.name)
        ours = {self._files.path(file) for file in FILES} | {places.files / REVISIONS, places.record}
        return path in ours or path in places.kept or path == places.index.with_suffix(".words")

    def _folder(self, session: str) -> Path:
        return self._sessions.folder / session


def _of_edits(entries: int, edits: int) -> str:
    """What memory keeps of what a session wrote: entries as they are, and edits in their log."""
    made = _count(edits, "edit", "edits")
    if not entries:
        return f"{made} of memory came from it; bxctl memory log shows them, forget --text takes one away"
    return (
        f"{_count(entries, 'entry', 'entries')} of memory came from it, in {made}; "
        "bxctl memory list and log show them, forget --text takes one away"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if names[NAMED:] else "")


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
