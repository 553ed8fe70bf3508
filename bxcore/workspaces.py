"""The Honcho workspaces that may be asked, by the names the model and the owner use (spec 4.4, 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxcore.labels import Label, Level

OWN, UNTRUSTED, FLEET = "own", "untrusted", "fleet"
RESERVED = (OWN, UNTRUSTED, FLEET)
"""Names that no agent may have."""

_HONCHO_NAME = re.compile(r"[A-Za-z0-9_-]{1,512}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """One workspace that may be asked: the name it is asked by, its name on the server, and its label."""

    name: str
    workspace: str
    untrusted: bool
    level: Level = Level.PRIVATE

    @property
    def tag(self) -> str:
        """What heads its items: ``memory``, or ``memory-tainted`` when strangers may have written there."""
        return "memory-tainted" if self.untrusted else "memory"

    @property
    def label(self) -> Label:
        """The label of whatever it answers."""
        return Label(self.level, self.untrusted)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherAgent:
    """A ``[[honcho.read]]`` table: another agent whose workspace may be asked by that agent's name."""

    agent: str
    workspace: str
    trusted: bool
    level: Level = Level.PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownWorkspace:
    """A name that is not configured; nothing may be asked then. ``sentence`` says what may be."""

    sentence: str


def is_honcho_name(text: str) -> bool:
    """Whether Honcho takes ``text`` as a name: 1 to 512 of ASCII letters, digits, ``_``, ``-``."""
    return _HONCHO_NAME.fullmatch(text) is not None


def configured(
    *,
    trusted: str = "boxmaker",
    untrusted: str = "boxmaker-untrusted",
    fleet: str | None = None,
    others: Iterable[OtherAgent] = (),
) -> tuple[Readable, ...]:
    """Every workspace that may be asked, in the order of 4.5; the arguments are server-side names."""
    readable = [
        Readable(name=OWN, workspace=trusted, untrusted=False),
        Readable(name=UNTRUSTED, workspace=untrusted, untrusted=True),
    ]
    if fleet is not None:
        readable.append(Readable(name=FLEET, workspace=fleet, untrusted=True))
    readable += [
        Readable(name=other.agent, workspace=other.workspace, untrusted=not other.trusted, level=other.level)
        for other in others
    ]
    return tuple(readable)


def resolve(readable: Sequence[Readable], names: Iterable[str]) -> tuple[Readable, ...] | UnknownWorkspace:
    """Find each of ``names``, in their order; names are compared as written. One unknown decides for all."""
    by_name = {each.name: each for each in readable}
    found = []
    for name in names:
        if name not in by_name:
            return UnknownWorkspace(sentence=_unknown(name, list(by_name)))
        found.append(by_name[name])
    return tuple(found)


def _unknown(name: str, known: list[str]) -> str:
    *first, last = known
    return f"no workspace is named {name}; ask {', '.join(first)} or {last}"
