"""Malformed tool calls made sound, or left as they are for the argument reader to refuse (spec 3.3).

A call is also found where a model wrote it as text, in the forms of the common families:
``<tool_call>{…}</tool_call>`` (Hermes, Qwen), ``[TOOL_CALLS]`` (Mistral), ``<|python_tag|>`` and
``<function=NAME>`` (Llama, Qwen coder), ``<|tool_call|>`` (Phi, Granite), a fenced block, and bare JSON. The
last two are common in plain replies too, so they count only as the whole text, and only for a tool that there
is or that has nearly this name. A form that a reply only talks about is no call: one in quotes or in a fenced
block, or with words behind it on its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bxcore.args import ARGUMENT_TYPES
from bxcore.did_you_mean import nearest
from bxcore.model.lenient_json import MAX_TEXT, read_object

MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=", "<|tool_call|>")
"""Where a call written as text begins, in any place of a text."""

_HERMES = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^>\s]{1,64})>(.*?)(?:</function>|(?=<function=)|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]{1,64})>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_MISTRAL = re.compile(
    r"\[TOOL_CALLS\]\s{0,9}([\w.-]{1,64})\s{0,9}(?:\[ARGS\])?(\{.*?)(?=\[TOOL_CALLS\]|\Z)", re.DOTALL
)
_TAGGED = re.compile(r"<\|(?:python_tag|tool_call)\|>(.*?)(?:<\|/tool_call\|>|\Z)", re.DOTALL)
_MARK = re.compile("|".join(re.escape(mark) for mark in MARKS))
_CLOSERS = ("</tool_call>", "</function>", "<|/tool_call|>")
MOST_MARKS = 8
"""Places of a text that are looked at; a text that names the forms more often is about them."""
_QUOTES = "`'\"("
_FENCE = "```"
_BETWEEN = re.compile(r"\}\s{0,9};\s{0,9}\{")
_FENCED_AS = ("json", "tool_call", "tool_code", "")


@dataclass(frozen=True, slots=True)
class Written:
    """A call found in a text; it has no id yet."""

    name: str
    arguments: str


def sound_arguments(arguments: object) -> str:
    """A call's arguments as the text of one JSON object where that is plain, else as they came.

    An object in place of a text is written out, a text encoded twice is decoded, slips are mended, and
    nothing at all means no arguments.
    """
    if arguments is None or arguments == "":
        return "{}"
    if not isinstance(arguments, str):
        return json.dumps(arguments, ensure_ascii=False)
    if _is_object(arguments):
        return arguments
    found = read_object(_unfenced(arguments.strip()))
    return arguments if found is None else json.dumps(found, ensure_ascii=False)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def calls_in_text(text: str, tools: Collection[str]) -> tuple[str, tuple[Written, ...]]:
    """The text before the calls, and the calls; the whole text and none when it holds no call."""
    if len(text) > MAX_TEXT:
        return text, ()
    whole = _unfenced(text.strip())
    for mark in islice(_MARK.finditer(text if whole == text.strip() else whole), MOST_MARKS):
        found = _meant(mark.string, mark.start())
        if found:
            return mark.string[: mark.start()].rstrip(), found
    bare = tuple(_bare(whole))
    return ("", bare) if bare and _all_known(bare, tools) else (text, ())


def _all_known(calls: Sequence[Written], tools: Collection[str]) -> bool:
    """Whether each call names a tool that there is, or nearly so: then the model hears which one it is."""
    known = {*tools, *ARGUMENT_TYPES}
    return all(
        call.name in known or (_is_object(call.arguments) and nearest(call.name, known) is not None)
        for call in calls
    )


def _meant(text: str, at: int) -> tuple[Written, ...]:
    """The calls from the mark at ``at`` on; none when the text only talks about such a call."""
    before = text[:at]
    if before[-1:] in tuple(_QUOTES) or before.count(_FENCE) % 2:
        return ()
    calls = tuple(_marked(text[at:]))
    opens_a_line = not before.rpartition("\n")[2].strip()
    behind = _behind(text[at:])
    if opens_a_line:
        behind = behind.partition("\n")[0]
    elif not all(_is_object(call.arguments) for call in calls):
        return ()
    return () if behind.strip() else calls


def _behind(text: str) -> str:
    """What stands behind the last call's closing tag."""
    ends = [at + len(tag) for tag in _CLOSERS if (at := text.rfind(tag)) >= 0]
    behind = text[max(ends) :].lstrip(" \t") if ends else ""
    return "" if _MARK.match(behind) else behind  # a last call that nothing closes


def _unfenced(text: str) -> str:
    """What stands in the one fenced block that the text is, else the text."""
    head, _, rest = text.partition("\n")
    fenced = head.startswith(_FENCE) and head.removeprefix(_FENCE).strip() in _FENCED_AS
    inner = rest.removesuffix(_FENCE)
    return inner.strip() if fenced and text.endswith(_FENCE) and _FENCE not in inner else text


def _marked(text: str) -> Iterator[Written]:
    if text.startswith("<tool_call>"):
        for match in _HERMES.finditer(text):
            inner = match.group(1)
            tagged = "<function=" in inner and not inner.lstrip().startswith(("{", "["))
            yield from _functions(inner) if tagged else _bare(inner)
    elif text.startswith("<function="):
        yield from _functions(text)
    elif text.startswith("<|"):
        for match in _TAGGED.finditer(text):
            yield from _bare(match.group(1))
    else:
        named = [
            Written(match.group(1), sound_arguments(match.group(2).strip()))
            for match in _MISTRAL.finditer(text)
        ]
        yield from named or _bare(text.removeprefix("[TOOL_CALLS]"))


def _functions(text: str) -> Iterator[Written]:
    for match in _FUNCTION.finditer(text):
        name, inner = match.groups()
        if "<parameter=" in inner:
            values = {key: value.strip("\n") for key, value in _PARAMETER.findall(inner)}
            yield Written(name, json.dumps(values, ensure_ascii=False))
        else:
            yield Written(name, sound_arguments(inner.strip()))


def _bare(text: str) -> Iterator[Written]:
    """Calls in JSON: one object, a list of them, or one after the other on lines or behind semicolons."""
    text = text.strip()
    whole = _list(text) if text.startswith("[") else None
    objects = whole if whole is not None else [read_object(text)]
    if objects == [None]:
        lines = _BETWEEN.sub("}\n{", text).splitlines()
        objects = [read_object(line) for line in lines if line.strip()]
    calls = [_as_call(each) for each in objects]
    if calls and all(calls):
        yield from (call for call in calls if call)


def _list(text: str) -> list[Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _as_call(value: Any) -> Written | None:
    """``{"name", "arguments"}`` and its cousins; any other object is no call."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in ("name", "tool", "function") if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in ("arguments", "parameters", "args") if key in value), None)
    if not name or (given is None and len(value) > 1):
        return None
    return Written(name, sound_arguments(given))
