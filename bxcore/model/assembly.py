"""A streamed answer put together, in either profile, down to the same ``ToolCall`` values (spec 3.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from bxcore.model.chunk import CallPiece, Chunk, name_text
from bxcore.model.lenient_json import read_object
from bxcore.model.nonsense import Nonsense
from bxcore.model.repair import Written, calls_in_text, sound_arguments
from bxcore.model.repetition import Circles
from bxcore.model.shown_text import ShownText, whole_characters
from bxcore.model.thinking import ThinkingApart, closed_alone
from bxcore.model.values import AssistantMessage, ModelReply, ModelRequest, ModelUsage
from bxcore.records import ToolCall

MAX_ANSWER = 1 << 20
"""Characters of text, reasoning and arguments together; more is no answer of a model that heeds a limit."""

MAX_THOUGHT = 100_000
"""Characters of reasoning in one answer; a model that thinks for longer does not come to an end."""

REPEATS, THINKING, LENGTH = "repeats", "thinking", "length"
CUT = frozenset({REPEATS, THINKING, LENGTH})
"""How an answer ended that is not whole: it went round or thought on, or met the token limit."""

UNNAMED = "unnamed"
"""What a call without a name is called: no tool has this name, so the model is told."""

_CUT_CALL = re.compile(r'\s*\{\s*"tool"\s*:\s*"([^"\\]{1,64})"\s*,?\s*(?:"args"\s*:\s*)?(.*)', re.DOTALL)


@dataclass(slots=True)
class _OpenCall:
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    value: Any = None

    def add(self, piece: CallPiece) -> None:
        self.name = self.name or piece.name
        if isinstance(piece.arguments, str):
            self.pieces.append(piece.arguments)
        elif piece.arguments is not None:
            self.value = piece.arguments

    @property
    def is_blank(self) -> bool:
        """Whether nothing was said of it; some servers send such a piece beside a reply."""
        return not (self.name or self.id or any(self.pieces) or self.value is not None)

    def written(self, *, cut: bool) -> Written:
        """The call; one that the token limit may have cut is not mended, or half of it would run."""
        text = "".join(self.pieces)
        return Written(self.name or UNNAMED, text if cut and text else sound_arguments(text or self.value))


class Assembly:
    """Takes an answer's chunks in order; ``add`` says what to show, ``end`` what it came to."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._shown_text = ShownText(json_profile=request.profile == "json")
        self._thinking = ThinkingApart()
        self._circles, self._thought_circles = Circles(), Circles()
        self._thought_size = 0
        self._text: list[str] = []
        self._shown: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[_OpenCall] = []
        self._at: dict[int, _OpenCall] = {}
        self._size = 0
        self._finish = ""
        self._done = False
        self._usage = ModelUsage()

    def add(self, chunk: Chunk) -> str:
        """Take a chunk, and return what to show of it. Raises ``Nonsense`` past ``MAX_ANSWER``."""
        self._weigh(chunk)
        for piece in chunk.calls:
            self._add_call(piece)
        self._finish = chunk.finish or self._finish
        self._done = self._done or chunk.done
        self._usage = chunk.usage or self._usage
        said, thought = self._thinking.feed(chunk.text) if chunk.text else ("", "")
        self._think(chunk.reasoning + thought)
        if self._circles.feed(chunk.text):
            self._finish = self._finish or REPEATS
        return self._say(said)

    def _say(self, said: str) -> str:
        self._text.append(said)
        shown = self._shown_text.feed(said) if said else ""
        self._shown.append(shown)
        return shown

    def _think(self, thought: str) -> None:
        self._reasoning.append(thought)
        self._thought_size += len(thought)
        if self._thought_circles.feed(thought) or self._thought_size > MAX_THOUGHT:
            self._finish = self._finish or THINKING

    @property
    def over(self) -> bool:
        """Whether no more of it is wanted: the model will not come to an end by itself."""
        return self._finish in {REPEATS, THINKING}

    def _weigh(self, chunk: Chunk) -> None:
        self._size += len(chunk.text) + len(chunk.reasoning)
        self._size += sum(len(piece.arguments) for piece in chunk.calls if isinstance(piece.arguments, str))
        if self._size > MAX_ANSWER:
            raise Nonsense(f"more than {MAX_ANSWER} characters")

    def _add_call(self, piece: CallPiece) -> None:
        """Put a piece where it belongs; some servers give every call index 0 and tell them apart by id."""
        found = self._at.get(piece.index)
        if found is None or (piece.name and piece.id and piece.id != found.id):
            found = self._at[piece.index] = _OpenCall(id=piece.id)
            self._calls.append(found)
        found.add(piece)

    @property
    def is_whole(self) -> bool:
        """Whether the server said how the answer ended; a connection that was lost midway says nothing."""
        return self._done or bool(self._finish)

    def end(self) -> tuple[str, ModelReply]:
        """The rest to show, and the whole answer."""
        said, thought = self._thinking.end()
        late = self._say(said)
        self._reasoning.append(thought)
        shown = "".join(self._shown)
        text, written, ids = self._outcome(shown)
        rest = late + (text[len(shown) :] if text.startswith(shown) else "")
        if not written:
            text, thought = closed_alone(text)
            self._reasoning.append(thought)
        calls = _with_ids(written, ids, _taken(self._request))
        finish = "tool_calls" if calls and self._finish not in CUT else self._finish or "stop"
        reply = ModelReply(
            text=text,
            reasoning="".join(self._reasoning),
            tool_calls=calls,
            usage=self._usage,
            finish=finish,
            structured=any(call.name for call in self._calls),
        )
        return rest, reply

    def _outcome(self, shown: str) -> tuple[str, tuple[Written, ...], list[str]]:
        text = "".join(self._text)
        made = [call for call in self._calls if not call.is_blank]
        made = made or ([] if text.strip() else self._calls)
        cut = self._finish in CUT
        if made:
            return text, tuple(call.written(cut=cut) for call in made), [call.id for call in made]
        if self._request.profile == "json":
            found = _read_json_message(text, shown)
            if found is not None:
                return *found, []
        if cut:
            return text, (), []
        return *calls_in_text(text, {tool["name"] for tool in self._request.tools}), []


