"""What the memory shows an operator, as values (spec 4.2, 4.7, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What became of an operator's wish: done or not, one sentence, whether the thing was there."""

    ok: bool
    sentence: str
    known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry: ``origin`` says who wrote it (``session k3f turn 4``, ``by hand``, ``import``).

    ``at`` is ISO 8601, or empty; ``lifted`` when an operator lifted the label that it came with.
    """

    id: str
    text: str
    label: Label
    origin: str
    at: str
    lifted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """One memory file as it is on disk now; ``size`` and ``limit`` in characters."""

    file: str
    path: str
    size: int
    limit: int
    entries: tuple[EntryView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionView:
    """One edit, numbered from 1 over all files; ``undone`` names the revision that took it back, or 0."""

    number: int
    file: str
    origin: str
    at: str
    label: Label
    removed: tuple[str, ...]
    added: tuple[str, ...]
    undone: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEntry:
    """An entry of a shorter file, numbered from 1, and the ids of the entries that it stands for."""

    number: int
    text: str
    stands_for: tuple[str, ...]
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A shorter set for one file (spec 4.2), sizes in characters.

    An entry of it is void once one that it stands for changes, and all of it with a restart. ``kept`` are
    the ids of the entries that stay as they are.
    """

    file: str
    id: str
    size_before: int
    size_after: int
    limit: int
    entries: tuple[ProposedEntry, ...]
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetView:
    """What would be forgotten, or was (``done``): how much of what, and what cannot be taken away.

    ``sessions`` are the names of the sessions concerned, ``turns`` how many turns of them; ``entries`` counts
    entries of memory files, ``revisions`` edits that held them. ``busy`` are sessions that are open now:
    nothing is forgotten while there is one. ``left`` has one sentence for each place that keeps something.
    """

    done: bool
    sessions: tuple[str, ...]
    turns: int
    entries: int
    revisions: int
    busy: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    """What an import brought, or would bring (``done`` is False): new things, ones that were there already.

    ``session`` is the name of the session that a conversation became, empty for entries. ``refused`` has one
    sentence for each thing that was left out.
    """

    done: bool
    new: int
    already: int
    session: str = ""
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One turn that is not in Honcho yet: ``id`` is ``SESSION.TURN``; ``why`` is never any of its text."""

    id: str
    session: str
    turn: int
    workspace: str
    state: Literal["waiting", "parked"]
    why: str
    age_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxView:
    """What waits for Honcho and what was parked, the oldest first, at most as many rows as were asked for.

    ``failing`` says why the last try failed, empty when it did not. ``queue`` says per workspace how much
    Honcho has still to think about, or that it did not say.
    """

    waiting: int
    parked: int
    oldest_s: float
    failing: str
    next_try_s: float
    rows: tuple[OutboxRow, ...]
    queue: tuple[tuple[str, str], ...] = ()
