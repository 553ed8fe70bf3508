"""What the sequence of revisions says of each entry: its label, its origin, what can be undone (spec 4.2).

A label is lifted only by an operator's act over the exact bytes, so what was once written with a label keeps
it, and an entry that takes another's place takes that one's label too. An edit voids a lifting: what comes
in the place of a lifted entry has the label that the entry came with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bxcore.erasing import Place
from bxcore.labels import NEW_SESSION, Label, join
from bxcore.memory_revisions import Revision, is_blank


@dataclass(slots=True)
class Known:
    """The fold of all revisions; a revision's number is its place among them, from 1."""

    entries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    revisions: list[Revision] = field(default_factory=list)
    _labels: dict[tuple[str, str], Label] = field(default_factory=dict)
    """The label that each text ever written to a file came with."""
    _lifted: set[tuple[str, str]] = field(default_factory=set)
    _origins: dict[tuple[str, str], Revision] = field(default_factory=dict)
    _undone: dict[int, int] = field(default_factory=dict)

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
        self.revisions.append(revision)
        label = self.label_after(revision)
        for text in revision.added:
            if revision.undoes:  # what comes back has the label and the author that it went with
                self._origins.setdefault((file, text), revision)
            else:
                self._labels[file, text] = join(self.came_with(file, text), label)
                self._origins[file, text] = revision
        self._lifted.difference_update((file, text) for text in revision.removed)
        self._lifted.update((file, text) for text in revision.lifted)
        self._note_undone(revision)
        kept = tuple(text for text in self.entries.get(file, ()) if text not in revision.removed)
        self.entries[file] = (*kept, *revision.added)

    def _note_undone(self, revision: Revision) -> None:
        if not revision.undoes:
            return
        taken = self.revisions[revision.undoes - 1]
        self._undone[revision.undoes] = len(self.revisions)
        self._undone.pop(taken.undoes, None)  # what an undoing took back holds again without it
        self._lifted.difference_update((revision.file, text) for text in taken.lifted)

    def label_after(self, revision: Revision) -> Label:
        """The label of what a revision brings: its own, joined with those of what it took away."""
        return join(revision.label, *(self.came_with(revision.file, text) for text in revision.removed))

    def label(self, file: str, text: str) -> Label:
        """The label of an entry; private and trusted for one that no revision knows, or that was lifted."""
        return NEW_SESSION if self.is_lifted(file, text) else self.came_with(file, text)

    def is_lifted(self, file: str, text: str) -> bool:
        """Whether an operator lifted the label of these bytes."""
        return (file, text) in self._lifted

    def origin(self, file: str, text: str) -> Revision | None:
        """The revision that wrote an entry last, undoings aside; None for one that no revision knows."""
        return self._origins.get((file, text))

    def undone(self, number: int) -> int:
        """The revision that took this one back, 0 for none."""
        return self._undone.get(number, 0)

    def newest(self) -> int:
        """The newest revision to take back, 0 when there is none.

        It is no undoing, not undone, not forgotten, and no note that the record was lost.
        """
        return next((n for n in range(len(self.revisions), 0, -1) if self._can_be_undone(n)), 0)

    def _can_be_undone(self, number: int) -> bool:
        revision = self.revisions[number - 1]
        settled = revision.undoes or revision.is_forgotten or revision.who == "unknown"
        return not self.undone(number) and not settled

    def later(self, number: int, file: str, text: str) -> int:
        """The newest revision behind ``number`` that took an entry or brought it, 0 for none."""
        for found in range(len(self.revisions), number, -1):
            revision = self.revisions[found - 1]
            if revision.file == file and text in (*revision.added, *revision.removed):
                return found
        return 0

    def by_hand(self, file: str, found: tuple[str, ...], at: str) -> Revision | None:
        """The revision that a person made in an editor, or None when the file holds what is known of it."""
        before = self.entries.get(file, ())
        removed = tuple(text for text in before if text not in found)
        added = tuple(dict.fromkeys(text for text in found if text not in before))
        if not removed and not added:
            return None
        return Revision(file=file, who="hand", at=at, label=NEW_SESSION, removed=removed, added=added)

    def places(self, holds: Callable[[str], bool]) -> tuple[Place, ...]:
        """Where the revisions have texts for which ``holds`` is true, one that was forgotten aside."""
        return tuple(
            (number, part, which)
            for number, revision in enumerate(self.revisions, 1)
            for part, texts in _parts(revision).items()
            for which, text in enumerate(texts)
            if not is_blank(text) and holds(text)
        )

    def texts_at(self, places: Iterable[Place]) -> frozenset[str]:
        """The texts that still stand there; a place that no revision has is passed over."""
        found: set[str] = set()
        for number, part, which in places:
            revision = self.revisions[number - 1] if 0 < number <= len(self.revisions) else None
            texts = () if revision is None else _parts(revision).get(part, ())
            found.update(texts[which : which + 1])
        return frozenset(text for text in found if not is_blank(text))

    def came_with(self, file: str, text: str) -> Label:
        """The label of an entry before any lifting, and what an edit of it has again."""
        return self._labels.get((file, text), NEW_SESSION)


def _parts(revision: Revision) -> dict[str, tuple[str, ...]]:
    return {"removed": revision.removed, "added": revision.added, "lifted": revision.lifted}
