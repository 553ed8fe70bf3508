"""The arguments of ``read_file`` and ``write_file`` (spec 1.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.paths import check_path, normalised
from bxcore.args.shape import Kind

READ_FILE = "read_file"
WRITE_FILE = "write_file"
MAX_READ = 262_144
"""Bytes of one reading."""
DEFAULT_READ = 65_536
MAX_OFFSET = 2**63 - 1
"""Bytes; the largest file offset of a 64-bit system."""
MAX_CONTENT = 262_144
"""Characters of one writing."""


@dataclass(frozen=True, slots=True)
class ReadFileArgs:
    """A file, and which bytes of it."""

    TOOL: ClassVar[str] = READ_FILE
    SHAPE: ClassVar[Mapping[str, Kind]] = {"path": Kind.TEXT, "offset": Kind.WHOLE, "limit": Kind.WHOLE}

    path: str
    offset: int = 0
    limit: int = DEFAULT_READ

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the path, the offset, the limit."""
        check_path(self.path)
        if not 0 <= self.offset <= MAX_OFFSET:
            raise ArgsError("offset is out of range; write a whole number of bytes from 0")
        if not 1 <= self.limit <= MAX_READ:
            raise ArgsError(f"limit is out of range; write a whole number of bytes from 1 to {MAX_READ}")

    def normalised(self) -> str:
        """The path that grants are matched with; of a checked value."""
        return normalised(self.path) or "."


@dataclass(frozen=True, slots=True)
class WriteFileArgs:
    """A file, and the characters to put there: in place of what it holds, or at its end."""

    TOOL: ClassVar[str] = WRITE_FILE
    SHAPE: ClassVar[Mapping[str, Kind]] = {"path": Kind.TEXT, "content": Kind.TEXT, "append": Kind.BOOLEAN}

    path: str
    content: str
    append: bool = False

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the path, the content."""
        check_path(self.path)
        if len(self.content) > MAX_CONTENT:
            raise ArgsError(
                f"content has {len(self.content)} characters, over the limit of {MAX_CONTENT}; "
                "write it in parts, with append"
            )

    def normalised(self) -> str:
        """The path that grants are matched with; of a checked value."""
        return normalised(self.path) or "."
