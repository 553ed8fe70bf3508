"""Every target, by name once."""

from __future__ import annotations

from tools.fuzz import targets_answers, targets_calls, targets_doors, targets_logs, targets_policy
from tools.fuzz.target import Target

TARGETS: tuple[Target, ...] = (
    *targets_calls.TARGETS,
    *targets_policy.TARGETS,
    *targets_logs.TARGETS,
    *targets_answers.TARGETS,
    *targets_doors.TARGETS,
)
