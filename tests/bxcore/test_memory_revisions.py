from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import memory_revisions
from bxcore.labels import NEW_SESSION, TOP, Label, Level, join
from bxcore.memory_revisions import Known, Revision

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
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
        who=st.sampled_from(["session", "hand"]),
        at=st.text(),
        label=labels,
        removed=texts,
        added=texts,
        session=st.text(),
        turn=st.integers(),
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


def test_a_note_keeps_the_label_of_the_session_that_wrote_it() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), edit("b")])
    assert known.entries["notes"] == ("a", "b")
    assert known.label("notes", "a") == UNTRUSTED
    assert known.label("notes", "b") == NEW_SESSION


def test_what_replaces_an_untrusted_note_is_untrusted() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), edit("b", removed="a")])
    assert known.label("notes", "b") == UNTRUSTED


def test_a_note_that_was_removed_and_comes_again_is_still_untrusted() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), edit(removed="a"), edit("a")])
    assert known.label("notes", "a") == UNTRUSTED


def test_the_same_text_in_another_file_has_a_label_of_its_own() -> None:
    assert Known.of([edit("a", label=UNTRUSTED)]).label("memory", "a") == NEW_SESSION


def test_a_person_who_mends_an_untrusted_note_does_not_lift_its_label() -> None:
    known = Known.of([edit("ab", label=UNTRUSTED)])
    revision = known.by_hand("notes", ("a", "c"), "2026-11-03")
    assert revision is not None
    assert (revision.who, revision.removed, revision.added) == ("hand", ("b",), ("c",))
    known.take(revision)
    assert known.label("notes", "c") == UNTRUSTED


def test_an_entry_that_a_person_only_adds_or_only_removes_is_an_edit() -> None:
    known = Known.of([edit("a")])
    for found, removed, added in ((("a", "b"), (), ("b",)), ((), ("a",), ())):
        revision = known.by_hand("notes", found, "2026-11-03")
        assert revision is not None
        assert (revision.removed, revision.added) == (removed, added)


def test_a_file_in_another_order_is_no_edit() -> None:
    assert Known.of([edit("ab")]).by_hand("notes", ("b", "a", "a"), "") is None


@given(
    st.lists(st.builds(edit, st.sampled_from(["", "a", "b", "ab"]), st.sampled_from(["", "a", "b"]), labels))
)
def test_no_label_ever_falls(revisions: list[Revision]) -> None:
    known = Known()
    for revision in revisions:
        before = dict(known.labels)
        known.take(revision)
        for key, label in before.items():
            assert known.labels[key] == join(known.labels[key], label)
        for text in revision.added:
            assert known.label("notes", text) == join(known.label("notes", text), revision.label)
