"""Memory in words: what is shown fits a terminal, and says label and origin where they matter."""

from __future__ import annotations

import pytest

from bxcore.control.memory import EntryJson, FileJson, ForgetJson, ImportJson, OutboxJson
from bxctl import memory_text

PRIVATE = {"class": "private", "untrusted": False}


def entry(text: str, **changed: object) -> EntryJson:
    fields = {"id": "abcdef", "text": text, "label": PRIVATE, "origin": "by hand", "at": "", "lifted": False}
    return {**fields, **changed}  # type: ignore[typeddict-item]  # fields of a test


def file(name: str, *entries: EntryJson) -> FileJson:
    return {"file": name, "path": f"/m/{name}.md", "size": 9, "limit": 1400, "entries": list(entries)}


def test_an_entry_shows_its_id_text_and_origin() -> None:
    shown = memory_text.files([file("user", entry("likes tea\nand cake"))])
    assert shown.splitlines()[1:] == ["abcdef  likes tea", "        and cake", "        by hand"]


def test_a_label_is_shown_when_it_is_not_the_usual_one() -> None:
    untrusted = entry("x", label={"class": "secret", "untrusted": True})
    assert "by hand, secret, untrusted" in memory_text.files([file("notes", untrusted)])
    assert "by hand, label lifted" in memory_text.files([file("notes", entry("x", lifted=True))])


def test_a_long_entry_is_broken_to_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    shown = memory_text.files([file("user", entry("word " * 60))])
    assert max(map(len, shown.splitlines()[1:])) <= 50


def test_an_overview_has_both_files_and_counts_the_notes() -> None:
    shown = memory_text.overview(
        [file("memory"), file("user", entry("likes tea")), file("notes", entry("a"))]
    )
    assert shown.startswith("user.md")
    assert "memory.md" in shown
    assert "notes.md: 1 note;" in shown
    strange = [entry("a"), entry("b", label={"class": "private", "untrusted": True})]
    shown = memory_text.overview([file("memory"), file("user"), file("notes", *strange)])
    assert "notes.md: 2 notes, 1 of them untrusted;" in shown
    assert memory_text.files([file("memory")]).endswith("  nothing")


def forget(turns: int = 0, entries: int = 0, revisions: int = 0, **changed: object) -> ForgetJson:
    fields = {
        "done": False,
        "sessions": ["k3f"] if turns else [],
        "turns": turns,
        "entries": entries,
        "revisions": revisions,
        "busy": [],
        "left": ["the audit keeps it"],
    }
    return {**fields, **changed}  # type: ignore[typeddict-item]  # fields of a test


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (forget(2, 1, 0), "to be forgotten: 2 turns in k3f, 1 entry of memory"),
        (forget(0, 0, 0), "to be forgotten: nothing"),
        (forget(1, 0, 3), "to be forgotten: 1 turn in k3f, 3 old edits"),
        (forget(0, 0, 1, done=True), "forgotten: 1 old edit"),
        (forget(0, 0, 0, sessions=["k3f"]), "to be forgotten: 0 turns in k3f"),
    ],
)
def test_what_is_to_be_forgotten_is_counted(shown: ForgetJson, text: str) -> None:
    assert memory_text.forgotten(shown) == f"{text}\n  stays: the audit keeps it"


def test_of_many_sessions_the_first_are_named() -> None:
    shown = memory_text.forgotten(forget(12, sessions=[f"s{number}" for number in range(12)], left=[]))
    assert shown.endswith("s8, s9 and 2 more")


def brought(new: int, **changed: object) -> ImportJson:
    fields = {"done": False, "new": new, "already": 0, "session": "", "refused": []}
    return {**fields, **changed}  # type: ignore[typeddict-item]  # fields of a test


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ([brought(2)], "to be imported: 2 notes"),
        ([brought(1, done=True)], "imported: 1 note"),
        ([brought(0, already=3)], "nothing new: 0 notes; 3 there already"),
        ([brought(0, already=3, done=True)], "imported: 0 notes; 3 there already"),
        ([brought(1, session="import-a")], "to be imported: 1 turn into session import-a"),
        (
            [brought(2, session=f"import-{n}", already=1) for n in range(11)],
            "to be imported: 22 turns of 11 conversations; 11 there already",
        ),
    ],
)
def test_what_an_import_brings_is_counted(shown: list[ImportJson], text: str) -> None:
    assert memory_text.imported(shown) == text


