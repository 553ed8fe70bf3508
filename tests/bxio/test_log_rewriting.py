from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

import pytest

from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxio import log_rewriting, whole_results
from bxio.session_store import SessionError, SessionStore
from tests.doubles.deep_folders import nested

CALL = ToolCall(id="t2c1", name="shell", arguments='{"command":"cat tin"}')
LOG: tuple[Record, ...] = (
    SessionStart(baseline="", log="l"),
    User(text="one"),
    Assistant(content="fine"),
    Usage(),
    User(text="the blue tin"),
    Assistant(content="", tool_calls=(CALL,)),
    ToolResult(call="t2c1", tool="shell", content="blue tin", ok=True),
    Assistant(content="it is blue"),
    Usage(),
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    made = SessionStore(tmp_path / "sessions")
    opened = made.open("k3f")
    opened.append(LOG)
    opened.save_baseline(b"{}")
    opened.close()
    whole_results.keep(made.folder / "k3f", "t2c1", "the whole blue tin")
    whole_results.keep(made.folder / "k3f", "t1c1", "another result")
    (made.folder / "k3f" / "0.jsonl.torn-1").write_bytes(b"half a blue line")
    return made


def blue(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and b"blue" in path.read_bytes()]


def test_forgotten_turns_leave_no_byte_and_the_log_goes_on(store: SessionStore) -> None:
    folder = store.folder / "k3f"
    log_rewriting.forget_turns(folder, (2,))
    assert blue(folder) == []
    left = store.read("k3f")
    assert left[:4] == LOG[:4]
    assert len(left) == len(LOG)
    assert (folder / "results" / "t1c1.txt").exists()
    opened = store.open("k3f")
    assert opened.torn_note is None
    opened.append([User(text="three")])
    opened.close()
    assert store.read("k3f")[-1] == User(text="three")


def test_each_line_of_a_rewritten_log_is_a_write_of_its_own(store: SessionStore) -> None:
    """So that damage in its middle is not taken for a torn tail."""
    log_rewriting.forget_turns(store.folder / "k3f", (2,))
    path = store.folder / "k3f" / "0.jsonl"
    data = bytearray(path.read_bytes())
    data[data.index(b"fine")] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(SessionError, match="damaged"):
        store.read("k3f")


def test_a_forgotten_session_leaves_nothing(store: SessionStore) -> None:
    assert log_rewriting.forget_session(store.folder / "k3f") is None
    assert list(store.folder.iterdir()) == []
    assert log_rewriting.forget_session(store.folder / "k3f") is None


def test_a_session_that_is_open_is_left_alone(store: SessionStore) -> None:
    opened = store.open("k3f")
    assert log_rewriting.is_open(store.folder / "k3f")
    for forget in (log_rewriting.forget_session, lambda folder: log_rewriting.forget_turns(folder, (2,))):
        with pytest.raises(SessionError, match="open elsewhere"):
            forget(store.folder / "k3f")
    opened.close()
    assert not log_rewriting.is_open(store.folder / "k3f")
    assert not log_rewriting.is_open(store.folder / "none")
    assert store.read("k3f") == LOG


def test_what_a_crash_left_half_taken_away_is_swept(store: SessionStore) -> None:
    (store.folder / "k3f").rename(store.folder / ".k3f.forgotten")
    log_rewriting.sweep(store.folder)
    assert list(store.folder.iterdir()) == []


def test_a_damaged_log_has_its_name_and_goes_whole_all_the_same(store: SessionStore) -> None:
    folder = store.folder / "k3f"
    path = folder / "0.jsonl"
    opened = store.open("k3f")
    opened.append([User(text="later")])
    opened.close()
    path.write_bytes(path.read_bytes().replace(b"fine", b"fire"))
    assert log_rewriting.log_name(folder) == "l"
    with pytest.raises(SessionError, match="damaged"):
        log_rewriting.forget_turns(folder, (2,))
    assert log_rewriting.forget_session(folder) is None
    assert list(store.folder.iterdir()) == []


def test_a_log_without_a_first_line_has_no_name(store: SessionStore) -> None:
    assert log_rewriting.log_name(store.folder / "none") == ""
    (store.folder / "k3f" / "0.jsonl").write_bytes(b"x" * 100_000)
    assert log_rewriting.log_name(store.folder / "k3f") == ""


def test_a_start_that_never_came_to_a_log_goes_too(store: SessionStore) -> None:
    (store.folder / "k3f" / "0.jsonl").unlink()
    log_rewriting.forget_session(store.folder / "k3f")
    assert list(store.folder.iterdir()) == []


def test_the_work_folder_goes_with_the_session(store: SessionStore, tmp_path: Path) -> None:
    work = tmp_path / "work" / "k3f"
    work.mkdir(parents=True)
    (work / "a.txt").write_text("blue")
    (work / "link").symlink_to(store.folder)
    opened = store.open("k3f")
    with pytest.raises(SessionError, match="open elsewhere"):
        log_rewriting.forget_session(store.folder / "k3f", work)
    assert work.exists(), "nothing of a session that is open"
    opened.close()
    assert log_rewriting.forget_session(store.folder / "k3f", work) is None
    assert not work.exists()
    assert store.folder.exists(), "a link in it is not followed"


def test_a_work_folder_that_cannot_go_is_said_and_the_session_goes(
    store: SessionStore, tmp_path: Path
) -> None:
    work = tmp_path / "work" / "k3f"
    with nested(work):
        stays = log_rewriting.forget_session(store.folder / "k3f", work)
        assert stays == (
            f"its work folder {work} cannot be removed: its folders are nested too deep; "
            "remove it as the user who may"
        )
    assert list(store.folder.iterdir()) == []


def test_a_log_that_was_put_in_its_place_meanwhile_is_left_alone(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of the old file says nothing of the new one."""
    path = store.folder / "k3f" / "0.jsonl"

    def replaced(*_: object) -> None:
        path.with_name("new").write_bytes(path.read_bytes())
        path.with_name("new").chmod(0o600)
        path.with_name("new").rename(path)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", replaced)
        with pytest.raises(SessionError, match="was written anew just now; try again"):
            log_rewriting.forget_session(store.folder / "k3f")
        with pytest.raises(SessionError, match="was written anew just now; try again"):
            store.open("k3f")
    assert store.read("k3f") == LOG


@pytest.mark.parametrize("good", range(8))
def test_wherever_it_breaks_off_the_log_is_as_before_or_as_it_is_to_be(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    steps = iter(range(100))

    def failing(*args: object) -> None:
        if next(steps) >= good:
            raise OSError(28, "No space left on device")
        real(*args)  # type: ignore[arg-type]

    real = os.fsync
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with suppress(SessionError):
            log_rewriting.forget_turns(store.folder / "k3f", (2,))
    left = store.read("k3f")
    assert left == LOG or left[4] == User(text="(forgotten)")
    log_rewriting.forget_turns(store.folder / "k3f", (2,))
    assert blue(store.folder / "k3f") == []
