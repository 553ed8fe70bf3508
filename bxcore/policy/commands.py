"""Command lines as destinations: which grants reach the commands of one (spec 2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from bxcore.grants.grant import Grant
from bxcore.grants.grant_set import command_names
from bxcore.policy.named import stands_in
from bxcore.policy.shell_words import CommandError, first_words

_ECHOED = re.compile(r"[A-Za-z0-9._+-]{1,32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """``words`` are the first words of its commands; when they cannot be told, ``unclear`` says why."""

    written: str
    words: frozenset[str] = frozenset()
    unclear: str | None = None

    @classmethod
    def of(cls, command: str) -> Self:
        """Read a command line; one that is unclear is a value too, for a grant without ``commands``."""
        try:
            return cls(written=command, words=frozenset(first_words(command)))
        except CommandError as error:
            return cls(written=command, unclear=error.sentence)

    @property
    def about(self) -> str:
        """The commands, or why they cannot be told."""
        if self.unclear is not None:
            return f"a command line that is not told apart ({self.unclear})"
        return ", ".join(map(_shown, sorted(self.words))) or "no command at all"

    @property
    def keys(self) -> Iterable[str] | None:
        """The commands' names; a line that is unclear, or runs nothing, is near to every grant."""
        return command_names(self.words) or None

    def covers(self, grant: Grant) -> bool:
        """Whether the grant names every command, or names none and so means any."""
        return not grant.commands or (self.unclear is None and self.words.issubset(grant.commands))

    def touches(self, grant: Grant) -> bool:
        """Whether the grant names any of the commands, in whatever folder; an unclear line may hold any."""
        if not grant.commands or not self.words:
            return True
        return not command_names(self.words).isdisjoint(command_names(grant.commands))

    def missing(self, grants: Sequence[Grant]) -> str:
        """The first command that no grant names; or what is unclear; or that no one grant names all."""
        if self.unclear is not None:
            return self.unclear
        known = {word for grant in grants for word in grant.commands}
        lone = next((word for word in sorted(self.words) if word not in known), None)
        what = "all these commands at once" if lone is None else _shown(lone)
        return f"no grant for shell covers {what}; do not try another way, tell the owner what is needed"

    def named(self, said: str) -> bool:
        """The whole command line."""
        return stands_in(said, self.written.strip())


def _shown(word: str) -> str:
    return f"the command {word}" if _ECHOED.fullmatch(word) else "one of these commands"
