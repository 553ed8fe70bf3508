"""Every edit of a memory file as a revision: who, when, which label, what went and what came (spec 4.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from bxcore.forgetting import FORGOTTEN
from bxcore.labels import Label, Level

Who: TypeAlias = Literal["session", "hand", "operator", "import", "unknown"]
"""Who made an edit: a session's call, a person in an editor, an operator's command, an import; or that the
record of it was lost."""
_BLANK = re.compile(r"\(forgotten(?: ([0-9]{1,9}))?\)")
"""What stands for a text that was forgotten."""
_ORIGINS: Mapping[str, str] = {
    "hand": "by hand",
    "operator": "operator",
    "import": "import",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One edit: the entries that it took away and brought. ``at`` is ISO 8601 in UTC.

    ``label`` is the session's state at the edit; ``session`` is empty and ``turn`` 0 for any other.
    ``undoes`` is the number of the revision that it takes back, 0 for none. ``lifted`` are entries, byte for
    byte, that an operator declared trusted and private.
    """

    file: str
    who: Who
    at: str
    label: Label
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    session: str = ""
    turn: int = 0
    undoes: int = 0
    lifted: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Who made it, in words."""
        return _ORIGINS.get(self.who) or f"session {self.session} turn {self.turn}"

    @property
    def is_forgotten(self) -> bool:
        """Whether a text that it took, brought or lifted was forgotten since."""
        return any(map(is_blank, _texts(self)))


def is_blank(text: str) -> bool:
    """Whether it stands for a text that was forgotten."""
    return _BLANK.fullmatch(text) is not None


def blanked(revisions: Sequence[Revision], holds: Callable[[str], bool]) -> list[Revision]:
    """The revisions with ``(forgotten 1)`` and so on for each text for which ``holds`` is true.

    A text has one such name wherever it stands, and no two have the same: all other entries keep the labels
    that they have by way of it.
    """
    every = [text for revision in revisions for text in _texts(revision)]
    numbers = [int(found[1]) for text in every if (found := _BLANK.fullmatch(text)) and found[1]]
    gone = dict.fromkeys(text for text in every if not is_blank(text) and holds(text))
    names = {
        text: f"{FORGOTTEN[:-1]} {number})" for number, text in enumerate(gone, max(numbers, default=0) + 1)
    }
    return [_renamed(revision, names) for revision in revisions]


def _texts(revision: Revision) -> tuple[str, ...]:
    return (*revision.removed, *revision.added, *revision.lifted)


def _renamed(revision: Revision, names: Mapping[str, str]) -> Revision:
    def renamed(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(text, text) for text in texts)

    return replace(
        revision,
        removed=renamed(revision.removed),
        added=renamed(revision.added),
        lifted=renamed(revision.lifted),
    )


def dump(revision: Revision) -> str:
    """A revision as one line of ASCII JSON, without the line end."""
    label = revision.label
    found: dict[str, object] = {
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
    if revision.undoes:
        found["undoes"] = revision.undoes
    if revision.lifted:
        found["lifted"] = revision.lifted
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
        undoes=found.get("undoes", 0),
        lifted=tuple(found.get("lifted", ())),
    )
