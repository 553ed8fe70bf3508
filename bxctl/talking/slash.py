"""What a typed line of a chat is: something said, an order to the chat, or a mistyped order (spec 6.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

ORDERS: Mapping[str, str] = {
    "help": "these lines",
    "stop": "end the running turn; what waits runs then, `/stop all` takes yours back too",
    "new": "begin a new session, or go on in the one that is named: /new NAME",
    "sessions": "the sessions, the newest first",
    "memory": "what is remembered about you; /memory WORDS searches all of it",
    "label": "what this session has seen: its class, and whether strangers wrote in it",
    "quit": "leave; a running turn goes on in the box, what waits behind it is taken back",
}
"""Each order with what it does."""
_OTHER_NAMES: Mapping[str, str] = {"exit": "quit", "q": "quit", "?": "help"}
_ORDER = re.compile(r"/([a-z?]*)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text for the agent."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order to the chat: a key of ``ORDERS``, and what stands behind it."""

    name: str
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistyped:
    """What looks like an order and is none; ``sentence`` says so. It is not sent."""

    sentence: str


Typed: TypeAlias = Said | Order | Mistyped


def read(line: str) -> Typed | None:
    """Read a typed line; None for one that says nothing.

    Two slashes at its start stand for one, and make the line a text. So does a first word that is near to no
    order and has others behind it, or a sign in it: ``/etc is a folder``, ``/srv/x``.
    """
    text = line.strip()
    if text.startswith("//"):
        return Said(text=text[1:])
    found = _ORDER.fullmatch(text)
    if not text or found is None:
        return Said(text=text) if text else None
    word, rest = found[1], (found[2] or "").strip()
    name = _OTHER_NAMES.get(word, word)
    return Order(name=name, rest=rest) if name in ORDERS else _unknown(text, word, rest)


def _unknown(text: str, word: str, rest: str) -> Typed:
    from bxcore.did_you_mean import nearest

    near = nearest(word, ORDERS)
    if rest and near is None:
        return Said(text=text)
    meant = "/help lists what there is;" if near is None else f"did you mean /{near}?"
    return Mistyped(sentence=f"there is no /{word} here, it was not sent; {meant} //{word} says it as text")


def help_text() -> str:
    """Write what can be typed, a line each."""
    widest = max(map(len, ORDERS))
    orders = [f"/{name.ljust(widest)}  {does}" for name, does in ORDERS.items()]
    others = (
        "//text says a text that begins with a slash; all else is said to your agent",
        "a line typed while a turn runs waits its turn; Ctrl-C stops the turn, Ctrl-D leaves",
    )
    return "\n".join([*orders, *others])
