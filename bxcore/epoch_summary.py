"""What a new epoch begins with: a summary by the model, or one made of the log alone (spec 3.4); pure."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore.epochs import turns_before
from bxcore.labels import Label
from bxcore.model.baseline import BYTES_A_TOKEN
from bxcore.records import Record, SessionStart, User, whole
from bxcore.sanitize import neutralise
from bxcore.turn_spans import reply_of, spans

ASK = (
    "(Write a summary of this conversation so far, the earlier summary with it, in at most 150 words: "
    "who the person is and what they want, names, numbers, dates, what was decided and what is still open. "
    "Write the summary alone; call no tool.)"
)
"""What the model is asked, behind the conversation as it was sent before."""
ANSWER_TOKENS = 400
"""What the model's summary may take."""
SHARE = 0.25
"""Of the window that a summary may take, with the last exchange."""
MOST_TOKENS = 1_200
_LAST = 0.4
"""The share of a summary that the last exchange may take."""
_FIRST = 160
_NOTE = 70
"""Characters of the first message, and of a message and a reply in the note of a turn."""


def summary(said: str, records: Sequence[Record], *, label: Label, budget: int) -> str:
    """The summary of an epoch's ``records`` and of what was before it; ``said`` is the model's, or empty.

    ``budget`` is the window in tokens. Of an untrusted session it is made harmless as any stranger's words:
    it has the session's ``label``.
    """
    tokens = min(MOST_TOKENS, max(0, int(budget * SHARE)))
    last = _cut(_last_exchange(records), int(tokens * _LAST))
    room = tokens - _tokens(last)
    text = _cut(said.strip(), room) if said.strip() else _of_the_log(records, room)
    found = whole("\n".join(part for part in (text, last) if part))
    return neutralise(found) if label.untrusted else found


def _of_the_log(records: Sequence[Record], tokens: int) -> str:
    """The first message, what was summed up before, and a note of each of the last turns that has room."""
    start = records[0] if records else None
    before = start.summary if isinstance(start, SessionStart) else ""
    opening = _cut(before, tokens // 2) or _first_message(records)
    notes: list[str] = []
    room = tokens - _tokens(opening)
    for note in reversed(_notes(records)):
        room -= _tokens(note) + 1
        if room < 0:
            break
        notes.insert(0, note)
    return "\n".join([opening, *notes])


def _first_message(records: Sequence[Record]) -> str:
    first = next((record.text for record in records if isinstance(record, User)), "")
    return f"The first message was: {_line(first, _FIRST)}"


def _notes(records: Sequence[Record]) -> list[str]:
    found = []
    for number, (start, end) in enumerate(spans(records), turns_before(records) + 1):
        user, reply = records[start], reply_of(records[start:end])
        if isinstance(user, User):
            answer = "no reply" if reply is None else _line(reply, _NOTE)
            found.append(f"Turn {number}: {_line(user.text, _NOTE)} - {answer}")
    return found


def _last_exchange(records: Sequence[Record]) -> str:
    """The last turn, the person's words and the reply half and half if they are long."""
    known = spans(records)
    if not known:
        return ""
    turn = records[slice(*known[-1])]
    user, reply = turn[0], reply_of(turn)
    assert isinstance(user, User)
    half = int(MOST_TOKENS * _LAST) * BYTES_A_TOKEN // 2
    said = f"The last message was: {_line(user.text, half)}"
    return said if reply is None else f"{said}\nThe reply was: {_line(reply, half)}"


def _line(text: str, most: int) -> str:
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def _cut(text: str, tokens: int) -> str:
    """The beginning of a text that takes no more by the stated estimate, and a mark that it goes on."""
    data = text.encode("utf-8", "replace")
    if _tokens(text) <= tokens:
        return text
    return data[: max(0, (tokens - 1) * BYTES_A_TOKEN)].decode("utf-8", "ignore").rstrip() + "…"
