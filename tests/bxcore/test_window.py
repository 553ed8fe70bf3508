"""What of a long session is sent: within the window, whole turns, the same from request to request."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import ToolCall
from bxcore.window import A_MESSAGE, NEAR, SHORT, WORTH, TurnMessages, View, before_turn, fit, made

CALL = ToolCall(id="c", name="recall", arguments="{}")


def turn(user: int, result: int | None = None, reply: int = 10) -> list[Message]:
    called: list[Message] = []
    if result is not None:
        called = [
            AssistantMessage(tool_calls=(CALL,)),
            ToolMessage(call="c", tool="recall", content="r" * result),
        ]
    return [UserMessage(text="u" * user), *called, AssistantMessage(content="a" * reply)]


def turns_of(*turns: list[Message]) -> list[TurnMessages]:
    return [made(each) for each in turns]


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
views = st.builds(View, first=st.integers(0, 14), short=st.integers(0, 14))


@given(st.lists(sizes, min_size=1, max_size=12), st.integers(300, 3000), views)
def test_what_is_sent_fits_and_ends_with_the_last_turn(
    shapes: list[tuple[int, int | None, int]], budget: int, view: View
) -> None:
    turns = [turn(*shape) for shape in shapes]
    fitted = fit(turns_of(*turns), budget, view)
    assert fitted.view.first >= view.first
    assert fitted.view.short >= view.short
    kept = turns[min(fitted.view.first, len(turns) - 1) :]
    assert fitted.messages[0] == kept[0][0]
    assert fitted.messages[-1] == turns[-1][-1]
    if not fitted.squeezed:
        assert size(fitted.messages) <= budget
        assert [type(message) for message in fitted.messages] == [type(message) for message in flat(*kept)]
    else:
        assert len(kept) == 1, "only the last turn may be too long by itself"
        results = [message.content for message in fitted.messages if isinstance(message, ToolMessage)]
        assert size(fitted.messages) <= budget or len(fitted.messages) <= 2 or not results


@given(st.lists(sizes, min_size=1, max_size=12), st.integers(300, 3000))
def test_what_fits_is_sent_as_it_is(shapes: list[tuple[int, int | None, int]], budget: int) -> None:
    turns = [turn(*shape) for shape in shapes]
    fitted = fit(turns_of(*turns), budget, View())
    if size(tuple(flat(*turns))) <= budget:
        assert (fitted.messages, fitted.view, fitted.squeezed) == (tuple(flat(*turns)), View(), False)


@given(st.lists(sizes, min_size=1, max_size=12), st.integers(300, 3000))
def test_the_same_view_gives_the_same_beginning_when_a_turn_grows(
    shapes: list[tuple[int, int | None, int]], budget: int
) -> None:
    turns = turns_of(*(turn(*shape) for shape in shapes))
    before = fit(turns, budget, View())
    turns[-1].add(AssistantMessage(content="more"))
    after = fit(turns, budget, before.view)
    if after.view == before.view and not after.squeezed:
        assert after.messages[: len(before.messages)] == before.messages


def test_old_results_are_shortened_before_a_turn_is_left_out() -> None:
    fitted = fit(turns_of(turn(10, 3000), turn(10, 400), turn(10)), 600, View())
    assert fitted.view == View(first=0, short=2)
    results = [message.content for message in fitted.messages if isinstance(message, ToolMessage)]
    assert results[0] == "r" * SHORT + "… (2700 characters more, left out here)"
    assert results[1] == "r" * SHORT + "… (100 characters more, left out here)"


def test_the_running_turns_results_are_shortened_last() -> None:
    fitted = fit(turns_of(turn(10, 100), turn(10, 5000)), 400, View())
    assert (fitted.view.first, fitted.squeezed) == (1, True)
    assert "characters more" in str(fitted.messages)


def test_a_running_turn_without_end_loses_its_oldest_rounds_and_keeps_what_was_asked() -> None:
    rounds = [turn(10, 900)[1:3] for _ in range(40)]
    asked = UserMessage(text="look at all of them")
    fitted = fit([made([asked, *flat(*rounds)])], 2000, View())
    assert fitted.messages[0] == asked
    assert size(fitted.messages) <= 2000
    assert isinstance(fitted.messages[1], AssistantMessage), "no result without its call"
    assert len(fitted.messages) > 20
    assert fitted.messages[-1] != rounds[-1][-1], "its results are short by then"
    tiny = fit([made([asked, *flat(*rounds)])], 10, View())
    assert [type(message) for message in tiny.messages] == [UserMessage, AssistantMessage, ToolMessage]


def test_turns_are_left_out_several_at_a_time_so_that_requests_repeat() -> None:
    turns: list[TurnMessages] = []
    view, firsts = View(), []
    for _ in range(60):
        turns.append(made(turn(150)))
        fitted = fit(turns, 1000, view)
        view = fitted.view
        firsts.append(view.first)
        assert size(fitted.messages) <= 1000
    changes = sum(one != other for one, other in pairwise(firsts))
    assert firsts[-1] > 40
    assert changes <= 12


@given(st.lists(sizes, max_size=12), st.integers(0, 900), st.integers(300, 3000))
def test_before_a_turn_it_is_near_or_shortened_or_as_it_was(
    shapes: list[tuple[int, int | None, int]], coming: int, budget: int
) -> None:
    turns = turns_of(*(turn(*shape) for shape in shapes))
    view, due = before_turn(turns, coming, budget, View())
    whole, short = sum(each.tokens for each in turns), sum(each.short.tokens for each in turns)
    if whole + coming <= NEAR * budget:
        assert (view, due) == (View(), False)
    else:
        assert view == View(short=len(turns))
        assert due is (short > WORTH * budget and short + coming > NEAR * budget)


def test_a_long_message_alone_is_no_reason_for_an_epoch() -> None:
    assert before_turn(turns_of(turn(10)), 5000, 1000, View())[1] is False
    assert before_turn([], 5000, 1000, View())[1] is False
    assert before_turn(turns_of(turn(10)), 10, -5, View())[1] is False


def test_an_epoch_is_due_when_turns_were_left_out() -> None:
    turns = turns_of(turn(10), turn(10))
    assert before_turn(turns, 10, 1000, View(first=1))[1] is True
    assert before_turn(turns, 10, 1000, View())[1] is False


def test_what_was_recalled_counts() -> None:
    grown = made(turn(30))
    plain = grown.tokens
    grown.recall("x" * 300)
    assert grown.tokens == plain + 100
    assert grown.short.messages == grown.messages
    grown.add(ToolMessage(call="c", tool="recall", content="y" * 900))
    assert grown.short.tokens < grown.tokens


def test_nothing_to_send_is_nothing() -> None:
    assert fit([], 100, View()).messages == ()
