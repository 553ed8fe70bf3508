"""``bxctl memory``: what is mistyped is said before anything is asked; the rest against a real memory."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.base import Runtime
from bxctl import main as bxctl
from tests.bxctl.conftest import MakeBox, Run
from tests.doubles.memory_bench import edit
from tests.doubles.remembering_box import Remembering, row

Out: TypeAlias = pytest.CaptureFixture[str]
Memory: TypeAlias = Callable[..., tuple[int, str, str]]
NOWHERE = ("--socket", "/nonexistent/s")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "user"], "write bxctl memory add FILE TEXT, with the text in quotes"),
        (["add", "user", "likes", "tea"], "write bxctl memory add FILE TEXT, with the text in quotes"),
        (["replace", "abcdef"], "write bxctl memory replace ID TEXT"),
        (["remove"], "write bxctl memory remove ID"),
        (["undo", "one"], "'one' is no number"),
        (["undo", "9" * 5000], "is no number"),
        (["undo", "1", "2"], "bxctl memory log numbers the changes"),
        (["forget"], "name a session, or a text: bxctl memory forget --text TEXT"),
        (["forget", "main", "--text", "x"], "name a session, or a text"),
        (["consolidate", "user", "x", "--accept", "p"], "'x' is no number"),
        (["consolidate", "user", "2"], "entries are chosen with --accept ID"),
        (["outbox", "k3f.2"], "write bxctl memory outbox [--retry [ID]] [--drop ID]"),
        (["outbox", "--retry", "--drop", "k3f.2"], "--retry and --drop do not go together"),
        (["list", "--yes"], "--yes is for bxctl memory forget and outbox and import"),
        (["list", "-n", "3"], "--limit is for bxctl memory log and outbox"),
        (["log", "-n", "0"], "-n takes a number from 1"),
        (["search"], "write bxctl memory search QUESTION"),
        (["lsit"], "bxctl memory has no 'lsit'; did you mean list?"),
        (["qqqq"], "write one of list, log, add,"),
    ],
)
def test_a_mistyped_wish_says_how_it_is_written(words: list[str], sentence: str, capsys: Out) -> None:
    assert bxctl.main(["memory", *words, *NOWHERE]) == 2
    assert sentence in capsys.readouterr().err


NAMES = "list log add undo forget outbox import consolidate user - -- 7 x -1"
FLAGS = "--yes --json --text --retry --drop --accept -n --speaker"
WORDS = st.sampled_from([*NAMES.split(), *FLAGS.split(), "", "9" * 5000, "\udcff"])


@given(st.lists(WORDS, max_size=6))
def test_whatever_is_typed_ends_in_one_of_the_exit_codes(words: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for stream in ("stdout", "stderr"):
            patch.setattr(sys, stream, io.StringIO())
        patch.setattr(sys, "stdin", io.StringIO("text\n"))
        try:
            code = bxctl.main([*NOWHERE, "memory", *words])
        except SystemExit as usage:  # argparse's own way to say it
            code = usage.code if isinstance(usage.code, int) else -1
            assert code == 2
        assert code in {1, 2, 3, 4}


def test_an_unknown_file_is_no_such_thing(capsys: Out) -> None:
    assert bxctl.main(["memory", "list", "diary", *NOWHERE]) == 4
    assert "write memory, user or notes" in capsys.readouterr().err


def test_a_box_that_does_not_run_is_said(capsys: Out) -> None:
    assert bxctl.main(["memory", *NOWHERE]) == 3
    assert "boxmaker is not running" in capsys.readouterr().err


def test_its_help_names_every_action(capsys: Out) -> None:
    with pytest.raises(SystemExit):
        bxctl.main(["memory", "--help"])
    shown = capsys.readouterr().out
    for action in ("list", "log", "add", "replace", "remove", "undo", "trust", "search", "forget", "outbox"):
        assert f"memory {action}" in shown
    assert "memory consolidate FILE --accept ID [N …]" in shown
    assert "memory import PATH" in shown
    assert max(map(len, shown.splitlines())) <= 100


# Against a real memory.


@pytest.fixture
def box(make: MakeBox, runtime: Runtime, tmp_path: Path) -> Remembering:
    return Remembering(make, runtime, tmp_path)


@pytest.fixture
def memory(box: Remembering, capsys: Out) -> Memory:
    """Type a command: its exit code, what it printed, what it said."""

    def typed(*words: str) -> tuple[int, str, str]:
        code = bxctl.main(["--socket", str(box.box.path), "memory", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return typed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Someone at a terminal, who types this."""
    return lambda text: monkeypatch.setattr(sys, "stdin", Terminal(text))


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())


