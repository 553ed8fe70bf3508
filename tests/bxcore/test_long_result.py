from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bxcore.long_result import MAX_RESULT, cut_middle


def test_a_result_of_16000_characters_goes_back_as_it_is() -> None:
    text = "é" * 16_000
    assert cut_middle(text) == text
    assert MAX_RESULT == 16_000


def test_a_longer_one_is_cut_in_the_middle_and_the_cut_is_said() -> None:
    cut = cut_middle("a" * 10_000 + "b" * 10_000)
    assert len(cut) <= 16_000
    found = re.fullmatch(r"(a+)\n\[(\d+) characters are cut here\]\n(b+)", cut)
    assert found is not None
    assert len(found[1]) + int(found[2]) + len(found[3]) == 20_000


@given(st.text(max_size=300), st.integers(60, 200))
def test_what_is_left_is_the_beginning_and_the_end(text: str, limit: int) -> None:
    cut = cut_middle(text, limit)
    assert len(cut) <= limit
    if len(text) <= limit:
        assert cut == text
    else:
        head, tail = re.split(r"\n\[\d+ characters are cut here\]\n", cut, maxsplit=1)
        assert text.startswith(head)
        assert text.endswith(tail)
