"""Which of a turn's news a stream shows, so that its pieces make one readable text.

A turn may speak before its tools run and again after; a client knows one text. Each part after the first
begins a new paragraph. At the end the reply is known whole: what of it was not streamed is added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from bxcore.messages.loop import TextDelta, ToolEnded, ToolStarted, TurnEvent

BREAK = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """``part`` is the text since the last tool call, ``any`` whether there was text at all."""

    part: str = ""
    any: bool = False
    due: bool = False
    """Whether a paragraph ends before the next piece."""

    def after(self, event: TurnEvent) -> tuple[Self, str]:
        """What is to be shown of one piece of news, nothing for most."""
        match event:
            case ToolStarted() | ToolEnded():
                return replace(self, part="", due=self.any), ""
            case TextDelta(text=text) if text:
                return self._said(text)
            case _:
                return self, ""

    def rest(self, reply: str) -> str:
        """What of the reply is still to be shown. Only a stream that differs from it shows it anew."""
        shown = self.part
        if shown.strip() == reply.strip():
            return ""
        if shown and reply.startswith(shown):
            return reply[len(shown) :]
        return self._said(reply)[1] if not shown else BREAK + reply

    def _said(self, text: str) -> tuple[Self, str]:
        shown = BREAK + text if self.due else text
        return replace(self, part=self.part + text, any=True, due=False), shown
