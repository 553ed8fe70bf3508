"""What kind of file an import is: notes in Markdown, or messages in JSON."""

from __future__ import annotations

import json
from typing import Any

from bxcore.imports.markdown import entries
from bxcore.imports.messages import conversations
from bxcore.imports.values import Imported

MAX_BYTES = 100_000_000
_NOTES = (".md", ".markdown", ".txt")
_MESSAGES = (".json", ".jsonl", ".ndjson")
_SHOWN = 10


def takes(name: str) -> bool:
    """Whether a file of that name is taken for notes or messages by its ending."""
    return name.lower().endswith((*_NOTES, *_MESSAGES))


def read(name: str, data: bytes) -> Imported:
    """Read a file of that name. Never raises: what cannot be read is a sentence in ``problems``."""
    if len(data) > MAX_BYTES:
        return _refused(f"{name} has {len(data)} bytes and an import takes {MAX_BYTES}; split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _refused(f"{name} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8")
    lower = name.lower()
    if lower.endswith(_NOTES):
        return Imported(entries=entries(text))
    if lower.endswith(_MESSAGES) or text.lstrip()[:1] in {"[", "{"}:
        return _of_json(name, text)
    return _refused(f"{name} is neither Markdown (.md, .txt) nor messages (.json, .jsonl); rename it")


def _of_json(name: str, text: str) -> Imported:
    try:
        found: Any = json.loads(text)
    except RecursionError:
        return _refused(f"{name} is nested too deeply to be read")
    except ValueError as error:
        found, bad = _lines(text)
        if not found:
            return _refused(f"{name} is no JSON: {_why(error)}; export it again")
        if bad:
            more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
            lines = ", ".join(map(str, bad[:_SHOWN]))
            return _refused(
                f"{name} has lines that are no JSON: {lines}{more}; mend them, or export it again"
            )
    return conversations(name, found)


def _why(error: ValueError) -> str:
    """Python's own words for a number of thousands of digits tell how to let it read one."""
    return str(error) if isinstance(error, json.JSONDecodeError) else "a number in it is too long"


def _lines(text: str) -> tuple[list[Any], list[int]]:
    """The values of a file with one a line, and the numbers of the lines that are none, from 1."""
    found, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                value = json.loads(line)
                found.append(value)
        except (ValueError, RecursionError):
            bad.append(number)
    return [each for each in found if isinstance(each, (dict, list))], bad


def _refused(sentence: str) -> Imported:
    return Imported(problems=(sentence,))
