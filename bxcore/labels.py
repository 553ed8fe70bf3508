"""Labels: how confidential a thing is, and whether strangers wrote it (spec 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """A class, ordered as a number and never as text ("private" < "public" as text)."""

    PUBLIC = 0
    PRIVATE = 1
    SECRET = 2

    @property
    def text(self) -> str:
        """The name that people, logs and configuration see: ``public``, ``private``, ``secret``."""
        return self.name.lower()

    @classmethod
    def parse(cls, text: object) -> Level:
        """Read a class from a log or a wire; anything unknown, empty or missing is ``SECRET``."""
        return _BY_TEXT.get(text, cls.SECRET) if isinstance(text, str) else cls.SECRET


_BY_TEXT = {level.text: level for level in Level}


@dataclass(frozen=True, slots=True)
class Label:
    """A class and a trust; what is not known counts as the top: secret and untrusted."""

    level: Level = Level.SECRET
    untrusted: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether it raises no session above where a new one begins."""
        return not self.untrusted and self.level <= Level.PRIVATE

    def __str__(self) -> str:
        return f"{self.level.text}, untrusted" if self.untrusted else self.level.text


TOP = Label()
NEW_SESSION = Label(Level.PRIVATE, untrusted=False)
NEUTRAL = Label(Level.PUBLIC, untrusted=False)
"""It raises no other label."""
OWN_WORDS = NEUTRAL
"""What the box itself says: it tells nothing that the session does not hold, and raises no label."""


def join(*labels: Label) -> Label:
    """The higher class of all, untrusted if any is. Of no labels: public and trusted, the neutral one."""
    return Label(
        max((label.level for label in labels), default=Level.PUBLIC),
        any(label.untrusted for label in labels),
    )
