"""How long a text may be that is looked through for secrets (spec 1.7)."""

from __future__ import annotations

LONGEST = 2_000_000
"""Characters of the longest text that is read at all."""
