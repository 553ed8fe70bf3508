"""Malformed tool calls made sound, or left as they are for the argument reader to refuse (spec 3.3).

A call is also found where a model wrote it as text, in the forms of the common families:
``<tool_call>{…}</tool_call>`` (Hermes, Qwen), ``[TOOL_CALLS]`` (Mistral), ``<|python_tag|>`` and
``<function=NAME>`` (Llama, Qwen coder), a fenced block, and bare JSON. The last two are common in plain
replies too, so they count only as the whole text, and only for a tool that is offered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from bxcore.model.lenient_json import MAX_TEXT, read_object

MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=")
"""Where a call written as text begins, in any place of a text."""

_HERMES = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^>\s]{1,64})>(.*?)(?:</function>|(?=<function=)|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]{1,64})>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_MISTRAL = re.compile(
    r"\[TOOL_CALLS\]\s{0,9}([\w.-]{1,64})\s{0,9}(?:\[ARGS\])?(\{.*?)(?=\[TOOL_CALLS\]|\Z)", re.DOTALL
)
_FENCE = "```"
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
    found = read_object(arguments)
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
    starts = [at for mark in MARKS if (at := text.find(mark)) >= 0]
    if starts:
        found = tuple(_marked(text[min(starts) :]))
        return (text[: min(starts)].rstrip(), found) if found else (text, ())
    found = tuple(_bare(_unfenced(text.strip())))
    offered = found and all(call.name in tools for call in found)
    return ("", found) if offered else (text, ())


def _unfenced(text: str) -> str:
    """What stands in the one fenced block that the text is, else the text."""
    head, _, rest = text.partition("\n")
    fenced = head.startswith(_FENCE) and head.removeprefix(_FENCE).strip() in _FENCED_AS
    return rest.removesuffix(_FENCE) if fenced and text.endswith(_FENCE) else text


def _marked(text: str) -> Iterator[Written]:
    if text.startswith("<tool_call>"):
        for match in _HERMES.finditer(text):
            inner = match.group(1)
            tagged = "<function=" in inner and not inner.lstrip().startswith(("{", "["))
            yield from _functions(inner) if tagged else _bare(inner)
    elif text.startswith("<function="):
        yield from _functions(text)
    elif text.startswith("<|python_tag|>"):
        yield from _bare(text.removeprefix("<|python_tag|>"))
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
    """Calls in JSON: one object, a list of them, or one after the other on lines."""
    text = text.strip()
    whole = _list(text) if text.startswith("[") else None
    objects = whole if whole is not None else [read_object(text)]
    if objects == [None]:
        objects = [read_object(line) for line in text.splitlines() if line.strip()]
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
