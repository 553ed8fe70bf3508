"""The hand-written pieces of the quality set, as they stand in the text files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KINDS = {"~": "paraphrase", "@": "name"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What was said once, and the questions on it as (kind, text)."""

    said: str
    reply: str
    questions: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What was said again and again as (said, reply); the questions hold WHEN."""

    entries: Sequence[tuple[str, str]]
    questions: Sequence[str]


def facts() -> list[Fact]:
    """Every fact of ``facts.txt``."""
    return [
        Fact(
            said=said(block)[0][0],
            reply=said(block)[0][1],
            questions=[(KINDS[line[0]], line[2:]) for line in block if line[0] in KINDS],
        )
        for block in blocks("facts.txt")
    ]


def series() -> list[Series]:
    """Every series of ``series.txt``."""
    return [
        Series(entries=said(block), questions=[line[2:] for line in block if line[0] == ">"])
        for block in blocks("series.txt")
    ]


def nothing() -> list[str]:
    """The questions with no right answer."""
    return [line for block in blocks("nothing.txt") for line in block]


def chatter() -> Mapping[str, Sequence[str]]:
    """Templates under ``said`` and ``reply``, and what fills a slot under the slot's name."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (line for block in blocks("chatter.txt") for line in block):
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        else:
            lines += [line] if line.endswith((".", "?")) else line.split(", ")
    return found


def said(block: Sequence[str]) -> list[tuple[str, str]]:
    parts = (line[2:].split(" | ") for line in block if line[0] == ":")
    return [(user, reply) for user, reply in parts]


def blocks(name: str) -> Iterator[list[str]]:
    """The file's parts between blank lines, without comments."""
    for part in (HERE / name).read_text("utf-8").split("\n\n"):
        lines = [line for line in part.splitlines() if line and not line.startswith("# ")]
        lines = [line for line in lines if not line.startswith("#")]
        if lines:
            yield lines
