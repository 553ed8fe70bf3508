"""A grant's file as a table of keys; the folder is handed in and only its methods are used (spec 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, Self

from bxcore import toml_lines
from bxcore.errors import system_reason

MAX_FILE = 65_536
"""Bytes of a grant's file."""


class Folder(Protocol):
    """What is used of a ``pathlib.Path``."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    @property
    def stem(self) -> str:
        """The name without its suffix."""

    @property
    def suffix(self) -> str:
        """The name's ending, with its dot."""

    def iterdir(self) -> Iterable[Self]:
        """What is in the folder; may raise ``OSError``."""

    def is_file(self) -> bool:
        """Whether it is a regular file that is there."""

    def resolve(self) -> Self:
        """The same without a link in it."""

    def is_dir(self) -> bool:
        """Whether it is a folder that is there."""

    def read_bytes(self) -> bytes:
        """The file's bytes; may raise ``OSError``."""

    def __truediv__(self, key: str, /) -> Self: ...


class UnreadableError(Exception):
    """A file that gives no table: the line, and one sentence."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def text_of(file: Folder) -> str:
    """A file's text; raises ``UnreadableError``. What is no file is not opened: a pipe would never end."""
    try:
        if not file.is_file() and not file.is_dir():
            raise UnreadableError(1, "this is no file that can be read; mend the link or remove it")
        data = file.read_bytes()
    except OSError as error:
        raise UnreadableError(1, f"the file cannot be read: {system_reason(error)}") from None
    if len(data) > MAX_FILE:
        raise UnreadableError(1, f"the file has {len(data)} bytes, over the limit of {MAX_FILE}; shorten it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(line, "this is no UTF-8; save the file as UTF-8") from None


def table_of(text: str) -> dict[str, Any]:
    """The keys of a TOML text; raises ``UnreadableError``."""
    import tomli

    try:
        return tomli.loads(text)
    except RecursionError:
        raise UnreadableError(1, "this is nested too deep; write plain keys") from None
    except ValueError as error:
        raise UnreadableError(*toml_lines.syntax_problem(error, text)) from None
