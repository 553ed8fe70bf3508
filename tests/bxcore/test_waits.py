from __future__ import annotations

import pytest

from bxcore.waits import Waits


def test_the_waits_are_those_of_the_table() -> None:
    waits = Waits()
    assert waits.chat_s == 150.0
    assert waits.broker_ask_memory_s == 170.0
    assert waits.broker_memory_s == 30.0
    assert waits.loop_ask_memory_s == 180.0
    assert waits.loop_call_s == 120.0
    assert Waits.configured(chat_s=150.0, call_s=120.0) == waits


def test_the_loop_waits_as_long_as_its_own_limit_when_that_is_longer() -> None:
    assert Waits().loop_for_ask_memory_s == 180.0
    assert Waits(loop_call_s=240.0).loop_for_ask_memory_s == 240.0


@pytest.mark.parametrize("chat_s", [1.0, 149.0, 151.0, 3600.0])
def test_whoever_waits_for_another_waits_longer(chat_s: float) -> None:
    waits = Waits.configured(chat_s=chat_s, call_s=60.0)
    assert waits.chat_s == chat_s
    assert waits.chat_s < waits.broker_ask_memory_s < waits.loop_ask_memory_s
    assert waits.broker_ask_memory_s >= 170.0
    assert waits.loop_call_s == 60.0
