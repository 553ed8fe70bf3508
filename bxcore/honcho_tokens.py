"""The tokens of a Honcho server: one for all, or one a workspace, since a server may give out such alone.

One text holds them: ``TOKEN``, or ``WORKSPACE=TOKEN`` entries between commas or on lines of their own, with
at most one bare ``TOKEN`` among them for every other workspace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bxcore.workspaces import is_honcho_name

_TOKEN = re.compile(r"[\x21-\x7e]*")
_BETWEEN = re.compile(r"[,\n]")


class BadToken(ValueError):  # noqa: N818 - named for what is wrong
    """A text of tokens that cannot be used; it is never shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """``others`` is for each workspace that has none of its own; empty is no token."""

    others: str = field(default="", repr=False)
    own: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def of(self, workspace: str) -> str:
        """The token to send for a workspace; one workspace's own is never sent for another."""
        return self.own.get(workspace, self.others)


def read(text: str) -> Tokens:
    """Read the text; raises ``BadToken``."""
    entries = [entry for part in _BETWEEN.split(text) if (entry := part.strip())]
    named = [entry for entry in entries if _names_a_workspace(entry)]
    bare = [entry for entry in entries if not _names_a_workspace(entry)]
    if not named:
        return Tokens(others=_checked(text.strip()))
    if len(bare) > 1:
        raise BadToken("the honcho token has several entries without a workspace; write WORKSPACE=TOKEN")
    own: dict[str, str] = {}
    for entry in named:
        workspace, _, token = entry.partition("=")
        if workspace in own:
            raise BadToken(f"the honcho token has two entries for the workspace {workspace}; leave one away")
        own[workspace] = _checked(token.strip())
    return Tokens(others=_checked(bare[0]) if bare else "", own=own)


def _names_a_workspace(entry: str) -> bool:
    """Whether it is ``WORKSPACE=TOKEN``; a token of its own may end in ``=``, which pads base64."""
    workspace, _, token = entry.partition("=")
    return is_honcho_name(workspace) and bool(token.strip(" ="))


def _checked(token: str) -> str:
    if not _TOKEN.fullmatch(token):
        raise BadToken("the honcho token holds a character that no header can carry; write it anew")
    return token