def _read_json_message(text: str, shown: str) -> tuple[str, tuple[Written, ...]] | None:
    """A message of the json profile, whole or cut by the token limit; None when it is another text."""
    value = _object(text)
    if value is not None and isinstance(value.get("reply"), str):
        return whole_characters(value["reply"]), ()
    if value is not None and "tool" in value:
        return "", (Written(name_text(value["tool"]) or UNNAMED, sound_arguments(value.get("args"))),)
    if cut := _CUT_CALL.match(text):
        return "", (Written(cut.group(1), cut.group(2)),)
    return (shown, ()) if shown and text.lstrip().startswith("{") else None


def _object(text: str) -> dict[str, Any] | None:
    """A whole object; one that the token limit cut is not closed for it, or half a call would run."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return read_object(text) if text.rstrip().endswith("}") else None
    return value if isinstance(value, dict) else None


def _taken(request: ModelRequest) -> set[str]:
    messages = (message for message in request.history if isinstance(message, AssistantMessage))
    return {call.id for message in messages for call in message.tool_calls}


def _with_ids(written: Iterable[Written], ids: list[str], taken: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls with ids that occur once in the conversation; a server's own id is kept where it does."""
    used = set(taken)
    calls = []
    for at, call in enumerate(written):
        own = ids[at] if at < len(ids) else ""
        free = own if own and own not in used else _free_id(used)
        used.add(free)
        calls.append(ToolCall(id=free, name=call.name.strip(), arguments=call.arguments))
    return tuple(calls)


def _free_id(used: Collection[str]) -> str:
    number = len(used) + 1
    while f"call_{number}" in used:
        number += 1
    return f"call_{number}"
