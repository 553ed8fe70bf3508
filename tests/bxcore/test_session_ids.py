"""Session names: what a folder and a phone can take."""

import pytest

from bxcore.session_ids import problem


@pytest.mark.parametrize("name", ["a", "0", "k3f", "a-b_c", "9" * 64])
def test_a_plain_name_is_taken(name: str) -> None:
    assert problem(name) is None


@pytest.mark.parametrize("name", ["", "-a", "_", "A", "a b", "a/b", ".", "a.b", "ä", "a\n", "9" * 65])
def test_any_other_is_refused_with_what_to_do(name: str) -> None:
    assert problem(name) == (
        "a session's name has 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit; choose another"
    )
