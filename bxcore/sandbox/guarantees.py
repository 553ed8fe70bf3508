"""What a sandbox promises, each by the name that the owner may accept to do without (spec 2.5, 6.2)."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one probe proved. ``missing`` gives, for each guarantee that it could not, one sentence why."""

    proven: frozenset[Guarantee]
    missing: tuple[tuple[Guarantee, str], ...] = ()
