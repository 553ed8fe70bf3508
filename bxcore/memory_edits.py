"""Which session may edit which memory file, and what the model is told of an edit (spec 4.2)."""

from __future__ import annotations

from bxcore import memory_entries
from bxcore.args import MemoryArgs
from bxcore.labels import Label, Level
from bxcore.memory_entries import IDENTITY, LIMITS, Edited, NotEdited


def forbidden(args: MemoryArgs, state: Label) -> str | None:
    """Why a session of this state may not make the edit, or None. A clean one may make any."""
    if not state.untrusted and state.level < Level.SECRET:
        return None
    if args.file in IDENTITY:
        return (
            f"only a clean session edits {args.file}.md, and this one is {state}; add a note to notes instead"
        )
    if args.action != "add":
        return f"only a clean session changes notes, and this one is {state}; it may add one"
    return None


def edit(args: MemoryArgs, entries: tuple[str, ...]) -> Edited | NotEdited:
    """What the edit makes of the file's entries."""
    match args.action:
        case "add":
            return memory_entries.add(args.file, entries, args.text)
        case "replace":
            return memory_entries.replace(args.file, entries, args.entry, args.text)
        case _:
            return memory_entries.remove(args.file, entries, args.entry)


def done(args: MemoryArgs, edited: Edited) -> str:
    """The sentence of an edit that is on disk."""
    what = {"add": "added to", "replace": "replaced in", "remove": "removed from"}[args.action]
    seen = "; new sessions see it" if args.file in IDENTITY else "; recall finds it"
    return f"{became(what, args.file, edited)}{seen}"


def became(what: str, file: str, edited: Edited) -> str:
    """What was done to a file, such as ``added to``, and how full it is now."""
    return f"{what} {file}.md; it holds {memory_entries.size(edited.entries)} of {LIMITS[file]} characters"


def memory_block(files: dict[str, tuple[str, ...]]) -> str:
    """The memory block of a baseline: the entries of ``memory`` and ``user``, empty when there is none."""
    titles = {"memory": "What you remember (memory.md):", "user": "Whom you talk with (user.md):"}
    parts = [
        "\n".join([titles[file], *(f"- {_indented(entry)}" for entry in files[file])])
        for file in IDENTITY
        if files.get(file)
    ]
    return "\n\n".join(parts)


def _indented(entry: str) -> str:
    return entry.replace("\n", "\n  ")
