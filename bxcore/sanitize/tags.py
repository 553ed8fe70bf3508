"""Chat-template tags: what a model's tokenizer or template could take for its own marks (spec 1.7).

They are looked for in the folded view, so a full-width or split tag is found too. A tag is broken by one
visible mark after its first character; nothing is deleted, for that may join what was split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from bxcore.sanitize.folding import folded, origins

MARK = "¦"
"""Put after a tag's first character. In no tag does it stand there, so what is marked is marked for good."""

_INSIDE = "[^<>|]"
_WHOLE_NAMES = (
    "s|bos|eos|unk|pad|sop|eop|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token|escape"
    "|(?:start|end)_function_(?:call|declaration|response)|seed:[a-z_/]{1,32}|SPECIAL_[0-9]{1,5}|用户|AI"
)
"""A tokenizer's own, which are one text each."""
_OPEN_NAMES = (
    "think|thinking|tools?|tool_calls?|tool_responses?|tool_results?|tool_sep|arg_key|arg_value|role"
    "|function|function_calls?|function_results?|function_response|invoke|parameter"
)
"""A template's, which may have fields."""
_NAME = r"\w[\w.:▁-]"
_ANGLE = (
    rf"<(?=\|{_INSIDE}{{1,64}}\|>|\|{_NAME}{{0,39}}>|{_NAME}{{0,39}}\|>"
    rf"|/?\|\w{{1,40}}\|\w{_INSIDE}{{0,200}}>"
    rf"|/?(?:{_WHOLE_NAMES})\s?>"
    rf"|/?(?:[a-z]{{1,16}}:)?(?:{_OPEN_NAMES})(?:[\s=]{_INSIDE}{{0,200}})?>"
    r"|</?SYS>>)"
)
_SQUARE = (
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|gMASK)\]"
    r"|(?-i:/?(?:ARGS|CALL_ID|THINK|IMG|IMG_BREAK|IMG_END|PREFIX|SUFFIX|MIDDLE|MASK)\])"
    r"|\|[^\[\]|]{1,40}\|\]"
    r"|e~\["
    r"|\s{0,8}[0-9]{1,6}\s{0,8}\]\s{0,8}memory(?:-tainted)?\s{0,8}[·•∙⋅・])"
)
"""The last line is the header of one of our own items (spec 4.3), forged in a text."""
_CLOSING = r"\](?=~b\]|~!b\[)"
_SWITCH = r"/(?<!\S/)(?=(?:no_?)?think(?![\w/.-]))"
_HEADING = (
    r"#(?=##[ ]{0,4}(?:(?:Instruction|Response|Input)s?:"
    r"|(?:System|User|Human|Assistant)[ \t]{0,4}(?::|[\r\n]|(?![\s\S]))))"
)
_TURNS = ("Human:", "Assistant:", "ASSISTANT:", "USER:", "SYSTEM:", "GPT4 Correct (?:User|Assistant):")
_INDENT = 8
"""White space before what begins a line."""
_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


@cache
def _anywhere() -> tuple[re.Pattern[str], ...]:
    """Each matches a tag's first character and looks ahead at the rest; it begins with that character alone.

    So a search passes over ordinary text as quickly as it can be passed over.
    """
    return tuple(re.compile(text, re.IGNORECASE) for text in (_ANGLE, _SQUARE, _CLOSING, _SWITCH))


@cache
def _beginning_a_line() -> tuple[re.Pattern[str], ...]:
    return (re.compile(_HEADING, re.IGNORECASE), *(re.compile(turn) for turn in _TURNS))


def _begins_a_line(view: str, at: int) -> bool:
    indent = view[max(0, at - _INDENT) : at]
    before = at - len(indent) + len(indent.rstrip(" \t"))
    return before == 0 or view[before - 1] in _LINE_ENDS


def _tags(view: str) -> Iterator[int]:
    """The places of the tags' first characters, kind by kind."""
    for pattern in _anywhere():
        yield from (match.start() for match in pattern.finditer(view))
    for pattern in _beginning_a_line():
        places = (match.start() for match in pattern.finditer(view))
        yield from (place for place in places if _begins_a_line(view, place))


def has_tag(text: str) -> bool:
    """Whether the text holds a chat-template tag, or a forged header of an item, in its folded view."""
    return next(_tags(folded(text)), None) is not None


def neutralise(text: str) -> str:
    """The text with every tag broken by a visible mark; without one, the text itself. Idempotent."""
    starts = sorted(set(_tags(folded(text))))
    if not starts:
        return text
    places = origins(text)
    parts: list[str] = []
    last = 0
    for start in starts:
        after = places[start] + 1
        parts.append(text[last:after])
        last = after
    return MARK.join((*parts, text[last:]))
