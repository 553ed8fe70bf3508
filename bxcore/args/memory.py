"""The arguments of ``memory``, and what a well-formed entry is (spec 1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

MEMORY = "memory"
ACTIONS = ("add", "replace", "remove")
FILES = ("memory", "user", "notes")
MAX_ENTRY = 1000
"""Characters of an entry, or of the piece of text that finds one."""
SEPARATOR = "§"
"""A line that is only this stands between two entries of a file."""


@dataclass(frozen=True, slots=True)
class MemoryArgs:
    """One edit of one file. An empty ``text`` or ``entry`` is the same as none."""

    TOOL: ClassVar[str] = MEMORY
    SHAPE: ClassVar[Mapping[str, Kind]] = {
        "action": Kind.TEXT,
        "file": Kind.TEXT,
        "text": Kind.TEXT,
        "entry": Kind.TEXT,
    }

    action: str
    file: str
    text: str = ""
    entry: str = ""

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the action, the file, which texts it needs, each text."""
        if self.action not in ACTIONS:
            raise ArgsError("action is not known; write add, replace or remove")
        if self.file not in FILES:
            raise ArgsError("file is not known; write memory, user or notes")
        self._check_texts_given()
        if self.action != "remove":
            check_entry("text", self.text)
        if self.action != "add":
            check_entry("entry", self.entry)

    def _check_texts_given(self) -> None:
        if self.action == "add" and self.entry:
            raise ArgsError("add takes no entry; leave entry out, or use replace to change an entry")
        if self.action == "remove" and self.text:
            raise ArgsError("remove takes no text; leave text out, or use replace to change an entry")
        if self.action != "remove" and not self.text.strip():
            raise ArgsError(f"text is empty; {self.action} needs the text to keep")
        if self.action != "add" and not self.entry.strip():
            raise ArgsError(f"entry is empty; {self.action} needs a piece of the entry's text")


def check_entry(field: str, text: str) -> None:
    """Raise ``ArgsError`` when ``text`` is no well-formed entry; ``field`` is how the sentence names it."""
    from bxcore import sanitize

    if not text.strip():
        raise ArgsError(f"{field} is empty; write the text of one entry")
    if len(text) > MAX_ENTRY:
        raise ArgsError(f"{field} has {len(text)} characters, over the limit of {MAX_ENTRY}; shorten it")
    if any(line.strip() == SEPARATOR for line in text.split("\n")):
        raise ArgsError(
            f"{field} has a line that is only {SEPARATOR}, which stands between entries; leave it out"
        )
    refusal = sanitize.refuse(text)
    if refusal is not None:
        raise ArgsError(f"{field} is refused: {refusal.sentence}")
