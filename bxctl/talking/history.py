"""The lines that a person typed in chats: a file in the state folder, for the arrow keys (spec 6.2).

One JSON object a line, mode 0600, at most about twice ``MOST`` of them. What holds a secret, or says that it
does, is never in it, and what is forgotten goes from it too: the session's log alone has a whole text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

MOST = 1_000
LONGEST = 4_000
"""Characters of a line that is kept; a longer one was pasted."""
NAME = "chat-history.jsonl"
_NAMES_A_SECRET = re.compile(
    r"(?i)\b(pass(word|phrase|code|wort)?|pwd|kennwort|secrets?|tokens?|pin|credentials?|api[ _-]?keys?)\b"
    r"[^\n]{0,40}?(\bis\b|\bist\b|[:=])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A typed line and the session that it was typed in."""

    session: str
    text: str

    @classmethod
    def read(cls, written: str) -> Self | None:
        """Read a line of the file, None for one that is damaged."""
        try:
            found = json.loads(written)
            session, text = found["session"], found["text"]
        except (ValueError, TypeError, KeyError):
            return None
        both = isinstance(session, str) and isinstance(text, str)
        return cls(session=session, text=text) if both else None

    def written(self) -> str:
        """The line as the file has it, its end included."""
        return json.dumps({"session": self.session, "text": self.text}) + "\n"


class History:
    """The file under ``folder``; without that folder, which the box makes, nothing is read or kept.

    A file that cannot be read or written costs the arrow keys, and never a chat.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def lines(self) -> list[Line]:
        """At most ``MOST``, the newest last; a file that has grown past twice that is cut."""
        found = self._read()
        if len(found) > 2 * MOST:
            self._write(found[-MOST:])
        return found[-MOST:]

    def add(self, session: str, text: str) -> None:
        """Keep a line, unless it is not to be kept."""
        if not may_be_kept(text):
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with suppress(OSError):
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, Line(session=session, text=text).written().encode("ascii"))
            finally:
                os.close(descriptor)

    def forget(self, *, session: str = "", text: str = "") -> int:
        """Drop the lines of a session, or those that hold a text; how many went. Raises ``OSError``."""
        found = self._read()
        kept = [line for line in found if not _is_of(line, session, text)]
        if len(kept) < len(found):
            self._write(kept, failing=True)
        return len(found) - len(kept)

    def _read(self) -> list[Line]:
        try:
            written = self._path.read_text("utf-8", errors="replace")
        except OSError:
            return []
        return [line for each in written.splitlines() if (line := Line.read(each)) is not None]

    def _write(self, lines: Iterable[Line], *, failing: bool = False) -> None:
        content = "".join(line.written() for line in lines)
        try:
            _replace(self._path, content.encode("ascii"))
        except OSError:
            if failing:
                raise


def may_be_kept(text: str) -> bool:
    """Whether a line holds no secret, names none, and is no pasted page."""
    from bxcore.sanitize.secrets import redact

    return len(text) <= LONGEST and _NAMES_A_SECRET.search(text) is None and redact(text) == text


def _is_of(line: Line, session: str, text: str) -> bool:
    of_session = bool(session) and line.session == session
    return of_session or (bool(text) and _folded(text) in _folded(line.text))


def _folded(text: str) -> str:
    """A text as it is compared: case and stretches of blanks do not count."""
    return " ".join(text.split()).casefold()


def _replace(path: Path, content: bytes) -> None:
    """Put a whole new file in its place; ``mkstemp`` gives it the mode 0600."""
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - the descriptor is there already
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
