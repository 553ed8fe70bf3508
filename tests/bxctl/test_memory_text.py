"""Memory in words: what is shown fits a terminal, and says label and origin where they matter."""

from __future__ import annotations

import pytest

from bxcore.control.memory import EntryJson, FileJson, ForgetJson, OutboxJson
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
    assert memory_text.files([file("memory")]).endswith("  nothing")


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((2, 1, 0), "to be forgotten: 2 turns, 1 entry of memory in k3f"),
        ((0, 0, 0), "to be forgotten: nothing in k3f"),
        ((1, 0, 3), "to be forgotten: 1 turn, 3 old edits in k3f"),
    ],
)
def test_what_is_to_be_forgotten_is_counted(counts: tuple[int, int, int], text: str) -> None:
    turns, entries, revisions = counts
    shown: ForgetJson = {
        "done": False,
        "sessions": ["k3f"],
        "turns": turns,
        "entries": entries,
        "revisions": revisions,
        "busy": [],
        "left": ["the audit keeps it"],
    }
    assert memory_text.forgotten(shown) == f"{text}\n  stays: the audit keeps it"


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


def test_a_proposal_names_what_each_entry_stands_for() -> None:
    shown = memory_text.proposal(
        {
            "file": "notes",
            "id": "p1",
            "size_before": 900,
            "size_after": 300,
            "limit": 1000,
            "entries": [{"number": 1, "text": "short", "stands_for": ["aa", "bb"], "label": PRIVATE}],  # type: ignore[typeddict-item]
            "kept": ["cc"],
        }
    )
    assert shown.splitlines() == [
        "notes.md would hold 300 instead of 900 of 1000 characters; 1 entries stay as they are",
        "  1  short",
        "        for aa, bb",
    ]
