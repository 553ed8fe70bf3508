"""The arguments of ``ask_memory``; every sentence is part of the contract (spec 1.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

ASK_MEMORY = "ask_memory"
MAX_QUESTION = 2000
"""Characters of a question."""
MAX_WORKSPACES = 2
MAX_WORKSPACE_NAME = 512
"""Characters of a workspace's name."""
OWN_WORKSPACE = "own"

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_WORKSPACE_NAME}}}")


@dataclass(frozen=True, slots=True)
class AskMemoryArgs:
    """A question, and the names of the workspaces to ask; no names means ``own``."""

    TOOL: ClassVar[str] = ASK_MEMORY
    SHAPE: ClassVar[Mapping[str, Kind]] = {"question": Kind.TEXT, "workspaces": Kind.TEXTS}

    question: str
    workspaces: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the question, the number of names, each name in turn."""
        if not self.question.strip():
            raise ArgsError("question is empty; write the question to ask")
        if len(self.question) > MAX_QUESTION:
            raise ArgsError(
                f"question has {len(self.question)} characters, over the limit of {MAX_QUESTION}; "
                "ask a shorter question"
            )
        if len(self.workspaces) > MAX_WORKSPACES:
            raise ArgsError(
                f"workspaces names {len(self.workspaces)}, over the limit of {MAX_WORKSPACES}; "
                "ask about the others in another call"
            )
        for position, name in enumerate(self.workspaces):
            _check_name(name, self.workspaces[:position])

    def asked(self) -> tuple[str, ...]:
        """The names to ask, in order; ``own`` when none is given."""
        return tuple(self.workspaces) or (OWN_WORKSPACE,)


def _check_name(name: str, before: tuple[str, ...]) -> None:
    if not name:
        raise ArgsError("a workspace name is empty; name a workspace, or leave workspaces out to ask own")
    if not _NAME.fullmatch(name):
        raise ArgsError(
            f"a workspace name has 1 to {MAX_WORKSPACE_NAME} letters, digits, _ or -; "
            "use own, untrusted, fleet or another agent's name"
        )
    if name in before:
        raise ArgsError(f"workspaces names {name} twice; name each workspace once")
