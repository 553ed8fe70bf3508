"""What of a long session is sent: within the window, whole turns, the same from request to request."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import ToolCall
from bxcore.window import A_MESSAGE, SHORT, fit

CALL = ToolCall(id="c", name="recall", arguments="{}")


def turn(user: int, result: int | None = None, reply: int = 10) -> list[Message]:
    called: list[Message] = []
    if result is not None:
        called = [
            AssistantMessage(tool_calls=(CALL,)),
            ToolMessage(call="c", tool="recall", content="r" * result),
        ]
    return [UserMessage(text="u" * user), *called, AssistantMessage(content="a" * reply)]


def flat(*turns: list[Message]) -> list[Message]:
    return [message for each in turns for message in each]


def size(messages: tuple[Message, ...]) -> int:
    total = 0
    for message in messages:
        match message:
            case UserMessage(text=text):
                total += A_MESSAGE + -(-len(text) // 3)
            case AssistantMessage(content=content, tool_calls=calls):
                total += A_MESSAGE + -(-len(content) // 3) + len(calls)
            case ToolMessage(content=content):
                total += A_MESSAGE + -(-len(content.encode()) // 3)
    return total


sizes = st.tuples(st.integers(0, 600), st.none() | st.integers(0, 3000), st.integers(0, 600))


@given(st.lists(sizes, min_size=1, max_size=12), st.integers(300, 3000), st.integers(1, 14))
def test_what_is_sent_fits_and_ends_with_the_last_turn(
    shapes: list[tuple[int, int | None, int]], budget: int, first: int
) -> None:
    turns = [turn(*shape) for shape in shapes]
    fitted = fit(flat(*turns), budget, first)
    assert min(first, len(turns)) <= fitted.first <= len(turns)
    kept = turns[fitted.first - 1 :]
    assert [type(message) for message in fitted.messages] == [type(message) for message in flat(*kept)]
    assert fitted.messages[-1] == turns[-1][-1]
    if size(fitted.messages) > budget:
        assert len(kept) == 1, "only the last turn may be too long by itself"
        results = [message.content for message in fitted.messages if isinstance(message, ToolMessage)]
        assert all(len(content) <= SHORT + 60 for content in results)


@given(st.lists(sizes, min_size=1, max_size=12), st.integers(300, 3000))
def test_what_fits_is_sent_as_it_is(shapes: list[tuple[int, int | None, int]], budget: int) -> None:
    messages = flat(*(turn(*shape) for shape in shapes))
    fitted = fit(messages, budget)
    if size(tuple(messages)) <= budget:
        assert (fitted.messages, fitted.first) == (tuple(messages), 1)


def test_old_results_are_shortened_before_a_turn_is_left_out() -> None:
    messages = flat(turn(10, 3000), turn(10, 400), turn(10))
    fitted = fit(messages, 600)
    assert fitted.first == 1
    results = [message.content for message in fitted.messages if isinstance(message, ToolMessage)]
    assert results[0] == "r" * SHORT + "… (2700 characters more, left out here)"
    assert results[1] == "r" * SHORT + "… (100 characters more, left out here)"


def test_the_running_turns_results_are_shortened_last() -> None:
    fitted = fit(flat(turn(10, 100), turn(10, 5000)), 400)
    assert fitted.first == 2
    assert "characters more" in str(fitted.messages)


def test_turns_are_left_out_several_at_a_time_so_that_requests_repeat() -> None:
    turns, first, firsts = [], 1, []
    for _ in range(60):
        turns.append(turn(150))
        fitted = fit(flat(*turns), 1000, first)
        first = fitted.first
        firsts.append(first)
        assert size(fitted.messages) <= 1000
    changes = sum(one != other for one, other in pairwise(firsts))
    assert firsts[-1] > 40
    assert changes <= 12


def test_nothing_to_send_is_nothing() -> None:
    assert fit((), 100).messages == ()
