"""Example turns of the ``json`` profile: what to call when, what a result looks like, what to reply.

A small model follows these more than any instruction. They name other people and things than the tests do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from bxcore.model.json_profile import call_text, reply_text, user_messages
from bxcore.model.values import UserMessage, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One turn: what the person said and auto_recall found, the call and its result if any, the reply."""

    user: str
    call: tuple[str, dict[str, Any]] | None = None
    result: str = ""
    recalled: str = ""
    reply: str


ADDED = "added to notes.md; it holds 812 of 20000 characters; recall finds it"
NOTHING = "nothing found; searched 31 turns and 9 notes; other words may find more"

EXAMPLES: tuple[Example, ...] = (
    Example(user="Hello", reply="Hello! What can I do for you?"),
    Example(
        user="Remember: the dentist is called Dr. Ochoa.",
        call=("memory", {"action": "add", "file": "notes", "text": "The dentist is called Dr. Ochoa."}),
        result=ADDED,
        reply="I will remember that the dentist is called Dr. Ochoa.",
    ),
    Example(
        user="Where did I park the car? Ask your memory.",
        call=("ask_memory", {"question": "Where is the car parked?"}),
        result='[1] memory · own · private\n    owner said on 2026-03-02: "the car is on level 3"',
        reply="The car is on level 3.",
    ),
    Example(
        user="What is the time?",
        call=("clock", {}),
        result="Monday 2026-03-02 09:41:12 UTC",
        reply="It is 09:41 on Monday, 2026-03-02.",
    ),
    Example(user="What is the longest river in Europe?", reply="The longest river in Europe is the Volga."),
    Example(
        user="What did I tell you about the garden?",
        call=("recall", {"query": "garden"}),
        result="[1] memory · session k3f turn 4, 2026-02-20 · private\n"
        "    said: The roses want water on Fridays. / reply: Good to know.",
        reply="You told me that the roses want water on Fridays.",
    ),
    Example(user="Tell me a joke.", reply="Why did the bicycle fall over? It was two-tired."),
    Example(
        user="Remember that my brother Timo moves to Graz in June.",
        call=(
            "memory",
            {"action": "add", "file": "notes", "text": "The owner's brother Timo moves to Graz in June."},
        ),
        result=ADDED,
        reply="I will remember that your brother Timo moves to Graz in June.",
    ),
    Example(
        user="Who is Bruno?",
        call=("recall", {"query": "Bruno"}),
        result=NOTHING,
        reply="I found nothing about Bruno. Who is it?",
    ),
    Example(
        user="Which day is it?",
        recalled="[1] memory · notes · private\n    The gym is closed on Sundays.",
        call=("clock", {}),
        result="Monday 2026-03-02 09:41:12 UTC",
        reply="It is Monday, 2026-03-02, and 09:41.",
    ),
    Example(user="How do you say 'thank you' in Spanish?", reply="In Spanish, 'thank you' is 'gracias'."),
    Example(
        user="When does the ferry leave? Ask your memory.",
        recalled="[1] memory · session k3f turn 9, 2026-03-01 · private\n"
        "    said: When does the ferry leave? Ask your memory. / reply: The ferry leaves at noon.",
        call=("ask_memory", {"question": "When does the ferry leave?"}),
        result='[1] memory · own · private\n    owner said on 2026-03-01: "the ferry leaves at noon"',
        reply="The ferry leaves at noon.",
    ),
    Example(
        user="Please note that bin day is Tuesday.",
        call=("memory", {"action": "add", "file": "notes", "text": "Bin day is Tuesday."}),
        result=ADDED,
        reply="Noted: bin day is Tuesday.",
    ),
    Example(user="Thanks, that is all.", reply="You are welcome!"),
)


def example_messages(examples: Iterable[Example], tools: Collection[str]) -> tuple[Wire, ...]:
    """The examples whose tool is offered, as wire messages."""
    return tuple(
        message
        for example in examples
        if example.call is None or example.call[0] in tools
        for message in _messages(example)
    )


def _messages(example: Example) -> list[Wire]:
    said = UserMessage(text=example.user, recalled=example.recalled)
    messages = [*user_messages(said)]
    if example.call is not None:
        messages.append({"role": "assistant", "content": call_text(*example.call)})
        messages.append({"role": "tool", "tool_call_id": "example", "content": example.result})
    messages.append({"role": "assistant", "content": reply_text(example.reply)})
    return messages
