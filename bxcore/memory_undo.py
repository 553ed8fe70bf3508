"""What taking one edit back makes of a file, or why it cannot be taken back (spec 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore import memory_entries
from bxcore.memory_entries import LIMITS, Edited, NotEdited, first_words
from bxcore.memory_known import Known


def undo(known: Known, number: int, entries: Sequence[str]) -> Edited | NotEdited:
    """Take revision ``number`` (from 1) back from ``entries``, its file as it is on disk now.

    One entry that took another's place gives it back; others come back at the end.
    """
    revision = known.revisions[number - 1]
    never = _never(known, number)
    if never:
        return NotEdited(sentence=never)
    if revision.lifted:
        return Edited(entries=tuple(entries))
    gone = [text for text in revision.added if text not in entries]
    back = [text for text in revision.removed if text in entries and text not in revision.added]
    if gone or back:
        return NotEdited(sentence=_in_the_way(known, number, gone, back), told=(*gone, *back))
    after = _after(revision.added, revision.removed, entries)
    return _fitting(
        revision.file, number, Edited(entries=after, removed=revision.added, added=revision.removed)
    )


def _never(known: Known, number: int) -> str:
    """Why this revision is not one to take back, whatever the file holds; empty when it is."""
    revision = known.revisions[number - 1]
    if known.undone(number):
        return f"edit {number} is undone already, by edit {known.undone(number)}"
    if revision.is_forgotten:
        return f"edit {number} cannot be undone: what it changed was forgotten"
    if revision.who == "unknown":
        return f"edit {number} cannot be undone: nobody knows what was there before it"
    if revision.undoes and known.revisions[revision.undoes - 1].lifted:
        return f"edit {number} brought a label back; bxctl memory trust ID lifts it anew"
    return ""


def _after(added: tuple[str, ...], removed: tuple[str, ...], entries: Sequence[str]) -> tuple[str, ...]:
    if len(added) == 1 and len(removed) == 1:
        return tuple(removed[0] if text == added[0] else text for text in entries)
    return (*(text for text in entries if text not in added), *removed)


def _in_the_way(known: Known, number: int, gone: list[str], back: list[str]) -> str:
    file, text = known.revisions[number - 1].file, (gone or back)[0]
    where = f"is no longer in {file}.md" if gone else f"is in {file}.md again"
    later = known.later(number, file, text)
    return (
        f"edit {number} cannot be undone, edit {later} stands in its way: "
        f'"{first_words(text)}" {where}; undo that one first'
    )


def _fitting(file: str, number: int, edited: Edited) -> Edited | NotEdited:
    size = memory_entries.size(edited.entries)
    if size <= LIMITS[file] or not edited.added:
        return edited
    return NotEdited(
        sentence=f"edit {number} cannot be undone: {file}.md would hold {size} of {LIMITS[file]} characters; "
        "remove an entry first"
    )