def test_what_an_import_does_not_take_is_named_as_far_as_a_screen_goes() -> None:
    refused = [f"entry {number}: full" for number in range(12)]
    lines = memory_text.imported([brought(1, refused=refused)]).splitlines()
    assert lines[1:3] == ["  not taken: entry 0: full", "  not taken: entry 1: full"]
    assert (len(lines), lines[-1]) == (12, "  not taken: 2 more")


def test_the_next_commands_say_where_the_files_are() -> None:
    said = memory_text.commands([file("user"), file("memory")])
    assert said.startswith("the files are in /m; edit them as you like\n")
    for words in ("replace ID TEXT", "undo", "search QUESTION", "forget --text"):
        assert f"  bxctl memory {words}" in said


def test_an_entry_is_found_by_its_id() -> None:
    files = [file("user", entry("likes tea")), file("notes", entry("a\x1bb", id="zzzzzz"))]
    assert memory_text.entry_of(files, "zzzzzz") == "zzzzzz  a\\x1bb\n        by hand"
    assert memory_text.entry_of(files, "yyyyyy") == ""


def test_the_outbox_says_what_waits_why_and_what_helps() -> None:
    shown: OutboxJson = {
        "waiting": 1,
        "parked": 1,
        "oldest_s": 9.0,
        "failing": "the connection was refused",
        "next_try_s": 12.0,
        "rows": [
            {
                "id": "k3f.2",
                "session": "k3f",
                "turn": 2,
                "workspace": "trusted",
                "state": "parked",
                "why": "422",
                "age_s": 90.0,
            }
        ],
        "queue": {"trusted": "Honcho thinks about 3"},
    }
    assert memory_text.outbox(shown).splitlines()[1].split() == [
        "k3f.2",
        "parked",
        "trusted",
        "1",
        "min",
        "422",
    ]
    said = memory_text.outbox_sentence(shown)
    assert said.startswith(
        "1 waiting, 1 parked; the last try failed: the connection was refused; the next is in 12 s"
    )
    assert "--retry" in said
    assert said.endswith("trusted: Honcho thinks about 3")
    shown["parked"] = 0
    assert "outbox --retry tries at once" in memory_text.outbox_sentence(shown)
    shown["failing"] = ""
    assert "--retry" not in memory_text.outbox_sentence(shown)


def test_a_log_shows_what_went_and_what_came() -> None:
    shown = memory_text.log(
        [
            {
                "number": 3,
                "file": "user",
                "origin": "operator",
                "at": "2026-11-02T10:00:00+00:00",
                "label": {"class": "private", "untrusted": True},
                "removed": ["a"],
                "added": ["b"],
                "undone": 4,
            }
        ]
    )
    assert shown.splitlines() == [
        "3  2026-11-02 10:00  user.md  operator, untrusted, undone by 4",
        "   - a",
        "   + b",
    ]


def test_a_proposal_shows_what_each_entry_stands_for() -> None:
    now = [file("notes", entry("has a cat", id="aa"), entry("one\ntwo", id="bb"))]
    strange = {"class": "private", "untrusted": True}
    shown = memory_text.proposal(
        {
            "file": "notes",
            "id": "p1",
            "size_before": 900,
            "size_after": 300,
            "limit": 1000,
            "entries": [
                {"number": 1, "text": "has pets", "stands_for": ["aa", "zz"], "label": PRIVATE},  # type: ignore[typeddict-item]
                {"number": 2, "text": "is strange", "stands_for": ["bb"], "label": strange},  # type: ignore[typeddict-item]
            ],
            "kept": ["cc"],
        },
        now,
    )
    assert shown.splitlines() == [
        "notes.md would hold 300 instead of 900 of 1000 characters; 1 entry stays as before",
        "  1  has pets",
        "     - aa      has a cat",
        "     - zz      (gone)",
        "  2  is strange",
        "     untrusted",
        "     - bb      one",
        "               two",
    ]
