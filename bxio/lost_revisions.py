"""A record of revisions that was lost: what the files still hold counts as strangers' words (spec 2.1, 4.2).

Labels stand nowhere else. An entry that nobody can say the author of gets the label of what is not known,
which is the top, and ``bxctl memory trust`` lifts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bxcore import journal, memory_revisions
from bxcore.labels import TOP
from bxcore.memory_revisions import Revision
from bxio.folders import write_whole
from bxio.journal_file import keep_aside


def lost(path: Path) -> str:
    """How the record is lost, such as ``is gone``; empty when it is not. Raises ``OSError``.

    A box makes it with its first start, so one that is gone was there. An empty one is whole: nothing was
    edited yet. One of which no line can be read is lost; what is damaged behind a good line is not judged
    here, and a link is not followed.
    """
    if path.is_symlink():
        return ""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return "is gone"
    try:
        found = journal.recover(data)
    except journal.DamageError:
        return ""
    return "has no line that can be read" if data and not found.payloads else ""


def begin_anew(path: Path, entries: Iterable[tuple[str, tuple[str, ...]]], at: str) -> str:
    """Write a record that says of all entries, file by file, that nobody knows who wrote them.

    What was there is kept beside it first. It is whole or not begun: a crash leaves the loss to be found
    again. Gives where the old one is, empty when there was none. Raises ``OSError``.
    """
    kept = str(keep_aside(path, path.read_bytes())) if path.exists() else ""
    revisions = [
        Revision(file=file, who="unknown", at=at, label=TOP, added=tuple(dict.fromkeys(texts)))
        for file, texts in entries
        if texts
    ]
    write_whole(path, journal.written(map(memory_revisions.dump, revisions)))
    return kept
