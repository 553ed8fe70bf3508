"""One check of doctor: what was looked at, how it is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bxcore.control.answers import CheckJson


class Verdict(StrEnum):
    """``warn`` is for what works less well than it could; ``bad`` for what does not work."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """``sentence`` says how it is; ``help`` is a command or a step that helps, None when none is needed."""

    name: str
    verdict: Verdict
    sentence: str
    help: str | None = None


def check_json(check: Check) -> CheckJson:
    """Write a check for the wire and for ``--json``."""
    return {
        "name": check.name,
        "verdict": check.verdict.value,
        "sentence": check.sentence,
        "help": check.help,
    }
