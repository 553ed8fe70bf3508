"""What an operator sees of the memory files and does to them (spec 4.2); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TypeAlias, assert_never

from actors.base import Refusal
from bxcore import memory_edits, memory_entries, memory_undo
from bxcore.args.errors import ArgsError
from bxcore.args.memory import FILES, check_entry
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import LIMITS, Edited, NotEdited, first_words
from bxcore.memory_ids import entry_id
from bxcore.memory_views import EntryView, FileView, RevisionView, Told
from bxcore.messages import memory_operator
from bxcore.messages.memory_operator import EditEntry
from bxio.memory_files import OPERATOR, Editor, MemoryFiles, MemoryFilesError

OfFiles: TypeAlias = (
    memory_operator.ListEntries
    | memory_operator.ListRevisions
    | memory_operator.EditEntry
    | memory_operator.UndoEdit
    | memory_operator.LiftLabel
)
_SEE = "bxctl memory list shows the ids"
_NO_FILE = "there is no file {!r}; write memory, user or notes"


class Operating:
    """Used by the memory's thread."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files

    def answer(self, message: OfFiles) -> object:
        """Show or do what was asked for; files that cannot be read or written are a refusal."""
        try:
            match message:
                case memory_operator.ListEntries():
                    return self._list(message.file)
                case memory_operator.ListRevisions():
                    return tuple(self._log(message.file))[: max(0, message.limit)]
                case memory_operator.EditEntry():
                    return self._edit(message)
                case memory_operator.UndoEdit():
                    return self._undo(message.number)
                case memory_operator.LiftLabel():
                    return self._lift(message.id)
                case _:
                    assert_never(message)
        except MemoryFilesError as error:
            raise Refusal(error.sentence) from None

    def _list(self, wanted: str | None) -> tuple[FileView, ...]:
        return tuple(self._view(file) for file in FILES if wanted in {None, file})

    def _view(self, file: str) -> FileView:
        entries = self._files.entries(file)
        texts = tuple(entry.text for entry in entries)
        return FileView(
            file=file,
            path=str(self._files.path(file)),
            size=memory_entries.size(texts),
            limit=LIMITS[file],
            entries=tuple(self._entry(file, text) for text in texts),
        )

    def _entry(self, file: str, text: str) -> EntryView:
        known = self._files.known
        revision = known.origin(file, text)
        return EntryView(
            id=entry_id(file, text),
            text=text,
            label=known.label(file, text),
            origin="" if revision is None else revision.origin,
            at="" if revision is None else revision.at,
            lifted=known.is_lifted(file, text),
        )

    def _log(self, wanted: str | None) -> Iterator[RevisionView]:
        self._list(wanted)  # so that what was edited by hand is a revision by now
        known = self._files.known
        for number, revision in reversed(list(enumerate(known.revisions, 1))):
            if wanted in {None, revision.file}:
                yield RevisionView(
                    number=number,
                    file=revision.file,
                    origin=_what(revision.origin, revision.undoes, lifted=bool(revision.lifted)),
                    at=revision.at,
                    label=revision.label,
                    removed=revision.removed,
                    added=revision.added or revision.lifted,
                    undone=known.undone(number),
                )

    def _edit(self, message: EditEntry) -> Told:
        if message.action != "remove":
            try:
                check_entry("text", message.text)
            except ArgsError as error:
                return Told(ok=False, sentence=error.sentence)
        if message.action == "add":
            if message.file not in FILES:
                return Told(ok=False, sentence=_NO_FILE.format(message.file[:20]), known=False)
            change = partial(memory_entries.add, message.file, text=message.text)
            return self._told(message.file, self._files.edit(message.file, change, OPERATOR), "added to")
        found = self._find(message.id)
        if isinstance(found, Told):
            return found
        file, old = found
        replaces = message.action == "replace"
        change = partial(memory_entries.exchange, file, old=old, text=message.text if replaces else None)
        what = "replaced in" if replaces else "removed from"
        return self._told(file, self._files.edit(file, change, OPERATOR), what)

    def _undo(self, number: int | None) -> Told:
        self._list(None)
        known = self._files.known
        wanted = known.newest() if number is None else number
        if not 1 <= wanted <= len(known.revisions):
            nothing = "there is no edit to undo" if number is None else f"there is no edit {number}"
            return Told(ok=False, sentence=f"{nothing}; bxctl memory log lists them", known=False)
        file = known.revisions[wanted - 1].file
        editor = Editor(who="operator", label=NEW_SESSION, undoes=wanted)
        edited = self._files.edit(file, lambda entries: memory_undo.undo(known, wanted, entries), editor)
        return self._told(file, edited, f"edit {wanted} is undone in")

    def _lift(self, wanted: str) -> Told:
        found = self._find(wanted)
        if isinstance(found, Told):
            return found
        file, text = found
        label = self._files.known.label(file, text)
        if label == NEW_SESSION:
            return Told(ok=False, sentence=f'"{first_words(text)}" is {label} and trusted already')
        self._files.lift(file, text)
        return Told(
            ok=True,
            sentence=f'"{first_words(text)}" was {label} and is {NEW_SESSION} and trusted now; '
            "an edit of it brings the label back",
        )

    def _find(self, wanted: str) -> tuple[str, str] | Told:
        """The file and the text of an entry's id; none that two have, since an id can be made to meet."""
        every = [(file, text) for file in FILES for text in self._files.texts(file)]
        found = [(file, text) for file, text in every if entry_id(file, text) == wanted]
        if not found:
            return Told(ok=False, sentence=f"there is no entry {wanted[:20]!r}; {_SEE}", known=False)
        if len(found) > 1:
            return Told(
                ok=False, sentence=f"{len(found)} entries have the id {wanted}; edit the files by hand"
            )
        return found[0]

    def _told(self, file: str, edited: Edited | NotEdited, what: str) -> Told:
        if isinstance(edited, NotEdited):
            return Told(ok=False, sentence=edited.sentence)
        return Told(ok=True, sentence=memory_edits.became(what, file, edited))


def _what(origin: str, undoes: int, *, lifted: bool) -> str:
    if undoes:
        return f"{origin}, undoes {undoes}"
    return f"{origin}, lifts the label" if lifted else origin
