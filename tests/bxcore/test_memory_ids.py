"""Ids of entries: short, stable, and over the exact bytes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bxcore.memory_ids import LENGTH, entry_id

texts = st.text(max_size=40)


@given(texts)
def test_an_id_can_be_typed_on_a_phone(text: str) -> None:
    assert re.fullmatch(f"[a-z2-7]{{{LENGTH}}}", entry_id("notes", text))


@given(texts, texts)
def test_another_text_has_another_id(one: str, other: str) -> None:
    assert (entry_id("notes", one) == entry_id("notes", other)) == (one == other)


def test_the_same_text_in_another_file_has_another_id() -> None:
    assert entry_id("notes", "tea") != entry_id("user", "tea")


def test_an_id_is_the_same_in_every_process() -> None:
    assert entry_id("notes", "tea") == "kkoepy"
