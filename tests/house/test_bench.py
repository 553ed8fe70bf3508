"""The benchmark's own rules: how a row is judged, and that every row is explained."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import run
from bench.row import Row, percentile
from tests.house.source import ROOT

KEYS = ["row", "value", "unit", "reference", "reference_value", "ratio", "goal", "ok"]


def row(value: float, reference: float, of: Literal["value", "ratio"] = "value") -> Row:
    return Row(row="r", value=value, unit="ms", reference="bare", reference_value=reference, goal=2.0, of=of)


def test_a_row_is_one_line_with_every_key_in_order() -> None:
    line = row(1.23456, 0.5).line()
    assert "\n" not in line
    assert list(json.loads(line)) == KEYS
    assert json.loads(line) | {"goal": ""} == {
        "row": "r", "value": 1.235, "unit": "ms", "reference": "bare", "reference_value": 0.5, "ratio": 2.469,
        "goal": "", "ok": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "of", "ok"),
    [(2.0, "value", True), (2.1, "value", False), (6.0, "ratio", True), (6.1, "ratio", False)],
)
def test_a_goal_bounds_the_value_or_the_ratio(value: float, of: Literal["value", "ratio"], ok: bool) -> None:  # noqa: FBT001
    assert row(value, 3.0, of=of).ok is ok


def test_a_reference_of_nothing_gives_no_ratio_and_meets_no_goal_on_it() -> None:
    empty = row(1.0, 0.0, of="ratio")
    assert empty.ratio is None
    assert not empty.ok


@given(st.lists(st.integers(), min_size=1), st.integers(1, 100))
def test_a_percentile_is_the_least_sample_with_so_many_at_or_below(samples: list[int], percent: int) -> None:
    found = percentile(samples, percent)
    share = percent / 100 * len(samples)
    assert sum(sample <= found for sample in samples) >= share
    assert sum(sample < found for sample in samples) < share


def test_every_row_is_explained() -> None:
    page = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")
    assert [name for name in run.names() if f"`{name}`" not in page] == []


def test_an_unknown_row_is_refused_with_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["no_such_row"]) == 2
    assert "no row is named no_such_row; the rows are" in capsys.readouterr().err
