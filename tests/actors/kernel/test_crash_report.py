"""A crash's line: types and places, never values."""

from __future__ import annotations

import pytest

from actors.base import Refusal
from actors.kernel.crash_report import causes, frames


def two_errors(secret: str) -> None:
    try:
        {"": 0}[secret]
    except KeyError:
        raise ValueError(secret)  # noqa: B904 - the implicit context is what is looked at


def caught(secret: str) -> BaseException:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - its text is the secret
        two_errors(secret)
    return raised.value


def test_the_causes_are_named_by_type() -> None:
    assert list(causes(caught("secret"))) == ["ValueError", "KeyError"]
    error = ValueError("secret")
    error.__cause__ = Refusal("shown")
    assert list(causes(error)) == ["ValueError", "shown"]


def test_a_hidden_context_stays_hidden_and_a_circle_ends() -> None:
    hidden = caught("secret")
    hidden.__suppress_context__ = True
    assert list(causes(hidden)) == ["ValueError"]
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert list(causes(first)) == ["ValueError", "KeyError"]


def test_frames_are_places_innermost_first_and_not_without_end() -> None:
    inner, outer = frames(caught("secret").__traceback__)
    assert inner.startswith("test_crash_report.py:")
    assert inner.endswith(" two_errors")
    assert outer.endswith(" caught")

    def deep(levels: int) -> None:
        if levels == 0:
            raise ValueError
        deep(levels - 1)

    with pytest.raises(ValueError) as raised:  # noqa: PT011 - it has no text
        deep(40)
    assert len(frames(raised.tb)) == 12
