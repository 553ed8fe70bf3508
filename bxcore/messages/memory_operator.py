"""What an operator asks of the memory; each is asked (spec 4.2, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntries:
    """The entries of one file, or of all three; the reply is a tuple of ``FileView``."""

    file: str | None = None
    kind: Literal["list_entries"] = "list_entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRevisions:
    """The newest edits, the newest first; the reply is a tuple of ``RevisionView``."""

    file: str | None = None
    limit: int = 20
    kind: Literal["list_revisions"] = "list_revisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEntry:
    """The operator's own edit: ``id`` names the entry, ``text`` is the new one. The reply is a ``Told``."""

    action: Literal["add", "replace", "remove"]
    file: str = ""
    """For ``add`` only."""
    id: str = ""
    text: str = ""
    kind: Literal["edit_entry"] = "edit_entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoEdit:
    """Take one edit back, the newest that is not undone when no ``number`` is given; replies a ``Told``."""

    number: int | None = None
    kind: Literal["undo_edit"] = "undo_edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftLabel:
    """Say that an entry, byte for byte, is trusted and private; the reply is a ``Told``."""

    id: str
    kind: Literal["lift_label"] = "lift_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidate:
    """Have the model propose a shorter set of entries; the reply is a ``ProposalView`` or a ``Told``."""

    file: str
    kind: Literal["consolidate"] = "consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptProposal:
    """Take a proposal, whole or the entries of these numbers; the reply is a ``Told``."""

    id: str
    numbers: tuple[int, ...] | None = None
    kind: Literal["accept_proposal"] = "accept_proposal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Forget a whole session, or every turn and entry that holds ``text``; the reply is a ``ForgetView``.

    Exactly one of the two is given. With ``dry_run`` nothing is changed.
    """

    session: str = ""
    text: str = ""
    dry_run: bool = True
    kind: Literal["forget"] = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTurn:
    """One exchange of another agent's export; ``at`` is ISO 8601, or empty."""

    user: str
    reply: str
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTurns:
    """Take a piece of a conversation in as an untrusted session; the reply is an ``ImportView``.

    ``conversation`` names it in its source, the same each time; ``first`` is the number of its first turn
    here, from 1, so that a long conversation comes in pieces and a piece twice changes nothing.
    """

    conversation: str
    turns: tuple[ImportedTurn, ...]
    first: int = 1
    speaker: str | None = None
    dry_run: bool = True
    kind: Literal["import_turns"] = "import_turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEntries:
    """Take entries in as untrusted notes; the reply is an ``ImportView``."""

    entries: tuple[str, ...]
    dry_run: bool = True
    kind: Literal["import_entries"] = "import_entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMemory:
    """What ``recall`` would find for the operator, no session left out; the reply is a ``ToolAnswer``."""

    query: str
    k: int = 10
    kind: Literal["search_memory"] = "search_memory"


OperatorMessage: TypeAlias = (
    ListEntries
    | ListRevisions
    | EditEntry
    | UndoEdit
    | LiftLabel
    | Consolidate
    | AcceptProposal
    | Forget
    | ImportTurns
    | ImportEntries
    | SearchMemory
)
