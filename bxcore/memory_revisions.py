"""Every edit of a memory file as a revision, and what their sequence says of labels (spec 4.2).

A label is lifted only by an operator's act over the exact bytes, so what was once written with a label keeps
it, and an entry that takes another's place keeps that one's label too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bxcore.labels import NEW_SESSION, Label, Level, join

Who: TypeAlias = Literal["session", "hand"]
"""Who made an edit: a session's call, or a person in an editor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One edit: the entries that it took away and brought. ``at`` is ISO 8601 in UTC.

    ``label`` is the session's state at the edit; ``session`` is empty and ``turn`` 0 for an edit by hand.
    """

    file: str
    who: Who
    at: str
    label: Label
    removed: tuple[str, ...]
    added: tuple[str, ...]
    session: str = ""
    turn: int = 0


@dataclass(slots=True)
class Known:
    """What the revisions so far say: each file's entries, and the label of each text ever written to it."""

    entries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[tuple[str, str], Label] = field(default_factory=dict)

    @classmethod
    def of(cls, revisions: Iterable[Revision]) -> Known:
        """Fold all revisions, the oldest first."""
        known = cls()
        for revision in revisions:
            known.take(revision)
        return known

    def take(self, revision: Revision) -> None:
        """Fold one revision more."""
        file = revision.file
        label = self.label_after(revision)
        for text in revision.added:
            self.labels[file, text] = join(self.label(file, text), label)
        kept = tuple(text for text in self.entries.get(file, ()) if text not in revision.removed)
        self.entries[file] = (*kept, *revision.added)

    def label_after(self, revision: Revision) -> Label:
        """The label of what a revision brings: its own, joined with those of what it took away."""
        return join(revision.label, *(self.label(revision.file, text) for text in revision.removed))

    def label(self, file: str, text: str) -> Label:
        """The label of an entry; private and trusted for one that no revision knows."""
        return self.labels.get((file, text), NEW_SESSION)

    def by_hand(self, file: str, found: tuple[str, ...], at: str) -> Revision | None:
        """The revision that a person made in an editor, or None when the file holds what is known of it."""
        before = self.entries.get(file, ())
        removed = tuple(text for text in before if text not in found)
        added = tuple(dict.fromkeys(text for text in found if text not in before))
        if not removed and not added:
            return None
        return Revision(file=file, who="hand", at=at, label=NEW_SESSION, removed=removed, added=added)


def dump(revision: Revision) -> str:
    """A revision as one line of ASCII JSON, without the line end."""
    label = revision.label
    found = {
        "file": revision.file,
        "who": revision.who,
        "at": revision.at,
        "session": revision.session,
        "turn": revision.turn,
        "class": label.level.text,
        "untrusted": label.untrusted,
        "removed": revision.removed,
        "added": revision.added,
    }
    return json.dumps(found, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def parse(text: str) -> Revision:
    """Read what ``dump`` wrote; raises ``ValueError``. An unknown or missing label is the top."""
    try:
        return _revision(json.loads(text))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no revision: {error}") from None


def _revision(found: Mapping[str, Any]) -> Revision:
    return Revision(
        file=found["file"],
        who=found["who"],
        at=found["at"],
        label=Label(Level.parse(found.get("class")), found.get("untrusted") is not False),
        removed=tuple(found["removed"]),
        added=tuple(found["added"]),
        session=found["session"],
        turn=found["turn"],
    )