def entries(memory: Memory, file: str) -> list[Any]:
    code, out, _ = memory("list", file, "--json")
    assert code == 0
    [found] = json.loads(out)["files"]
    return list(found["entries"])


def texts(memory: Memory, file: str) -> list[str]:
    return [each["text"] for each in entries(memory, file)]


def test_the_way_of_a_new_user(box: Remembering, memory: Memory) -> None:
    edit(box.box.runtime.mailbox("memory"), "add", "user", text="likes tea")
    code, out, err = memory()
    wanted = entries(memory, "user")[0]["id"]
    assert (code, f"{wanted}  likes tea\n        session k3f turn 4\n" in out) == (0, True)
    assert f"the files are in {box.bench.places.files}; edit them as you like" in err
    assert memory("replace", wanted.upper(), "likes coffee")[0] == 0
    assert texts(memory, "user") == ["likes coffee"]
    assert memory("undo")[:2] == (0, "edit 2 is undone in user.md; it holds 10 of 1400 characters\n")
    assert texts(memory, "user") == ["likes tea"]
    code, out, err = memory("log", "-n", "2")
    assert [line.split("  ")[0] for line in out.splitlines() if line[0] != " "] == ["3", "2"]
    assert err == "the newest 2; -n 20 shows more\n"
    assert memory("log")[2] == ""
    assert memory("log", "-n", "3")[2] == ""  # these are all
    assert memory("remove", wanted)[0] == 0
    assert texts(memory, "user") == []


def test_a_log_of_nothing_is_said(memory: Memory) -> None:
    assert memory("log") == (0, "", "nothing was changed yet\n")
    assert memory("log", "--json") == (0, '{"revisions": []}\n', "")
    assert memory("undo")[0] == 4


def test_flags_may_stand_before_the_words(memory: Memory) -> None:
    assert memory("add", "--json", "USER.md", "likes tea")[:1] == (0,)
    assert texts(memory, "user") == ["likes tea"]
    code, _, err = memory("consolidate", "user", "--accept", "p1", "1", "2")
    assert (code, "there is no proposal 'p1'" in err) == (4, True)


def test_a_text_may_come_from_standard_input(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n"))
    assert memory("add", "notes", "-")[0] == 0
    assert texts(memory, "notes") == ["one\ntwo"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("x" * 100_001))
    assert memory("add", "notes", "-")[0] == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("bad \udcff"))
    assert memory("add", "notes", "-")[2] == "bxctl: the text is not UTF-8; write it in UTF-8\n"
    assert memory("add", "notes", "-")[2].startswith("bxctl: text is empty")


def test_what_steers_a_terminal_is_shown_and_not_obeyed(box: Remembering, memory: Memory) -> None:
    memory("add", "user", "x")
    (box.bench.places.files / "user.md").write_text("by hand \x1b[31mred \u202eflip\n")
    for words in (("list",), ("log",), ()):
        out = memory(*words)[1]
        assert "\\x1b[31mred \\u202eflip" in out
        assert "\x1b" not in out
    assert "\u202e" not in memory("list", "--json")[1]


