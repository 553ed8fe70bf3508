"""Files as destinations: which grants reach a path (spec 1.6, 2.2).

Whether a link leads out of a grant's folder is not seen here: the sandbox opens the file, inside its mounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxcore.grants.folders import below
from bxcore.grants.grant import Grant, Mode
from bxcore.policy.named import stands_in


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """``path`` is normalised; a relative one lies in the session's work folder, which each grant covers."""

    tool: str
    path: str
    written: str
    writes: bool = False
    unclear: None = None

    @property
    def about(self) -> str:
        """The path, or that it lies in the work folder."""
        return f"the path {self.path}" if self.path.startswith("/") else "a path in the work folder"

    @property
    def keys(self) -> Iterable[str] | None:
        """The path and each folder above it; a path in the work folder is near to every grant."""
        if not self.path.startswith("/"):
            return None
        steps = self.path.split("/")
        return ("/", *("/".join(steps[:size]) for size in range(2, len(steps) + 1)))

    def covers(self, grant: Grant) -> bool:
        """Whether the path lies in the grant's folders, and they may be written where the call writes."""
        return not (self.writes and grant.read_only) and (
            not self.path.startswith("/") or below_any(self.path, grant.paths)
        )

    def touches(self, grant: Grant) -> bool:
        """An explicit no without folders is one for every file; with folders, for what is in them."""
        if grant.mode is Mode.DENY:
            return not grant.paths or below_any(self.path, grant.paths)
        return not self.path.startswith("/") or below_any(self.path, grant.paths)

    def missing(self, grants: Sequence[Grant]) -> str:
        """The path is not covered, or it is not to be written."""
        what = "lets it write to" if any(map(self.touches, grants)) else "covers"
        return (
            f"no grant for {self.tool} {what} this path; "
            "use a path in the work folder, or tell the owner that it needs a grant"
        )

    def named(self, said: str) -> bool:
        """The path as the model wrote it, or its normal form."""
        return stands_in(said, self.written) or stands_in(said, self.path)


def below_any(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a normalised path is one of the folders or lies in one; compared step by step, not as text."""
    return any(below(path, folder) for folder in folders)
