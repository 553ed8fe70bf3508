"""What the sequence of revisions says: labels never fall but by an operator's word over the exact bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.forgetting import FORGOTTEN
from bxcore.labels import NEW_SESSION, Label, Level, join
from bxcore.memory_known import Known
from bxcore.memory_revisions import Revision, blanked, is_blank

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
texts = st.lists(st.sampled_from("abcde"), unique=True, max_size=3).map(tuple)
labels = st.builds(Label, st.sampled_from(Level), st.booleans())


def edit(added: str = "", removed: str = "", label: Label = NEW_SESSION, undoes: int = 0) -> Revision:
    return Revision(
        file="notes",
        who="session",
        at="2026-11-02T10:00:00+00:00",
        label=label,
        removed=tuple(removed),
        added=tuple(added),
        session="k3f",
        turn=4,
        undoes=undoes,
    )


def lift(text: str) -> Revision:
    return Revision(file="notes", who="operator", at="", label=NEW_SESSION, lifted=(text,))


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
        before = {text: known.label("notes", text) for text in "ab"}
        known.take(revision)
        for text, label in before.items():
            assert join(label, known.label("notes", text)) == known.label("notes", text)


def test_an_operator_lifts_the_label_of_the_exact_bytes_alone() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), edit("b", label=UNTRUSTED), lift("a")])
    assert (known.label("notes", "a"), known.label("notes", "b")) == (NEW_SESSION, UNTRUSTED)
    assert known.is_lifted("notes", "a")
    assert not known.is_lifted("memory", "a")


def test_what_takes_the_place_of_a_lifted_entry_has_its_old_label() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), lift("a"), edit("b", removed="a")])
    assert known.label("notes", "b") == UNTRUSTED


def test_a_lifted_entry_that_goes_and_comes_again_is_not_lifted() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), lift("a"), edit(removed="a"), edit("a")])
    assert known.label("notes", "a") == UNTRUSTED


def test_an_undone_lifting_is_none() -> None:
    undone = Revision(file="notes", who="operator", at="", label=NEW_SESSION, undoes=2)
    assert Known.of([edit("a", label=UNTRUSTED), lift("a"), undone]).label("notes", "a") == UNTRUSTED


def test_what_an_undoing_brings_back_has_the_label_that_it_went_with() -> None:
    known = Known.of([edit("a"), edit("b", removed="a", label=UNTRUSTED), edit("a", removed="b", undoes=2)])
    assert known.label("notes", "a") == NEW_SESSION
    assert known.label("notes", "b") == UNTRUSTED


def test_a_lifted_entry_has_the_label_that_it_came_with_when_it_is_edited() -> None:
    known = Known.of([edit("a", label=UNTRUSTED), lift("a")])
    assert (known.label("notes", "a"), known.came_with("notes", "a")) == (NEW_SESSION, UNTRUSTED)


def test_what_an_undoing_brings_back_is_by_who_wrote_it() -> None:
    undoing = Revision(file="notes", who="operator", at="", label=NEW_SESSION, added=("a",), undoes=2)
    origin = Known.of([edit("a"), edit(removed="a"), undoing]).origin("notes", "a")
    assert origin is not None
    assert origin.origin == "session k3f turn 4"


def test_an_entry_knows_who_brought_it_last() -> None:
    known = Known.of([edit("a"), Revision(file="notes", who="hand", at="", label=NEW_SESSION, added=("b",))])
    origins = [known.origin("notes", text) for text in "abc"]
    assert [origin and origin.origin for origin in origins] == ["session k3f turn 4", "by hand", None]


def test_the_newest_edit_is_one_that_was_not_undone() -> None:
    assert Known().newest() == 0
    known = Known.of([edit("a"), edit("b"), edit(removed="b", undoes=2)])
    assert (known.newest(), known.undone(2), known.undone(1)) == (1, 3, 0)


def test_an_edit_whose_undoing_was_taken_back_holds_again() -> None:
    known = Known.of([edit("a"), edit(removed="a", undoes=1), edit("a", undoes=2)])
    assert (known.newest(), known.undone(1), known.undone(2)) == (1, 0, 3)


def test_an_edit_of_something_forgotten_is_passed_over_by_undo() -> None:
    known = Known.of([edit("a"), Revision(file="notes", who="hand", at="", label=NEW_SESSION)])
    known.take(Revision(file="notes", who="operator", at="", label=NEW_SESSION, removed=(FORGOTTEN,)))
    assert known.newest() == 2


def test_what_touched_an_entry_later_is_the_newest_that_did_in_its_file() -> None:
    elsewhere = Revision(file="user", who="hand", at="", label=NEW_SESSION, added=("a",))
    known = Known.of([edit("a"), edit("b", removed="a"), edit("a"), edit("c"), elsewhere])
    assert [known.later(1, "notes", text) for text in "abcd"] == [3, 2, 4, 0]
    assert known.later(3, "notes", "a") == 0


revisions = st.lists(
    st.builds(
        lambda added, removed, label, lifted: Revision(
            file="notes", who="session", at="", label=label, added=added, removed=removed, lifted=lifted
        ),
        texts,
        texts,
        labels,
        texts,
    ),
    max_size=8,
)


@given(revisions, st.sets(st.sampled_from("abcde")), st.sets(st.sampled_from("abcde")))
def test_forgetting_some_texts_changes_nothing_of_all_others(
    edits: list[Revision], some: set[str], more: set[str]
) -> None:
    before = Known.of(edits)
    left = blanked(blanked(edits, some.__contains__), more.__contains__)
    after = Known.of(left)
    gone = some | more
    assert not gone & {text for each in left for text in (*each.added, *each.removed, *each.lifted)}
    for text in set("abcde") - gone:
        assert after.label("notes", text) == before.label("notes", text)
        assert after.is_lifted("notes", text) == before.is_lifted("notes", text)
        origins = [known.origin("notes", text) for known in (before, after)]
        assert [origin is None for origin in origins] in ([True, True], [False, False])
    names = [text for text in before.entries.get("notes", ()) if text not in gone]
    assert [text for text in after.entries.get("notes", ()) if not is_blank(text)] == names
    assert [(each.label, each.at) for each in left] == [(each.label, each.at) for each in edits]


def test_each_forgotten_text_has_a_name_of_its_own() -> None:
    edits = [edit("a", label=UNTRUSTED), edit("b"), edit("c", removed="b"), edit("a", removed="c")]
    left = blanked(edits, "ab".__contains__)
    assert [each.added for each in left] == [
        ("(forgotten 1)",),
        ("(forgotten 2)",),
        ("c",),
        ("(forgotten 1)",),
    ]
    assert Known.of(left).label("notes", "c") == NEW_SESSION, "not that of another forgotten text"
    again = blanked(left, lambda text: text == "c" or "1" in text)
    assert [each.added[0] for each in again] == [
        "(forgotten 1)",
        "(forgotten 2)",
        "(forgotten 3)",
        "(forgotten 1)",
    ]


def test_places_name_texts_and_no_text_that_is_gone() -> None:
    known = Known.of([edit("ab"), edit("c", removed="a"), lift("b"), edit("", removed="b")])
    places = known.places("ab".__contains__)
    assert places == (
        (1, "added", 0),
        (1, "added", 1),
        (2, "removed", 0),
        (3, "lifted", 0),
        (4, "removed", 0),
    )
    assert known.texts_at(places) == {"a", "b"}
    assert known.texts_at([(1, "added", 1)]) == {"b"}
    assert known.texts_at([(9, "added", 0), (0, "added", 0), (1, "added", 7), (1, "x", 0)]) == frozenset()
    left = Known.of(blanked(known.revisions, "ab".__contains__))
    assert (left.places(lambda _: True), left.texts_at(places)) == (((2, "added", 0),), frozenset())
