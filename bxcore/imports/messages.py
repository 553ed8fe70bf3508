"""Chat exports as conversations: lists of messages, and trees of them."""

from __future__ import annotations

import hashlib
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
MAX_TEXT = 200_000
"""Characters of one message; the rest of a longer one is left out."""
_LONGEST_NAME = 200
_IDS = ("id", "conversation_id", "uuid")
_LISTS = ("messages", "chat_messages", "conversations")
_SPEAKERS = ("role", "sender", "from")
_TEXTS = ("content", "text", "value")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "gpt": "assistant", "bot": "assistant"}
"""What others call the two sides of a conversation."""
_SAID = ("user", "assistant")


@dataclass(slots=True)
class _Reading:
    """What one file gave so far."""

    name: str
    problems: list[str] = field(default_factory=list)
    left_out: int = 0
    """Messages of the system and of tools, which nobody said."""
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Talk:
    """The messages of one conversation. ``sure`` is whether its name tells it from others in every export."""

    name: str
    messages: Sequence[Any]
    sure: bool = False


def conversations(name: str, found: Any) -> Imported:
    """Read what a JSON file holds: messages, one conversation, a list of them, or a tree of messages each."""
    reading = _Reading(name)
    read = [
        conversation
        for number, talk in enumerate(_parted(found, reading), 1)
        if (conversation := _conversation(talk, f"{name}, conversation {number}", reading)).exchanges
    ]
    if not read and not reading.problems:
        reading.problems.append(f"{name} holds no exchange of a user and an assistant")
    if reading.left_out:
        left_out = "1 message" if reading.left_out == 1 else f"{reading.left_out} messages"
        reading.problems.append(f"{name}: of the system and of tools {left_out} left out")
    return Imported(conversations=tuple(read), problems=tuple(_few(reading.problems)))


def _few(problems: Sequence[str]) -> Iterator[str]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield f"and {len(problems) - _SHOWN} more like these"


def _parted(found: Any, reading: _Reading) -> Iterator[_Talk]:
    name = reading.name
    inner = found.get("conversations") if isinstance(found, dict) else None
    if isinstance(inner, list) and not _are_messages(inner):
        found = inner
    if isinstance(found, dict):
        yield from _of_object(found, reading, name)
    elif isinstance(found, list) and _are_messages(found):
        yield _Talk(name, found)
    elif isinstance(found, list):
        yield from _of_list(found, reading)
    else:
        reading.problems.append(f"{name} holds neither messages nor conversations")


def _of_list(found: Sequence[Any], reading: _Reading) -> Iterator[_Talk]:
    for number, each in enumerate(found, 1):
        place = f"{reading.name}, conversation {number}"
        if isinstance(each, dict):
            yield from _of_object(each, reading, place)
        elif isinstance(each, list):
            yield _Talk(reading.name, each)
        else:
            reading.problems.append(f"{place}: it is no list of messages")


def _of_object(found: Mapping[str, Any], reading: _Reading, place: str) -> Iterator[_Talk]:
    known = next((str(found[key]) for key in _IDS if found.get(key)), None)
    name = known or str(found.get("title") or found.get("name") or reading.name)
    messages = next((found[key] for key in _LISTS if isinstance(found.get(key), list)), None)
    if messages is None and isinstance(found.get("mapping"), dict):
        messages = _of_tree(found["mapping"], found.get("current_node"))
    if messages is None:
        reading.problems.append(f"{place}: there are no messages in it")
    else:
        yield _Talk(name, messages, sure=known is not None)


def _are_messages(found: Sequence[Any]) -> bool:
    return any(isinstance(each, dict) and _role(each) is not None for each in found)


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


def _conversation(talk: _Talk, place: str, reading: _Reading) -> Conversation:
    exchanges: list[Exchange] = []
    said: list[str] = []
    at = ""
    for number, message in enumerate(talk.messages, 1):
        role, text, when = _read(message, f"{place}, message {number}", reading)
        if role == "user" and text:
            at = at if said else when
            said.append(text)
        elif role == "assistant" and text and said:
            exchanges.append(Exchange("\n\n".join(said), text, at))
            said = []
        elif role == "assistant" and text and exchanges:
            before = exchanges[-1]
            exchanges[-1] = Exchange(before.user, f"{before.reply}\n\n{text}", before.at)
    if said:
        reading.problems.append(f"{place}: its last words have no reply and are left out")
    return Conversation(_name(talk, exchanges, reading), tuple(exchanges))


def _name(talk: _Talk, exchanges: Sequence[Exchange], reading: _Reading) -> str:
    """The same in each export of it, and no other's: what it began with tells it from others of its title."""
    name = whole(talk.name)
    if (not talk.sure and exchanges) or len(name) > _LONGEST_NAME:
        began = f"{exchanges[0].at}\n{exchanges[0].user}" if exchanges else ""
        digest = hashlib.sha256(f"{name}\n{began}".encode()).hexdigest()[:12]
        name = f"{name[:_LONGEST_NAME]} {digest}"
    number, alone = 2, name
    while name in reading.names:
        name, number = f"{alone} ({number})", number + 1
    reading.names.add(name)
    return name


def _read(message: Any, place: str, reading: _Reading) -> tuple[str, str, str]:
    """The role, the text and the time of a message, as far as it has them and somebody said it."""
    if message is None:
        return "", "", ""
    role = _role(message) if isinstance(message, dict) else None
    if role is None:
        reading.problems.append(f"{place}: it has no role and text")
        return "", "", ""
    role = _ROLES.get(role.lower(), role.lower())
    if role not in _SAID or message.get("recipient") not in (None, "all"):
        reading.left_out += 1
        return "", "", ""
    text = whole(_text(next((message[key] for key in _TEXTS if message.get(key)), None))).strip()
    if len(text) > MAX_TEXT:
        reading.problems.append(f"{place}: it has {len(text):,} characters; the first {MAX_TEXT:,} are taken")
    return role, text[:MAX_TEXT], _at(message)


def _role(message: Mapping[str, Any]) -> str | None:
    author = message.get("author")
    named = [
        *(message.get(key) for key in _SPEAKERS),
        author.get("role") if isinstance(author, dict) else None,
    ]
    return next((role for role in named if isinstance(role, str) and role), None)


def _text(content: Any, depth: int = 3) -> str:
    """A string, a list of parts, or an object with parts; what is no text is left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict) and depth:
        return _text(content.get("parts") or content.get("text"), depth - 1)
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
