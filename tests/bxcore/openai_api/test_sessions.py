from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bxcore import session_ids
from bxcore.openai_api.sessions import session_id, session_of

VALID = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True)
NAMES = st.text(max_size=80) | VALID


@pytest.mark.parametrize(
    ("header", "user", "session"),
    [
        ("kitchen", "anna", "kitchen"),
        (None, "anna", "anna"),
        ("", "anna", "anna"),
        (None, None, "api"),
        (None, "", "api"),
    ],
)
def test_the_header_goes_before_the_user_and_the_user_before_the_default(
    header: str | None, user: str | None, session: str
) -> None:
    assert session_of(header, user) == session


@given(NAMES)
@example("")
@example("\ud800")
@example("x" * 65)
def test_any_name_has_a_valid_id(name: str) -> None:
    assert session_ids.problem(session_id(name)) is None


@given(VALID)
def test_a_valid_id_is_its_own_unless_it_ends_as_a_made_one(name: str) -> None:
    assert session_id(name) == name or name[-28:-26] == "__"


@given(st.lists(NAMES, unique=True, min_size=2, max_size=5))
def test_two_names_have_two_ids(names: list[str]) -> None:
    assert len({session_id(name) for name in names}) == len(names)


@given(NAMES)
@example("Anna@example.org")
def test_a_made_id_is_no_names_own(name: str) -> None:
    """Else whoever is called as another one's made id would be in that one's session."""
    made = session_id(name)
    assert made == name or session_id(made) != made


def test_what_is_readable_of_a_name_stays() -> None:
    made = session_id("Anna@Example.org")
    assert made.startswith("anna-example-org__")
    assert made == session_id("Anna@Example.org")
    assert made != session_id("anna@example.org")
    assert session_id("日本").startswith("user__")
    assert session_id("-a" * 60).startswith("a-a-")