def test_trust_shows_the_whole_of_what_it_trusts(box: Remembering, memory: Memory) -> None:
    text = "a stranger's number is " + "7" * 120
    box.bench.places.files.mkdir(exist_ok=True)
    path = box.bench.folder / "MEMORY.md"
    path.write_text(f"- {text}\n")
    assert memory("import", str(path), "--yes")[0] == 0
    [entry] = entries(memory, "notes")
    code, out, _ = memory("trust", entry["id"])
    assert code == 0
    assert text in "".join(line.strip() for line in out.splitlines()).replace("is7", "is 7")
    assert "was private, untrusted and is private and trusted now" in out
    assert memory("trust", entry["id"])[0] == 5
    assert memory("trust", "zzzzzz")[0] == 4


def test_forget_shows_asks_and_forgets(box: Remembering, memory: Memory, says: Callable[[str], None]) -> None:
    memory("add", "user", "lives in Mill Road")
    would = "to be forgotten: 1 entry of memory, 1 old edit\n"
    code, out, err = memory("forget", "--text", "mill road")
    assert (code, out.startswith(would)) == (2, True)
    assert err == "bxctl: nothing was changed; add --yes to do it\n"
    code, out, err = memory("forget", "--text", "mill road", "--json")
    assert (code, json.loads(out)["done"], json.loads(out)["entries"]) == (2, False, 1)
    for no in ("n\n", "", "\n", "yess\n"):
        says(no)
        code, out, err = memory("forget", "--text", "mill road")
        assert (code, out.startswith(would)) == (0, True)
        assert err == "forget it for good? y or n\nnothing was forgotten\n"
    assert texts(memory, "user") == ["lives in Mill Road"]
    says("y\n")
    code, out, err = memory("forget", "--text", "mill road", "--json")
    assert (code, json.loads(out)["done"]) == (0, True)
    assert err.startswith(would)
    assert texts(memory, "user") == []
    assert "Mill Road" not in memory("log")[1]
    code, out, err = memory("forget", "--text", "mill road", "--yes")
    assert (code, out) == (4, "")
    assert err.endswith("bxctl: no session, no entry and no old edit holds that text\n")


