"""What a turn has called, read from the log: as many calls, and the same ones in vain."""

from __future__ import annotations

from bxcore.calls_of_log import calls_of_last_turn
from bxcore.labels import Level
from bxcore.policy import call_key
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, User
from bxcore.repeats import TurnCalls

START = SessionStart(baseline="")
USER = User(text="go on")
LS = call_key("shell", '{"command":"ls","timeout_s":60}')


def made(number: int, name: str, arguments: str, content: str = "same") -> tuple[Record, Record]:
    call = ToolCall(id=f"t1c{number}", name=name, arguments=arguments)
    result = ToolResult(
        call=call.id, tool=name, content=content, ok=True, level=Level.PRIVATE, untrusted=False
    )
    return Assistant(content="", tool_calls=(call,)), result


def calls(*records: Record, limit: int = 3) -> TurnCalls:
    return calls_of_last_turn((START, USER, *records), limit=limit)


def test_a_log_without_a_turn_has_called_nothing() -> None:
    assert calls_of_last_turn((), limit=3) == TurnCalls(turn=0, limit=3)
    assert calls() == TurnCalls(turn=1, limit=3)


def test_the_calls_of_the_last_turn_alone_are_counted() -> None:
    log = (*made(1, "shell", '{"command":"a"}'), *made(2, "shell", "nonsense"), *made(3, "recall", "{}"))
    assert calls(*log).made == 3
    assert calls(*log).refuse_more() is not None
    assert calls(*log, USER, *made(4, "recall", '{"query":"x"}')).made == 1
    assert calls(*log, USER).turn == 2


def test_a_later_epoch_counts_the_turns_before_it() -> None:
    later = SessionStart(baseline="", epoch=1, turns=7)
    assert calls_of_last_turn((later,), limit=3).turn == 7
    assert calls_of_last_turn((later, USER, *made(1, "recall", "{}")), limit=3).turn == 8


def test_what_the_loop_answers_by_itself_is_not_counted() -> None:
    assert calls(*made(1, "clock", "{}"), *made(2, "find_tool", '{"query":"x"}')).made == 0
    assert calls(*made(1, "nothing", "{}")).made == 0, "nor what it refuses by itself"


def test_a_result_without_its_call_is_counted() -> None:
    assert calls(made(1, "shell", "{}")[1]).made == 1


def test_the_same_call_with_the_same_result_twice_is_in_vain_however_it_was_written() -> None:
    inner = '{"name":"shell","arguments":{"command":"ls"}}'
    twice = calls(*made(1, "shell", '{"command":"ls"}'), *made(2, "call_tool", inner))
    assert twice.refuse_again(LS) is not None
    assert calls(*made(1, "shell", '{"command":"ls"}')).refuse_again(LS) is None


def test_another_result_or_call_in_between_is_not_in_vain() -> None:
    ls = '{"command":"ls"}'
    changed = calls(*made(1, "shell", ls), *made(2, "shell", ls, "other"))
    assert changed.refuse_again(LS) is None
    other = calls(*made(1, "shell", ls), *made(2, "shell", '{"command":"pwd"}'))
    assert other.refuse_again(LS) is None
    assert calls(*made(1, "shell", ls), USER, *made(2, "shell", ls)).refuse_again(LS) is None
