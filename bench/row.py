"""A row of the benchmark, and how it is judged against its reference and its goal."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured figure; the goal bounds the value or, with ``of="ratio"``, the ratio."""

    row: str
    value: float
    unit: str
    reference: str
    reference_value: float
    goal: float
    of: Literal["value", "ratio"] = "value"

    @property
    def ratio(self) -> float | None:
        """The value as a multiple of the reference's, None when there is nothing to divide by."""
        return self.value / self.reference_value if self.reference_value else None

    @property
    def ok(self) -> bool:
        """Whether the goal is met; every goal is an upper bound."""
        judged = self.value if self.of == "value" else self.ratio
        return judged is not None and judged <= self.goal

    def line(self) -> str:
        """Write the row as one line of JSON, figures to four digits."""
        bound = (
            f"<= {self.goal:g} {self.unit}" if self.of == "value" else f"<= {self.goal:g} times the reference"
        )
        return json.dumps(
            {
                "row": self.row,
                "value": _short(self.value),
                "unit": self.unit,
                "reference": self.reference,
                "reference_value": _short(self.reference_value),
                "ratio": None if self.ratio is None else _short(self.ratio),
                "goal": bound,
                "ok": self.ok,
            }
        )


def _short(figure: float) -> float:
    return float(f"{figure:.4g}")


def percentile(samples: Sequence[float], percent: float) -> float:
    """Return the sample at or below which ``percent`` of all samples lie (nearest rank, of at least one)."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
