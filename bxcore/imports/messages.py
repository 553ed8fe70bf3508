"""Chat exports as conversations: lists of messages, and trees of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bxcore.imports.values import Conversation, Exchange, Imported
from bxcore.records import whole

_AT = ("created_at", "create_time", "timestamp", "at", "date")
_TOO_BIG = 1e11
"""Seconds since 1970 are smaller until the year 5138; milliseconds are not."""
_SHOWN = 10


@dataclass(slots=True)
class _Reading:
    """What one file gave so far."""

    problems: list[str] = field(default_factory=list)
    left_out: int = 0
    """Messages of the system and of tools, which nobody said."""


def conversations(name: str, found: Any) -> Imported:
    """Read what a JSON file holds: messages, one conversation, a list of them, or a tree of messages each."""
    reading = _Reading()
    read = [
        conversation
        for number, (key, messages) in enumerate(_parted(name, found, reading), 1)
        if (conversation := _conversation(key, f"{name}, conversation {number}", messages, reading)).exchanges
    ]
    if not read and not reading.problems:
        reading.problems.append(f"{name} holds no exchange of a user and an assistant")
    if reading.left_out:
        reading.problems.append(
            f"{name}: {reading.left_out} messages of the system and of tools are left out"
        )
    return Imported(conversations=tuple(read), problems=tuple(_few(reading.problems)))


def _few(problems: Sequence[str]) -> Iterator[str]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield f"and {len(problems) - _SHOWN} more like these"


def _parted(name: str, found: Any, reading: _Reading) -> Iterator[tuple[str, Sequence[Any]]]:
    if isinstance(found, dict):
        yield from _of_object(name, found, reading)
    elif isinstance(found, list) and any(isinstance(each, dict) and "role" in each for each in found):
        yield name, found
    elif isinstance(found, list):
        for number, each in enumerate(found, 1):
            place = f"{name}#{number}"
            if isinstance(each, dict):
                yield from _of_object(place, each, reading)
            elif isinstance(each, list):
                yield place, each
            else:
                reading.problems.append(f"{name}, conversation {number}: it is no list of messages")
    else:
        reading.problems.append(f"{name} holds neither messages nor conversations")


def _of_object(
    place: str, found: Mapping[str, Any], reading: _Reading
) -> Iterator[tuple[str, Sequence[Any]]]:
    key = next((str(found[key]) for key in ("id", "conversation_id", "title") if found.get(key)), place)
    if isinstance(found.get("messages"), list):
        yield key, found["messages"]
    elif isinstance(found.get("mapping"), dict):
        yield key, list(_of_tree(found["mapping"], found.get("current_node")))
    elif isinstance(found.get("conversations"), list):
        yield from _parted(place, found["conversations"], reading)
    else:
        reading.problems.append(f"{place}: there are no messages in it")


def _of_tree(mapping: Mapping[str, Any], last: object) -> list[Any]:
    """The branch that was shown last, from its root; a tree that runs in a circle ends where it closes."""
    branch: list[Any] = []
    seen: set[object] = set()
    node = last if isinstance(last, str) and last in mapping else next(reversed(list(mapping)), None)
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        found = mapping[node]
        if not isinstance(found, dict):
            break
        branch.append(found.get("message"))
        node = found.get("parent")
    branch.reverse()
    return branch


def _conversation(key: str, place: str, messages: Sequence[Any], reading: _Reading) -> Conversation:
    exchanges: list[Exchange] = []
    said: list[str] = []
    at = ""
    for number, message in enumerate(messages, 1):
        role, text, when = _read(message)
        if role == "user" and text:
            at = at if said else when
            said.append(text)
        elif role == "assistant" and text and said:
            exchanges.append(Exchange("\n\n".join(said), text, at))
            said = []
        elif role == "assistant" and text and exchanges:
            before = exchanges[-1]
            exchanges[-1] = Exchange(before.user, f"{before.reply}\n\n{text}", before.at)
        elif role in {"system", "tool", "function", "developer"}:
            reading.left_out += 1
        elif role is None and message is not None:
            reading.problems.append(f"{place}, message {number}: it has no role and text")
    if said:
        reading.problems.append(f"{place}: its last words have no reply and are left out")
    return Conversation(key, tuple(exchanges))


def _read(message: Any) -> tuple[str | None, str, str]:
    """The role, the text and the time of a message, as far as it has them."""
    if not isinstance(message, dict):
        return None, "", ""
    author = message.get("author")
    role = message.get("role") or (author.get("role") if isinstance(author, dict) else None)
    return (
        (role if isinstance(role, str) else None),
        whole(_text(message.get("content"))).strip(),
        _at(message),
    )


def _text(content: Any) -> str:
    """A string, a list of parts, or an object with parts; what is no text is left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _text(content.get("parts") or content.get("text"))
    if isinstance(content, list):
        parts = (each.get("text") if isinstance(each, dict) else each for each in content)
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return ""


def _at(message: Mapping[str, Any]) -> str:
    value = next((message[key] for key in _AT if message.get(key)), None)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = value / 1000 if value > _TOO_BIG else value
            return _iso(datetime.fromtimestamp(seconds, UTC))
        return _iso(datetime.fromisoformat(value)) if isinstance(value, str) else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _iso(when: datetime) -> str:
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds")
