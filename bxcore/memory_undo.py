"""What taking one edit back makes of a file, or why it cannot be taken back (spec 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore import memory_entries
from bxcore.forgetting import FORGOTTEN
from bxcore.memory_entries import LIMITS, Edited, NotEdited, first_words
from bxcore.memory_known import Known


def undo(known: Known, number: int, entries: Sequence[str]) -> Edited | NotEdited:
    """Take revision ``number`` (from 1) back from ``entries``, its file as it is on disk now.

    One entry that took another's place gives it back; others come back at the end.
    """
    revision = known.revisions[number - 1]
    if known.undone(number):
        return NotEdited(sentence=f"edit {number} is undone already, by edit {known.undone(number)}")
    if FORGOTTEN in (*revision.added, *revision.removed, *revision.lifted):
        return NotEdited(sentence=f"edit {number} cannot be undone: what it changed was forgotten")
    if revision.lifted:
        return Edited(entries=tuple(entries))
    gone = [text for text in revision.added if text not in entries]
    back = [text for text in revision.removed if text in entries]
    if gone or back:
        return NotEdited(sentence=_in_the_way(number, revision.file, gone, back), told=(*gone, *back))
    after = _after(revision.added, revision.removed, entries)
    return _fitting(
        revision.file, number, Edited(entries=after, removed=revision.added, added=revision.removed)
    )


def _after(added: tuple[str, ...], removed: tuple[str, ...], entries: Sequence[str]) -> tuple[str, ...]:
    if len(added) == 1 and len(removed) == 1:
        return tuple(removed[0] if text == added[0] else text for text in entries)
    return (*(text for text in entries if text not in added), *removed)


def _in_the_way(number: int, file: str, gone: list[str], back: list[str]) -> str:
    if gone:
        what = f'"{first_words(gone[0])}" is no longer in {file}.md'
    else:
        what = f'"{first_words(back[0])}" is in {file}.md again'
    return f"edit {number} cannot be undone, a later one stands in its way: {what}; undo that one first"


def _fitting(file: str, number: int, edited: Edited) -> Edited | NotEdited:
    size = memory_entries.size(edited.entries)
    if size <= LIMITS[file] or not edited.added:
        return edited
    return NotEdited(
        sentence=f"edit {number} cannot be undone: {file}.md would hold {size} of {LIMITS[file]} characters; "
        "remove an entry first"
    )
