"""Every target, by name once."""

from __future__ import annotations

from tools.fuzz import targets_calls, targets_doors, targets_logs
from tools.fuzz.target import Target

TARGETS: tuple[Target, ...] = (*targets_calls.TARGETS, *targets_logs.TARGETS, *targets_doors.TARGETS)
