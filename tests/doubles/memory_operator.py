"""An operator's wishes to a real memory, each with its answer's type."""

from __future__ import annotations

from actors.base import Mailbox
from bxcore.memory_views import FileView, ForgetView, ImportView, RevisionView, Told
from bxcore.messages.memory_operator import (
    EditEntry,
    Forget,
    ImportEntries,
    ImportTurns,
    LiftLabel,
    ListEntries,
    ListRevisions,
    UndoEdit,
)

S = 10.0


def listed(box: Mailbox, file: str) -> FileView:
    (found,) = box.call(ListEntries(file=file), S)
    assert isinstance(found, FileView)
    return found


def texts(box: Mailbox, file: str) -> list[str]:
    return [entry.text for entry in listed(box, file).entries]


def id_of(box: Mailbox, file: str, text: str) -> str:
    return next(entry.id for entry in listed(box, file).entries if entry.text == text)


def log(box: Mailbox, file: str | None = None, limit: int = 20) -> list[RevisionView]:
    return list(box.call(ListRevisions(file=file, limit=limit), S))


def told(box: Mailbox, message: EditEntry | UndoEdit | LiftLabel) -> Told:
    found = box.call(message, S)
    assert isinstance(found, Told)
    return found


def forget(box: Mailbox, session: str = "", text: str = "", *, dry_run: bool = False) -> ForgetView:
    found = box.call(Forget(session=session, text=text, dry_run=dry_run), S)
    assert isinstance(found, ForgetView)
    return found


def imported(box: Mailbox, message: ImportTurns | ImportEntries) -> ImportView:
    found = box.call(message, S)
    assert isinstance(found, ImportView)
    return found
