"""Taking an edit back: exactly what it did, or a sentence that says what stands in its way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore import memory_entries
from bxcore.forgetting import FORGOTTEN
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import Edited, NotEdited
from bxcore.memory_known import Known
from bxcore.memory_revisions import Revision
from bxcore.memory_undo import undo


def revision(added: str = "", removed: str = "", undoes: int = 0) -> Revision:
    return Revision(
        file="user",
        who="session",
        at="",
        label=NEW_SESSION,
        removed=tuple(removed),
        added=tuple(added),
        undoes=undoes,
    )


def known(*revisions: Revision) -> Known:
    return Known.of(revisions)


def refused(found: Edited | NotEdited) -> str:
    assert isinstance(found, NotEdited)
    return found.sentence


def test_an_added_entry_goes() -> None:
    found = undo(known(revision("a"), revision("b")), 1, ("a", "b"))
    assert found == Edited(entries=("b",), removed=("a",))


def test_a_removed_entry_comes_back_at_the_end() -> None:
    found = undo(known(revision("a"), revision("b"), revision(removed="a")), 3, ("b",))
    assert found == Edited(entries=("b", "a"), added=("a",))


def test_a_replaced_entry_comes_back_in_its_place() -> None:
    found = undo(known(revision("a"), revision("b"), revision("c", removed="a")), 3, ("c", "b"))
    assert found == Edited(entries=("a", "b"), removed=("c",), added=("a",))


def test_a_consolidated_entry_gives_back_all_that_it_stands_for() -> None:
    found = undo(known(revision("abc"), revision("d", removed="ac")), 2, ("d", "b"))
    assert found == Edited(entries=("b", "a", "c"), removed=("d",), added=("a", "c"))


def test_a_later_edit_stands_in_the_way() -> None:
    replaced = known(revision("a"), revision("b", removed="a"))
    assert refused(undo(replaced, 1, ("b",))) == (
        'edit 1 cannot be undone, edit 2 stands in its way: "a" is no longer in user.md; undo that one first'
    )
    again = known(revision("a"), revision(removed="a"), revision("a"))
    assert refused(undo(again, 2, ("a",))) == (
        'edit 2 cannot be undone, edit 3 stands in its way: "a" is in user.md again; undo that one first'
    )


def test_an_edit_is_undone_once() -> None:
    twice = known(revision("a"), revision(removed="a", undoes=1))
    assert refused(undo(twice, 1, ())) == "edit 1 is undone already, by edit 2"


def test_what_does_not_fit_any_more_does_not_come_back() -> None:
    long = Revision(file="user", who="hand", at="", label=NEW_SESSION, removed=("x" * 900,))
    full = ("y" * 900,)
    assert "would hold 1804 of 1400 characters" in refused(undo(known(long), 1, full))


def test_what_was_forgotten_does_not_come_back() -> None:
    gone = Revision(file="user", who="hand", at="", label=NEW_SESSION, removed=(FORGOTTEN,))
    assert "was forgotten" in refused(undo(known(gone), 1, ()))


def test_an_undone_lifting_changes_no_entry() -> None:
    lifted = Revision(file="user", who="operator", at="", label=NEW_SESSION, lifted=("a",))
    assert undo(known(revision("a"), lifted), 2, ("a",)) == Edited(entries=("a",))


def test_a_lifting_is_done_anew_and_not_brought_back_by_undoing() -> None:
    lifted = Revision(file="user", who="operator", at="", label=NEW_SESSION, lifted=("a",))
    back = known(revision("a"), lifted, revision(undoes=2))
    assert (
        refused(undo(back, 3, ("a",))) == "edit 3 brought a label back; bxctl memory trust ID lifts it anew"
    )


def test_an_entry_that_took_in_another_one_gives_it_back() -> None:
    merged = known(revision("ab"), revision("a", removed="ab"))
    assert undo(merged, 2, ("a", "c")) == Edited(entries=("c", "a", "b"), removed=("a",), added=("a", "b"))


def test_an_undoing_is_undone_and_then_the_edit_again() -> None:
    folded = known(revision("a"))
    entries: tuple[str, ...] = ("a",)
    for number in (1, 2, 1):
        entries = taken(folded, undo(folded, number, entries), entries, undoes=number)
    assert entries == ()
    assert (folded.undone(1), folded.undone(2), folded.newest()) == (4, 3, 0)


edits = st.lists(
    st.tuples(st.sampled_from(["add", "replace", "remove"]), st.sampled_from("abcd")), max_size=8
)


@given(edits)
def test_undoing_the_newest_again_and_again_ends_where_it_all_began(plan: list[tuple[str, str]]) -> None:
    folded = Known()
    entries: tuple[str, ...] = ()
    for action, text in plan:
        match action:
            case "add":
                edited = memory_entries.add("user", entries, text)
            case "replace":
                edited = memory_entries.replace("user", entries, text, text.upper())
            case _:
                edited = memory_entries.remove("user", entries, text)
        entries = taken(folded, edited, entries)
    while number := folded.newest():
        edited = undo(folded, number, entries)
        assert isinstance(edited, Edited)
        entries = taken(folded, edited, entries, undoes=number)
    assert entries == ()


def taken(
    folded: Known, edited: Edited | NotEdited, entries: tuple[str, ...], undoes: int = 0
) -> tuple[str, ...]:
    if isinstance(edited, NotEdited):
        return entries
    folded.take(
        Revision(
            file="user",
            who="session",
            at="",
            label=NEW_SESSION,
            removed=edited.removed,
            added=edited.added,
            undoes=undoes,
        )
    )
    return edited.entries
