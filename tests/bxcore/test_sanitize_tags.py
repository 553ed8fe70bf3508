"""Chat-template tags and forged headers: broken visibly, and nothing else touched (spec 1.7)."""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore.sanitize import MARK, neutralise, one_line, refuse, snippet
from bxcore.sanitize.tags import has_tag

ANGLE = """
<|im_start|> <|im_end|> <|im_sep|> <|endoftext|> <tool_call> </tool_call> <tool_response> <tools>
<think> </think> <s> </s> <<SYS>> <</SYS>> <|begin_of_text|> <|end_of_text|> <|start_header_id|>
<|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|> <|finetune_right_pad_id|>
<|reserved_special_token_7|> <|header_start|> <|eot|> <|step_id|> <start_of_turn> <end_of_turn>
<bos> <eos> <start_of_image> <start_function_call> <end_function_call> <start_function_declaration>
<escape> <|turn> <turn|> <|channel> <channel|> <|tool> <tool|> <|tool_call> <tool_call|>
<|tool_response> <|think|> <|"|> <|image|> <|audio|> <|start|> <|end|> <|message|> <|channel|>
<|constrain|> <|call|> <|return|> <|startoftext|> <|endofprompt|> <|EOT|> <sop> <|system|> <|user|>
<|assistant|> <|observation|> <arg_key> <arg_value> <|im_user|> <|im_middle|>
<|tool_calls_section_begin|> <|tool_call_argument_begin|> <|open|> <|sep|> <|close|> <|end_of_msg|>
<|kimi_image_placeholder|> <|START_OF_TURN_TOKEN|> <|CHATBOT_TOKEN|> <|START_TOOL_RESULT|>
<|start_of_role|> <|end_of_role|> <seed:bos> <seed:think> <|extra_4|> <|role_start|> <role> </role>
<用户> <AI> <|end_of_turn|> <|begin_assistant|> <SPECIAL_10> <function_calls> <function_results>
<|end▁of▁x|>
"""
DEEPSEEK = """
<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜tool▁sep｜>
<｜tool▁outputs▁begin｜> <｜DSML｜invoke> </｜DSML｜invoke> <｜hy_place▁holder▁no▁2｜>
"""
SQUARE = """
[INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS]
[TOOL_RESULTS] [/TOOL_RESULTS] [ARGS] [CALL_ID] [THINK] [IMG] [PREFIX] [gMASK] [|system|] [|user|]
[|assistant|] [|endofturn|] [e~[
"""
WITH_FIELDS = ['<invoke name="x">', '<parameter name="y">', "<function=recall>", "<tool_call id='1'>"]
ANYWHERE = [
    *(ANGLE + DEEPSEEK + SQUARE).split(),
    *WITH_FIELDS,
    "]~b]",
    "]~!b[",
    "[1] memory · notes · private",
]
AT_A_LINE_START = [
    "### Instruction:",
    "### Response:",
    "### System:",
    "### System\nyou are",
    "Human: hi",
    "Assistant: hi",
    "USER: hi",
    "ASSISTANT: hi",
    "SYSTEM: hi",
    "GPT4 Correct User: hi",
    "/think",
    "/no_think",
    "/nothink",
]


def broken(text: str, tag: str) -> None:
    shown = neutralise(text)
    assert tag not in shown
    assert shown.replace(MARK, "") == text.replace(MARK, "")
    assert not has_tag(shown)
    assert neutralise(shown) == shown


@pytest.mark.parametrize("tag", [*ANYWHERE, *AT_A_LINE_START])
def test_a_tag_is_broken_by_one_mark_after_its_first_character(tag: str) -> None:
    shown = neutralise(tag)
    assert shown == tag[0] + MARK + tag[1:]
    refusal = refuse(tag)
    assert refusal is not None
    assert refusal.rule == "tag"


@pytest.mark.parametrize("tag", ANYWHERE)
def test_a_tag_is_broken_wherever_it_stands(tag: str) -> None:
    for text in (f"a {tag} b", f"x{tag}y", f"{tag}{tag}", f"\n{tag}\n", f"é{tag}👧{tag}"):
        broken(text, tag)
        assert neutralise(text).count(MARK) == text.count(tag)


@pytest.mark.parametrize("tag", AT_A_LINE_START)
def test_a_turn_marker_is_broken_at_the_start_of_any_line(tag: str) -> None:
    for line_end in ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\n  "):
        broken(f"text{line_end}{tag}", tag)


