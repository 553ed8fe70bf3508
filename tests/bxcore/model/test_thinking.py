"""Thoughts in a text are kept apart however it is cut; prose that names a tag stays a reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.thinking import TAGS, ThinkingApart, closed_alone


def apart(*pieces: str) -> tuple[str, str]:
    splitter = ThinkingApart()
    both = [splitter.feed(piece) for piece in pieces] + [splitter.end()]
    return "".join(said for said, _ in both), "".join(thought for _, thought in both)


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_thought_at_the_start_is_no_part_of_the_reply(tag: str, size: int) -> None:
    text = f" \n{tag}It may be <b>four</b>. </ thin\n{TAGS[tag]}\n\nIt is four."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert apart(*pieces) == ("It is four.", "It may be <b>four</b>. </ thin\n")


def test_several_thoughts_before_the_reply_are_all_thoughts() -> None:
    assert apart("<think>a</think>\n<think>b</think> c") == ("c", "ab")


def test_a_thought_that_never_ends_is_no_reply() -> None:
    assert apart("<think>It is f", "our") == ("", "It is four")
    assert apart("<think>It is four </thi") == ("", "It is four </thi")


def test_a_thought_between_lines_is_kept_apart_too() -> None:
    assert apart("Let me see.\n<think>hm", "m</thi", "nk>\nFour.") == ("Let me see.\n\nFour.", "hmm")


@pytest.mark.parametrize(
    "text",
    [
        "Models write <think> before they answer, and </think> behind it.",
        "The tag\n<think>\nbegins a thought.",
        "So:\n```\n<think>a</think>\n```\nand on.",
        "a < b and <thinner",
        "<thank>you</thank>",
        "<thi",
        " \n",
        "x\n<th",
        "I mean </think>.",
    ],
)
def test_prose_that_names_a_tag_is_a_reply(text: str) -> None:
    assert apart(text) == (text, "")
    assert apart(*text) == (text, "")
    assert closed_alone(text) == (text, "")


def test_what_is_said_comes_at_once() -> None:
    splitter = ThinkingApart()
    assert splitter.feed("It ") == ("It ", "")
    assert splitter.feed("is <") == ("is <", "")
    assert splitter.feed(" 5\n") == (" 5\n", "")
    assert splitter.feed("<thi") == ("", "")
    assert splitter.feed("rd>") == ("<third>", "")


def test_thoughts_that_only_end_are_found_by_the_lone_tag() -> None:
    assert closed_alone("It may be four.\n</think>\n\nIt is four.") == ("It is four.", "It may be four.")
    for text in (
        "a\n</think>\nb\n</think>\nc",
        "<think>\na\n</think>\nb",
        "```\n</think>\nx",
        "a </think> b",
    ):
        assert closed_alone(text) == (text, "")


PIECES = ["<think>", "</think>", "<thi", "\n", " ", "a", "```", "[THINK]", "<", "</"]


@given(st.lists(st.sampled_from(PIECES)), st.data())
def test_how_the_text_is_cut_does_not_matter_and_nothing_is_lost(
    parts: list[str], data: st.DataObject
) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    said, thought = apart(*pieces)
    assert (said, thought) == apart(text)
    lost = len(text) - len(said) - len(thought)
    tags = sum(text.count(tag) * len(tag) for pair in TAGS.items() for tag in pair)
    assert lost <= tags + text.count("\n") + text.count(" ")
