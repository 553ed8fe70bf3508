"""The three memory files as entries, and what an edit makes of them (spec 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bxcore.args import SEPARATOR

LIMITS = {"memory": 2200, "user": 1400, "notes": 20_000}
"""Characters that a file may hold, its separators among them."""
IDENTITY = ("memory", "user")
"""The files that every new session's baseline shows."""
CANDIDATES_SHOWN = 5
FIRST_WORDS = 8
FIRST_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """An edit that may be written: the file's entries after it, and the ones it took away and brought."""

    entries: tuple[str, ...]
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEdited:
    """Why an edit is refused; ``told`` are the entries whose first words the sentence shows."""

    sentence: str
    told: tuple[str, ...] = ()


def parse(text: str) -> tuple[str, ...]:
    """The entries of a file: what stands between lines that are only ``§``, trimmed; empty ones dropped."""
    entries: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip() == SEPARATOR:
            entries.append([])
        else:
            entries[-1].append(line)
    trimmed = ("\n".join(lines).strip() for lines in entries)
    return tuple(entry for entry in trimmed if entry)


def render(entries: tuple[str, ...]) -> str:
    """A file's text, one line end at its end; empty when there is no entry."""
    return f"\n{SEPARATOR}\n".join(entries) + "\n" if entries else ""


def size(entries: tuple[str, ...]) -> int:
    """The characters that count against a file's limit."""
    return len(render(entries))


def add(file: str, entries: tuple[str, ...], text: str) -> Edited | NotEdited:
    """With ``text`` as the last entry of ``file`` (``memory``, ``user`` or ``notes``)."""
    entry = text.strip()
    if entry in entries:
        return NotEdited(sentence=f"{file}.md has this entry already; nothing was changed", told=(entry,))
    return _fitting(file, entries, Edited(entries=(*entries, entry), added=(entry,)))


def replace(file: str, entries: tuple[str, ...], piece: str, text: str) -> Edited | NotEdited:
    """With the one entry that holds ``piece`` replaced by ``text``, in its place."""
    old = _only_match(file, entries, piece)
    if isinstance(old, NotEdited):
        return old
    return _exchanged(file, entries, old, text.strip())


def remove(file: str, entries: tuple[str, ...], piece: str) -> Edited | NotEdited:
    """Without the one entry that holds ``piece``."""
    old = _only_match(file, entries, piece)
    if isinstance(old, NotEdited):
        return old
    return Edited(entries=tuple(each for each in entries if each != old), removed=(old,))


def exchange(file: str, entries: tuple[str, ...], old: str, text: str | None) -> Edited | NotEdited:
    """With the entry that is ``old``, byte for byte, replaced by ``text``, or removed for None."""
    if old not in entries:
        return NotEdited(sentence=f'"{first_words(old)}" is no longer in {file}.md', told=(old,))
    if text is None:
        return Edited(entries=tuple(each for each in entries if each != old), removed=(old,))
    return _exchanged(file, entries, old, text.strip())


def without(entries: tuple[str, ...], holds: Callable[[str], bool]) -> Edited | NotEdited:
    """Without the entries for which ``holds`` is true."""
    gone = tuple(entry for entry in entries if holds(entry))
    if not gone:
        return NotEdited(sentence="no entry is such")
    return Edited(entries=tuple(entry for entry in entries if entry not in gone), removed=gone)


def _exchanged(file: str, entries: tuple[str, ...], old: str, entry: str) -> Edited | NotEdited:
    if entry in entries:
        return NotEdited(sentence=f"{file}.md has this entry already; nothing was changed", told=(entry,))
    after = tuple(entry if each == old else each for each in entries)
    return _fitting(file, entries, Edited(entries=after, removed=(old,), added=(entry,)))


def _fitting(file: str, before: tuple[str, ...], edited: Edited) -> Edited | NotEdited:
    limit, used, wanted = LIMITS[file], size(before), size(edited.entries)
    if wanted <= limit or wanted < used:
        return edited
    return NotEdited(
        sentence=(
            f"{file}.md is too full: it holds {used} of {limit} characters, and this edit would make it "
            f"{wanted}; shorten the text, or replace or remove an entry first"
        )
    )


def _only_match(file: str, entries: tuple[str, ...], piece: str) -> str | NotEdited:
    matches = tuple(dict.fromkeys(entry for entry in entries if piece in entry))
    if len(matches) == 1:
        return matches[0]
    if not entries:
        return NotEdited(sentence=f"{file}.md has no entries; add one instead")
    candidates = matches or entries
    shown = "; ".join(f'"{first_words(entry)}"' for entry in candidates[:CANDIDATES_SHOWN])
    more = f" and {len(candidates) - CANDIDATES_SHOWN} more" if len(candidates) > CANDIDATES_SHOWN else ""
    count = f"{len(matches)} entries of {file}.md hold" if matches else f"no entry of {file}.md holds"
    found = "the matches begin with" if matches else "its entries begin with"
    return NotEdited(
        sentence=f"{count} that text; write a piece that stands in exactly one; {found}: {shown}{more}",
        told=candidates[:CANDIDATES_SHOWN],
    )


def first_words(entry: str) -> str:
    """The first eight words on one line, at most 60 characters, with ``…`` when there are more."""
    words = entry.split()
    text = " ".join(words[:FIRST_WORDS])
    whole = len(words) <= FIRST_WORDS and len(text) <= FIRST_CHARACTERS
    return text if whole else f"{text[:FIRST_CHARACTERS].rstrip()}…"