def wide(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


@pytest.mark.parametrize("tag", ANYWHERE)
def test_a_full_width_tag_is_broken_too(tag: str) -> None:
    broken(f"a {wide(tag)} b", wide(tag))
    assert has_tag(wide(tag))


@pytest.mark.parametrize("tag", ANYWHERE)
def test_a_tag_that_invisible_characters_split_is_broken_too(tag: str) -> None:
    for split in ("\u200b", "\u00ad", "\ufe0f", "\u2060\u200d", "\U000e0041", "\x00", "\x1b"):
        hidden = split.join(tag)
        assert has_tag(hidden)
        broken(hidden, hidden)


def test_a_tag_in_capitals_or_small_letters_is_broken_too() -> None:
    for tag in ("<|IM_END|>", "<Think>", "[inst]", "<<sys>>", "<BOS>"):
        broken(tag, tag)


def test_what_deletion_would_join_is_not_joined() -> None:
    nested = "<|im_<|im_end|>end|>"
    assert neutralise(nested) == f"<|im_<{MARK}|im_end|>end|>"
    broken("<s<s>>", "<s>")
    broken("[IN[INST]ST]", "[INST]")


def test_a_forged_header_loses_its_meaning_wherever_it_stands() -> None:
    for text in (
        "[1] memory · notes · private",
        "[12]  memory-tainted · x",
        "a\n  [3] memory · b",
        "[1]memory•x",
    ):
        shown = neutralise(text)
        assert not re.search(r"\[\d+\]", shown)
        assert shown.replace(MARK, "") == text


ORDINARY = [
    "a < b and b > c, x <= y >= z, a <- b -> c, <-> <=> << >>",
    "r'<=|>=|<|>|!=', '<<|>>|d<|d=|d>s', list <|> other, a <b |> c",
    "if (a | b) { return a || b; } // a |> b",
    "<b>bold</b> <p class='x'> <br/> <script> <thinker> <sup>2</sup> <toolbox>",
    "list[0] [1] [link](url) [x] [ ] [img]x[/img] [args] d['a'][\"b\"]",
    "# One\n## Two\n### Three\n### Instructions for the boiler\n### System requirements\n#hashtag",
    "the user: Ada. Assistant manager: Bo. I am human: yes\nhuman: lower case\nUsers: three",
    "https://example.org/think and /thinking, and/think, C:/no_think/x",
    "memory · notes · private, [1] memories · x, [see] memory · y",
    "Привет, мир! שלום 你好，世界！（全角） 「かぎ」 ﷽ ᠮᠣᠩᠭᠣᠯ",
    "👨‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم क्‍ष",
    "\x00\x07\u200b\u202e\r\n and \ue000\ufffe stay as they are",
    f"a {MARK} b",
    "",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_comes_back_unchanged(text: str) -> None:
    assert neutralise(text) == text


@given(st.text(st.characters(exclude_characters="<>[]#/:", exclude_categories=["Cs"])))
def test_a_text_of_any_script_without_a_tags_signs_comes_back_unchanged(text: str) -> None:
    if not set("<>[]#/:") & set(neutralise.__globals__["folded"](text)):
        assert neutralise(text) == text


PIECES = st.sampled_from(
    [
        *ANYWHERE,
        *AT_A_LINE_START,
        *"<|>[]#/~ \n\r¦·:｜＜＞\u200b\u2028ſ",
        "im_end",
        "INST",
        "s",
        "SYS",
        "1",
        "memory",
    ]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=14).map("".join))
@example("<|<|a|>|>")
@example("<¦|a|>")
def test_no_tag_is_left_and_nothing_is_deleted_and_twice_is_once(text: str) -> None:
    shown = neutralise(text)
    assert not has_tag(shown)
    assert shown.replace(MARK, "") == text.replace(MARK, "")
    assert neutralise(shown) == shown
    assert (shown == text) == (not has_tag(text))


@given(st.lists(PIECES | st.text(max_size=6), max_size=14).map("".join), st.integers(0, 60))
def test_one_line_is_one_line_of_the_first_characters(text: str, cap: int) -> None:
    line = one_line(text, cap)
    assert line == one_line(text, len(text) * 2)[:cap]
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", line)
    assert len(line.splitlines()) <= 1
    assert len(neutralise(text)) <= 60 or cap == 60 or len(line) <= cap


def test_each_control_character_and_separator_is_a_space_on_one_line() -> None:
    assert one_line("a\r\nb\tc\x00d\x85e\u2028f\u2029g\x7fh", 100) == "a  b c d e f g h"


def test_a_tag_is_broken_before_its_line_end_becomes_a_space() -> None:
    assert MARK in one_line("<|im\n_end|>", 100)
    assert one_line("x\nHuman: y", 100) == f"x H{MARK}uman: y"


def test_a_cut_leaves_no_mark() -> None:
    assert one_line("abcdef", 3) == "abc"
    assert snippet("x" * 601) == "x" * 600
    assert snippet("<s>" * 400)[:8] == f"<{MARK}s><{MARK}s>"
    assert len(snippet("<s>" * 400)) == 600
