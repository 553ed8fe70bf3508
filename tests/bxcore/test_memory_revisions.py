from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import memory_revisions
from bxcore.labels import NEW_SESSION, TOP, Label, Level
from bxcore.memory_revisions import Revision

texts = st.lists(st.sampled_from("abcde"), unique=True, max_size=3).map(tuple)
labels = st.builds(Label, st.sampled_from(Level), st.booleans())


def edit(added: str = "", removed: str = "", label: Label = NEW_SESSION) -> Revision:
    return Revision(
        file="notes",
        who="session",
        at="2026-11-02T10:00:00+00:00",
        label=label,
        removed=tuple(removed),
        added=tuple(added),
        session="k3f",
        turn=4,
    )


@given(
    st.builds(
        Revision,
        file=st.just("notes"),
        who=st.sampled_from(["session", "hand", "operator", "import", "unknown"]),
        at=st.text(),
        label=labels,
        removed=texts,
        added=texts,
        session=st.text(),
        turn=st.integers(),
        undoes=st.integers(0, 99),
        lifted=texts,
    )
)
def test_what_is_dumped_is_parsed_again(revision: Revision) -> None:
    line = memory_revisions.dump(revision)
    assert line.isascii()
    assert memory_revisions.parse(line) == revision


def test_a_revision_without_a_label_is_at_the_top() -> None:
    found = json.loads(memory_revisions.dump(edit("a")))
    del found["class"], found["untrusted"]
    assert memory_revisions.parse(json.dumps(found)).label == TOP


@pytest.mark.parametrize("line", ["{}", "[]", "1", '{"file":1', '{"removed":1}'])
def test_a_line_that_is_no_revision_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        memory_revisions.parse(line)


def test_a_revision_of_before_is_read() -> None:
    line = (
        '{"file":"notes","who":"hand","at":"","session":"","turn":0,"class":"private","untrusted":false,'
        '"removed":[],"added":["a"]}'
    )
    found = memory_revisions.parse(line)
    assert (found.undoes, found.lifted, found.added) == (0, (), ("a",))


@pytest.mark.parametrize(
    ("who", "origin"),
    [("session", "session k3f turn 4"), ("hand", "by hand"), ("operator", "operator"), ("import", "import")],
)
def test_an_origin_says_who_made_it(who: memory_revisions.Who, origin: str) -> None:
    assert replace(edit("a"), who=who).origin == origin