def test_forget_ends_the_sessions_that_are_open_and_waits_for_their_end(
    box: Remembering, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bxctl.commands._memory_forget.AGAIN_S", 0.001)
    box.bench.turn("k3f", "the blue tin")
    box.bench.turn("other", "a red tin")
    box.open("k3f")
    asked: list[str] = []

    def ends_late(session: str) -> None:
        asked.append(session)
        if len(asked) == 3:
            box.close(session)

    box.ends = ends_late
    code, out, err = memory("forget", "K3F", "--yes")
    assert (code, out.splitlines()[0]) == (0, "forgotten: 1 turn in k3f")
    assert err == "session k3f is open; it is ended first\n"
    assert asked == ["k3f"] * 3
    assert not box.bench.sessions.exists("k3f")
    assert box.bench.sessions.exists("other")


def test_a_session_that_does_not_end_is_named_and_nothing_is_forgotten(
    box: Remembering, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bxctl.commands._memory_forget.ENDED_S", 0.0)
    box.bench.turn("k3f", "the blue tin")
    box.open("k3f")
    box.ends = lambda _: None
    code, out, err = memory("forget", "k3f", "--yes")
    assert (code, out) == (1, "")
    assert "nothing was forgotten: k3f did not end" in err
    assert box.bench.sessions.exists("k3f")
    box.close("k3f")


def test_a_no_of_forget_has_its_exit_code(memory: Memory) -> None:
    assert memory("forget", "none")[0] == 4
    assert memory("forget", "a/b")[0] == 2
    assert memory("forget", "--text", " ")[0] == 2


def test_an_import_is_shown_first_and_comes_once(
    memory: Memory, says: Callable[[str], None], tmp_path: Path
) -> None:
    path = tmp_path / "chat.json"
    said = [("user", "the ladder is in the barn"), ("assistant", "noted"), ("system", "be kind")]
    path.write_text(json.dumps([{"role": role, "content": text} for role, text in said]))
    says("n\n")
    code, out, err = memory("import", str(path))
    assert (code, out.startswith("to be imported: 1 turn into session import-")) == (0, True)
    assert err.startswith("  not taken: ")
    assert err.endswith("import it? y or n\nnothing was imported\n")
    says("")
    assert "nothing found" in memory("search", "ladder")[1]
    assert memory("import", str(path), "--yes")[1].startswith("imported: 1 turn into session import-")
    assert "ladder" in memory("search", "where", "is", "the", "ladder?")[1]
    code, out, _ = memory("import", str(path))
    assert (code, out.startswith("nothing new: 0 turns into")) == (0, True)
    assert json.loads(memory("import", str(path), "--yes", "--json")[1])[0]["already"] == 1


def test_a_long_import_says_how_far_it_is(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bxctl.progress.EVERY_S", 0.0)
    talks = [
        [{"role": "user", "content": f"a{each}"}, {"role": "assistant", "content": "b"}] for each in "xyz"
    ]
    for number, talk in enumerate(talks):
        (tmp_path / f"{number}.json").write_text(json.dumps(talk))
    (tmp_path / "MEMORY.md").write_text("- has a dog\n- has a cat\n")
    code, out, err = memory("import", str(tmp_path), "--yes")
    assert code == 0
    assert out.splitlines()[0] == "imported: 2 notes"
    assert len(out.splitlines()) == 4
    assert [line for line in err.splitlines() if line.startswith("imported")] == [
        "imported 2 of 5",
        "imported 3 of 5",
        "imported 4 of 5",
    ]
    _, _, err = memory("import", str(tmp_path))
    assert "looked at 4 of 5\n" in err


def test_what_an_import_refuses_makes_it_fail_and_is_said(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text(f"- good\n- {'x' * 1001}\n")
    code, out, _ = memory("import", str(path), "--yes")
    assert (code, out.splitlines()[0]) == (1, "imported: 1 note")
    assert " ".join(out.split()).startswith("imported: 1 note not taken: entry 2, ")
    path.write_text("")
    assert memory("import", str(path), "--yes") == (1, "", f"bxctl: {path} holds nothing to take in\n")


def test_the_outbox_is_shown_retried_and_a_turn_dropped_after_a_yes(
    box: Remembering, memory: Memory, says: Callable[[str], None]
) -> None:
    assert memory("outbox") == (0, "", "no turn waits for Honcho, and none is parked\n")
    box.rows = [row("k3f.2"), row("k3f.3", state="waiting", why="")]
    code, out, err = memory("outbox", "-n", "1")
    assert (code, len(out.splitlines())) == (0, 2)
    assert err.startswith("1 waiting, 1 parked; ")
    assert memory("outbox", "--retry") == (0, "retry_rows None\n", "")
    assert memory("outbox", "--retry", "K3F.2") == (0, "retry_rows k3f.2\n", "")
    code, out, err = memory("outbox", "--drop", "K3F.2")
    assert (code, out.splitlines()[1].split()[:2]) == (2, ["k3f.2", "parked"])
    assert "k3f.3" not in out
    says("y\n")
    assert memory("outbox", "--drop", "k3f.2")[1].endswith("drop_row k3f.2\n")
    assert memory("outbox", "--drop", "k3f.3", "--yes") == (0, "drop_row k3f.3\n", "")
    code, _, err = memory("outbox", "--drop", "k3f.9", "--yes")
    assert (code, "no turn k3f.9 waits or is parked" in err) == (4, True)
    assert sum(message.kind == "drop_row" for message in box.told) == 2
    assert json.loads(memory("outbox", "--json")[1])["parked"] == 1


def test_consolidate_without_a_model_or_a_need_says_so(memory: Memory) -> None:
    memory("add", "user", "likes tea")
    code, out, err = memory("consolidate", "user")
    assert (code, out) == (5, "")
    assert err.startswith("asking the model; this may take some minutes\n")


def test_a_json_answer_is_one_line_of_standard_output(box: Remembering, run: Run) -> None:
    done = run("memory", "--json", "--socket", str(box.box.path))
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["file"] for each in json.loads(done.stdout)["files"]] == ["memory", "user", "notes"]
