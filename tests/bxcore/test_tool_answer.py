"""Which label an answer has under a grant, and what the audit says of it."""

from __future__ import annotations

import pytest

from bxcore.labels import NEUTRAL, Label, Level
from bxcore.tool_answer import Effect, ToolAnswer, not_begun

FLOOR = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


def answer(label: Label = NEUTRAL, *, ok: bool = False, effect: Effect = Effect.DONE) -> ToolAnswer:
    return ToolAnswer(ok=ok, content="x", label=label, effect=effect)


@pytest.mark.parametrize("effect", [Effect.DONE, Effect.UNKNOWN])
def test_what_began_has_the_floor_however_it_ended(effect: Effect) -> None:
    assert answer(effect=effect).under(FLOOR) == FLOOR
    assert answer(SECRET, effect=effect).under(FLOOR) == Label(Level.SECRET, untrusted=True)


def test_what_never_began_raises_nothing() -> None:
    assert not_begun("no tool runs here").under(FLOOR) == NEUTRAL
    assert answer(SECRET, effect=Effect.NONE).under(FLOOR) == SECRET


@pytest.mark.parametrize(
    ("ok", "effect", "word"),
    [
        (True, Effect.DONE, "ok"),
        (False, Effect.DONE, "failed"),
        (False, Effect.NONE, "failed"),
        (False, Effect.UNKNOWN, "unknown"),
    ],
)
def test_the_audit_has_a_word_for_it(ok: bool, effect: Effect, word: str) -> None:  # noqa: FBT001
    assert answer(ok=ok, effect=effect).outcome == word
