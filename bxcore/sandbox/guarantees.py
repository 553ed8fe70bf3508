"""What a sandbox promises, each by the name that the owner may accept to do without (spec 2.5, 6.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Guarantee(StrEnum):
    """Proven by a probe at the start; the value stands in ``[containers] accept``."""

    NO_NEW_PRIVILEGES = "no-new-privileges"
    NO_CAPABILITIES = "no-capabilities"
    NO_NETWORK = "no-network"
    READ_ONLY_ROOT = "read-only-root"
    MEMORY_LIMIT = "memory-limit"
    PIDS_LIMIT = "pids-limit"


BUBBLEWRAP_LACKS = (Guarantee.MEMORY_LIMIT,)
"""What bubblewrap proves on no machine: it limits each process, not all of a run together."""


def accept_line(guarantees: Iterable[str]) -> str:
    """The line of ``boxmaker.toml`` that does without them, in declared order."""
    wanted = frozenset(guarantees)
    listed = ", ".join(f'"{each.value}"' for each in Guarantee if each.value in wanted)
    return f"[containers] accept = [{listed}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one probe proved. ``missing`` gives, for each guarantee that it could not, one sentence why."""

    proven: frozenset[Guarantee]
    missing: tuple[tuple[Guarantee, str], ...] = ()
