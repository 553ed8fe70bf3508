"""What a handler is given: the request, the names in its path, and the server's parts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

from bxcore.http import HttpRequest, HttpResponse
from bxcore.quoting import Passage
from bxio.embedded_honcho.database import Database

PATIENCE_S = 150.0
"""The deadline of a request that brings none."""

Responder: TypeAlias = Callable[[str, Sequence[Passage], float], str | None]
"""Answers a question from passages by an absolute monotonic deadline; None when it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request on its way through a handler; ``deadline_s`` is absolute, on the monotonic clock."""

    request: HttpRequest
    names: Mapping[str, str]
    database: Database
    deadline_s: float
    agent: str | None = None
    responder: Responder | None = None

    @property
    def workspace(self) -> str:
        """The workspace named in the path."""
        return self.names["workspace"]

    def transaction(self, *, erasing: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction of the database, waited for until the deadline."""
        return self.database.transaction(self.deadline_s - time.monotonic(), erasing=erasing)


Handler: TypeAlias = Callable[[Call], HttpResponse]
