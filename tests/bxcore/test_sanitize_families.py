"""The chat-template tags of each model family, a row a family: each is broken, however it is hidden."""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import pytest

from bxcore.sanitize import MARK, neutralise, refuse
from bxcore.sanitize.tags import has_tag

FAMILIES = {
    "ChatML": "<|im_start|> <|im_end|> <|im_sep|> <|endoftext|>",
    "Qwen": "<tool_call> </tool_call> <tool_response> </tool_response> <tools> <think> </think>",
    "Llama 2": "[INST] [/INST] <<SYS>> <</SYS>> <s> </s>",
    "Llama 3": (
        "<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|>"
        " <|python_tag|> <|finetune_right_pad_id|> <|reserved_special_token_0|>"
    ),
    "Llama 4": "<|header_start|> <|header_end|> <|eot|> <|step_id|>",
    "Mistral": (
        "[INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS]"
        " [TOOL_RESULTS] [/TOOL_RESULTS] [ARGS] [CALL_ID] [THINK] [/THINK] [IMG] [PREFIX]"
    ),
    "Gemma 1 to 3": "<start_of_turn> <end_of_turn> <bos> <eos> <start_of_image>",
    "FunctionGemma": "<start_function_call> <end_function_call> <start_function_declaration> <escape>",
    "Gemma 4": (
        "<|turn> <turn|> <|channel> <channel|> <|tool> <tool|> <|tool_call> <tool_call|> <|tool_response>"
        ' <tool_response|> <|think|> <|"|> <|image|> <|audio|>'
    ),
    "gpt-oss": (
        "<|start|> <|end|> <|message|> <|channel|> <|constrain|> <|call|> <|return|> <|startoftext|>"
        " <|endofprompt|>"
    ),
    "DeepSeek": (
        "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜>"
        " <｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> <｜tool▁outputs▁begin｜> <｜DSML｜invoke>"
        " </｜DSML｜invoke> <|EOT|>"
    ),
    "GLM": (
        "[gMASK] <sop> <|system|> <|user|> <|assistant|> <|observation|> <tool_call> <arg_key> </arg_key>"
        " <arg_value> </arg_value> <tool_response> <think>"
    ),
    "Phi-3, Zephyr, Falcon-3": "<|user|> <|end|> <|system|> <|assistant|>",
    "Kimi K2": (
        "<|im_user|> <|im_assistant|> <|im_system|> <|im_middle|> <|tool_calls_section_begin|>"
        " <|tool_calls_section_end|> <|tool_call_begin|> <|tool_call_argument_begin|> <|tool_call_end|>"
    ),
    "Kimi K3": "<|open|> <|sep|> <|close|> <|end_of_msg|> <|kimi_image_placeholder|>",
    "Cohere": (
        "<|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|SYSTEM_TOKEN|>"
        " <|START_RESPONSE|> <|START_ACTION|> <|START_TOOL_RESULT|>"
    ),
    "Granite": "<|start_of_role|> <|end_of_role|>",
    "EXAONE": "[|system|] [|user|] [|assistant|] [|endofturn|]",
    "MiniMax": "]~b] ]~!b[ [e~[",
    "Seed-OSS": "<seed:bos> <seed:eos> <seed:think> </seed:think>",
    "Hunyuan": "<｜hy_place▁holder▁no▁2｜> <|extra_4|>",
    "Megrez": "<|role_start|> <|role_end|>",
    "Bailing": "<role> </role>",
    "MiniCPM": "<用户> <AI>",
    "OpenChat": "<|end_of_turn|>",
    "Apriel": "<|begin_assistant|> <|end|>",
    "Nemotron": "<SPECIAL_10> <SPECIAL_999>",
    "Anthropic": "<function_calls> <invoke> <parameter> <function_results> </function_calls> </invoke>",
}
TAGS = sorted({tag for row in FAMILIES.values() for tag in row.split()})
HIDDEN = (
    "\u200b",
    "\u200d",
    "\u2060",
    "\u00ad",
    "\ufeff",
    "\u202e",
    "\ufe0f",
    "\U000e0041",
    "\x00",
    "\u034f",
    "\u115f",
)


def wide(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def check(text: str, times: int = 1) -> None:
    assert has_tag(text)
    shown = neutralise(text)
    assert shown.count(MARK) == times
    assert shown.replace(MARK, "") == text
    assert not has_tag(shown)
    assert neutralise(shown) == shown


@pytest.mark.parametrize("family", FAMILIES)
def test_every_tag_of_a_family_is_refused_and_broken(family: str) -> None:
    for tag in FAMILIES[family].split():
        check(tag)
        check(f"said: {tag}system, and")
        refusal = refuse(f"a {tag} b")
        assert refusal is not None
        assert refusal.rule == "tag"


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_in_full_width_letters_or_with_one_of_them_is_broken(tag: str) -> None:
    check(f"a {wide(tag)} b")
    for place in range(len(tag)):
        check(tag[:place] + wide(tag[place]) + tag[place + 1 :])


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_split_at_any_place_by_what_is_not_seen_is_broken(tag: str) -> None:
    for place, hidden in enumerate(HIDDEN * 3):
        at = 1 + place % (len(tag) - 1)
        check(f"a {tag[:at]}{hidden}{tag[at:]} b")


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_inside_itself_is_not_joined_by_deleting_the_inner_one(tag: str) -> None:
    for at in range(1, len(tag)):
        nested = tag[:at] + tag + tag[at:]
        shown = neutralise(nested)
        assert not has_tag(shown)
        assert shown.replace(MARK, "") == nested
        assert len(shown) > len(nested)


@pytest.mark.parametrize("first", TAGS[::3])
def test_tags_side_by_side_are_each_broken(first: str) -> None:
    for second in TAGS[::2]:
        shown = neutralise(first + second)
        assert first not in shown
        assert second not in shown
        assert shown.replace(MARK, "") == first + second
        assert neutralise(shown) == shown


LINES = {
    "Alpaca, DeepSeek coder": ("### Instruction:", "### Response:", "### Input:", "### System:"),
    "plain turns": ("Human:", "Assistant:", "USER:", "ASSISTANT:", "SYSTEM:"),
    "OpenChat": ("GPT4 Correct User:", "GPT4 Correct Assistant:"),
}


@pytest.mark.parametrize("line", [line for row in LINES.values() for line in row])
def test_a_turn_is_broken_at_a_lines_start_only(line: str) -> None:
    for before in ("", "\n", "text\r\n", "\u2028", "\n \t "):
        check(f"{before}{line} hello")
    assert neutralise(f"he wrote {line} hello") == f"he wrote {line} hello"


@pytest.mark.parametrize("switch", ["/think", "/no_think", "/nothink"])
def test_a_switch_is_broken_where_it_stands_alone_and_in_no_path(switch: str) -> None:
    for text in (switch, f"please {switch}", f"{switch}, then", f"a\n{switch}\nb"):
        check(text)
    for text in (f"a{switch}", f"{switch}er", f"{switch}/x", f"https://example.org{switch}"):
        assert neutralise(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '<pad align="n"/>',
        "<b>",
        "<small>",
        "<s3://bucket>",
        "[info]",
        "[img](a.png)",
        "a[i]",
        "</p>",
        "<x|y",
        "|>",
        "<|>",
    ],
)
def test_what_only_has_a_tags_signs_comes_back_unchanged(text: str) -> None:
    assert neutralise(text) == text
    assert refuse(text) is None
